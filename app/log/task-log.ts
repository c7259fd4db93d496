// The log of one task: `log.jsonl`, one fact a line, append-only.
// Owns: numbers without holes, durability, order across processes, repair of a torn end, following.
// Does not own: what the facts mean (shared/fold), which tasks there are (task-index).
// Invariants: an append that resolved is on the disk; the file is only ever added to, except that a last line without its
// end, which no append has ever promised, is copied aside and cut off; followers get each fact once and in order.
import { type FSWatcher, watch } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { TidemarkError } from '../../shared/errors';
import { EVENT_VERSION, type Fact, factSchema, type TaskEvent } from '../../shared/events';
import type { TaskId } from '../../shared/ids';
import { mustExist, openOrNull, setTornAside, syncFolder, writeDurably } from './log-file';
import { type Damage, emptyContent, type LogContent, takeLines, tornLine } from './log-lines';
import { inTurn, isTurnTaken } from './turn';

export type LogReading = {
  readonly events: readonly TaskEvent[];
  /** lines that do not count, by number; empty when all is well */
  readonly damaged: readonly Damage[];
  /** a newer version has written here: appending is refused */
  readonly tooNew: boolean;
};

export interface TaskLog {
  /** All facts up to now, other processes' too. @throws task-unknown */
  read(): Promise<LogReading>;
  /**
   * Resolves when the fact is on the disk; appends take effect in the order in which they were asked for.
   * @throws too-new, disk-full, workspace-busy (another process stopped in the middle of an append), task-unknown
   */
  append(fact: Fact): Promise<TaskEvent>;
  /**
   * From now on, each fact that comes after what was last read, whoever appended it; own ones before their `append`
   * resolves. Where the system cannot watch, others' come with the next `read` or `append`.
   * @returns a function that ends it
   */
  follow(listener: (event: TaskEvent) => void): () => void;
  /** Waits for appends under way. */
  close(): Promise<void>;
}

const CHUNK_BYTES = 8 * 1024 * 1024;
const TURN_WAIT_MS = 30_000;

type Waiting = {
  /** the fact in JSON, as it was when it was given */
  readonly fact: string;
  readonly resolve: (event: TaskEvent) => void;
  readonly reject: (error: unknown) => void;
};

