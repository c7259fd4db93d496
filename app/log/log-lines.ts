// Lines of a log and what they say. Pure.
// Owns: which line counts. Does not own: files, locks.
// Invariants: no line is lost to a damaged one before it; types that this version does not know are kept as they are;
// fields that it does not know stay in the event.
import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { EVENT_VERSION, eventHeadSchema, factSchema, type TaskEvent } from '../../shared/events';
import type { TaskId } from '../../shared/ids';

export type Damage = {
  /** 1 for the first line of the file */
  readonly line: number;
  readonly kind: 'unreadable' | 'invalid' | 'repeated' | 'foreign' | 'torn';
  /** a sentence for the user */
  readonly message: string;
};

export type LogContent = {
  readonly events: TaskEvent[];
  readonly damaged: Damage[];
  /** lines seen so far */
  lines: number;
  /** the highest number seen, also of a line that does not count; 0 before the first */
  seq: number;
  /** a newer version has written here: no more than reading is allowed */
  tooNew: boolean;
};

export const emptyContent = (): LogContent => ({ events: [], damaged: [], lines: 0, seq: 0, tooNew: false });

const KNOWN_TYPES: ReadonlySet<string> = new Set(
  factSchema.options.flatMap((option) => [...option.shape.type.values]),
);
const NEWLINE = 10;
const headSchema = eventHeadSchema.extend({ seq: z.int().min(1), type: z.string() });

/** Takes in all whole lines of `bytes`. @returns how many bytes they were */
export function takeLines(content: LogContent, bytes: Buffer, taskId: TaskId): number {
  let from = 0;
  const clean = isUtf8(bytes);
  for (;;) {
    const end = bytes.indexOf(NEWLINE, from);
    if (end < 0) return from;
    takeLine(content, bytes.subarray(from, end), taskId, clean);
    from = end + 1;
  }
}

function takeLine(content: LogContent, line: Buffer, taskId: TaskId, clean: boolean): void {
  content.lines += 1;
  const value = clean || isUtf8(line) ? parsed(line) : undefined;
  const fault = judge(content, value, taskId);
  if (fault === null) content.events.push(value as TaskEvent);
  else if (fault !== 'newer') content.damaged.push(damage(content.lines, fault));
}

/** Null when it counts; "newer" when a newer version wrote what this one cannot read, which is no damage. */
function judge(content: LogContent, value: unknown, taskId: TaskId): keyof typeof REASONS | 'newer' | null {
  if (typeof value !== 'object' || value === null) return 'unreadable';
  const head = headSchema.safeParse(value);
  if (!head.success) return 'invalid';
  const { v, seq, type } = head.data;
  if (head.data.taskId !== taskId) return 'foreign';
  if (seq <= content.seq) return 'repeated';
  content.seq = seq;
  if (v > EVENT_VERSION) content.tooNew = true;
  if (!KNOWN_TYPES.has(type) || factSchema.safeParse(value).success) return null;
  return v > EVENT_VERSION ? 'newer' : 'invalid';
}

function parsed(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'));
  } catch {
    return undefined;
  }
}

const REASONS: Readonly<Record<Exclude<Damage['kind'], 'torn'>, string>> = {
  unreadable: 'cannot be read',
  invalid: 'is not complete',
  repeated: 'repeats an earlier number',
  foreign: 'belongs to another task',
};

const damage = (line: number, kind: keyof typeof REASONS): Damage => ({
  line,
  kind,
  message: `Line ${line} of this task's log ${REASONS[kind]} and was passed over. The file was left as it is.`,
});

export const tornLine = (line: number): Damage => ({
  line,
  kind: 'torn',
  message: `The last line of this task's log (${line}) was cut off by a crash. It is set aside before the next one is written.`,
});