/** Opens nothing yet: the first read or append does. `folder` is the task's. */
export function openTaskLog(folder: string, taskId: TaskId): TaskLog {
  const file = path.join(folder, 'log.jsonl');
  const listeners = new Set<(event: TaskEvent) => void>();
  let content: LogContent = emptyContent();
  /** end of the last whole line that was taken in */
  let offset = 0;
  /** number of the last fact that followers were told */
  let told = 0;
  let waiting: Waiting[] = [];
  let work: Promise<unknown> = Promise.resolve();
  let watcher: FSWatcher | null = null;

  /** One thing at a time: reading and appending move the same position. */
  function next<T>(step: () => Promise<T>): Promise<T> {
    const done = work.then(step);
    work = done.catch(() => undefined);
    return done;
  }

  function tell(): void {
    const fresh: TaskEvent[] = [];
    for (let i = content.events.length - 1; i >= 0; i--) {
      const event = content.events[i];
      if (event === undefined || event.seq <= told) break;
      fresh.unshift(event);
    }
    told = Math.max(told, content.seq);
    for (const event of fresh) for (const listener of listeners) listener(event);
  }

  /** Takes in what was added to the file. @returns its size */
  async function catchUp(handle: FileHandle): Promise<number> {
    const { size } = await handle.stat();
    if (size < offset) {
      // Somebody put another file in its place (a backup, say): from the start, as if never seen.
      content = emptyContent();
      offset = 0;
    }
    let want = CHUNK_BYTES;
    while (offset < size) {
      const chunk = Buffer.allocUnsafe(Math.min(want, size - offset));
      const { bytesRead } = await handle.read(chunk, 0, chunk.length, offset);
      if (bytesRead === 0) break;
      const taken = takeLines(content, chunk.subarray(0, bytesRead), taskId);
      if (taken === 0 && offset + bytesRead >= size) break; // the rest is a line without an end
      offset += taken;
      if (taken === 0) want *= 2; // a line longer than the chunk
    }
    return size;
  }

  async function read(): Promise<LogReading> {
    const handle = await openOrNull(file, 'r');
    if (handle === null) {
      await mustExist(folder);
      return { events: [], damaged: [], tooNew: false };
    }
    let torn: Damage[] = [];
    try {
      // An end without a line break is torn only if nobody is about to complete it.
      if (
        (await catchUp(handle)) > offset &&
        !(await isTurnTaken(folder)) &&
        (await catchUp(handle)) > offset
      ) {
        torn = [tornLine(content.lines + 1)];
      }
    } finally {
      await handle.close();
    }
    tell();
    return {
      events: content.events.slice(),
      damaged: [...content.damaged, ...torn],
      tooNew: content.tooNew,
    };
  }

  async function appendAll(batch: readonly Waiting[]): Promise<TaskEvent[]> {
    const written = await inTurn(folder, TURN_WAIT_MS, async () => {
      const handle = await open(file, 'a+', 0o600);
      try {
        const size = await catchUp(handle);
        if (content.tooNew) throw newer();
        if (size > offset) await setTornAside(handle, folder, offset, size);
        const at = new Date().toISOString();
        const lines = batch.map(({ fact }, i) => {
          const head = JSON.stringify({ v: EVENT_VERSION, seq: content.seq + 1 + i, at, taskId });
          return `${head.slice(0, -1)},${fact.slice(1)}\n`;
        });
        const bytes = Buffer.from(lines.join(''));
        await writeDurably(handle, bytes, offset);
        if (offset === 0) await syncFolder(folder);
        const before = content.events.length;
        offset += takeLines(content, bytes, taskId);
        return content.events.slice(before);
      } finally {
        await handle.close();
      }
    });
    tell();
    return written;
  }

  async function drain(): Promise<void> {
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return;
    try {
      const events = await appendAll(batch);
      batch.forEach((w, i) => {
        const event = events[i];
        if (event === undefined) w.reject(new TidemarkError('failed', 'The log did not take the fact.'));
        else w.resolve(event);
      });
    } catch (error) {
      for (const w of batch) w.reject(meaning(error));
    }
  }

  function startWatching(): void {
    if (watcher !== null) return;
    try {
      watcher = watch(file, { persistent: false }, () => void next(read).catch(() => undefined));
      watcher.on('error', stopWatching);
    } catch {
      watcher = null; // see follow
    }
    void next(read).catch(() => undefined); // what came before the watch began
  }

  function stopWatching(): void {
    watcher?.close();
    watcher = null;
  }

  return {
    read: () => next(read),
    async append(given) {
      const fact = JSON.stringify(given);
      // As it will be read: JSON has no undefined, and no NaN.
      const checked = factSchema.safeParse(JSON.parse(fact));
      if (!checked.success) {
        throw new TidemarkError('failed', `A fact of the type ${given.type} is not complete.`, {
          cause: checked.error,
        });
      }
      return new Promise<TaskEvent>((resolve, reject) => {
        waiting.push({ fact, resolve, reject });
        void next(drain);
      });
    },
    follow(listener) {
      listeners.add(listener);
      startWatching();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) stopWatching();
      };
    },
    async close() {
      listeners.clear();
      stopWatching();
      await next(async () => undefined);
    },
  };
}

const newer = (): TidemarkError =>
  new TidemarkError(
    'too-new',
    'A newer version of Tidemark has worked on this task. Here it can only be read.',
    {
      hint: 'Update Tidemark to go on with it.',
    },
  );

function meaning(error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error;
  return new TidemarkError('disk-full', 'The disk is full, so the task could not be recorded any further.', {
    cause: error,
    hint: 'Free some space, then try again. What was recorded before is safe.',
  });
}
