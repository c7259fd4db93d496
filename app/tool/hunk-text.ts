// One hunk of a unified diff, from its text. Pure.
// Owns: where a hunk ends. Models count lines badly: counts that fit are believed, others are ignored, and the hunk ends
// where its lines end.

export type HunkLine = {
  readonly kind: 'same' | 'old' | 'new';
  readonly text: string;
  /** "\ No newline at end of file" stands behind it */
  readonly unended: boolean;
};
export type Hunk = {
  /** first line of the old side, counted from 1; null when the head does not say */
  readonly start: number | null;
  readonly lines: readonly HunkLine[];
  /** for messages: the number of its head in the patch, counted from 1 */
  readonly number: number;
};

const HEAD = /^@@+(?: -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))?)?(?: @@+.*| *|\s.*)$/;

export const isHunkHead = (line: string): boolean => line.startsWith('@@');

type Counts = { readonly old: number; readonly new: number };

export function readHunk(
  lines: readonly string[],
  at: number,
  fail: (why: string) => never,
): { readonly hunk: Hunk; readonly next: number } {
  const found = HEAD.exec((lines[at] ?? '').trimEnd());
  if (found === null) fail('this is no head of a hunk, as "@@ -1,3 +1,4 @@" is');
  const [, start, oldCount = '1', , newCount = '1'] = found;
  const counts = start === undefined ? null : { old: Number(oldCount), new: Number(newCount) };
  const next = (counts === null ? null : endByCounts(lines, at + 1, counts)) ?? endByLook(lines, at + 1);
  const body = bodyOf(lines.slice(at + 1, next));
  if (!body.some((l) => l.kind !== 'same')) fail('this hunk changes nothing');
  return {
    hunk: { start: start === undefined ? null : Number(start), lines: body, number: at + 1 },
    next,
  };
}

const isNote = (line: string | undefined): boolean => line?.startsWith('\\') === true;
/** Editors and models drop the space of an empty line that stays. */
const isBody = (line: string): boolean => line === '' || line === '\r' || ' +-\\'.includes(line.charAt(0));

/** What may follow a hunk whose counts are right. */
const isBoundary = (line: string | undefined): boolean =>
  line === undefined || isHunkHead(line) || /^(diff --git |--- )/.test(line) || line.trim() === '';

function endByCounts(lines: readonly string[], from: number, counts: Counts): number | null {
  let { old, new: now } = counts;
  let at = from;
  for (; old > 0 || now > 0 || isNote(lines[at]); at++) {
    const line = lines[at];
    if (line === undefined || !isBody(line)) return null;
    if (isNote(line)) continue;
    if (!line.startsWith('+')) old--;
    if (!line.startsWith('-')) now--;
    if (old < 0 || now < 0) return null;
  }
  return isBoundary(lines[at]) ? at : null;
}

/** Up to the next head, or the next pair of names; blank lines at the end belong to nobody. */
function endByLook(lines: readonly string[], from: number): number {
  let at = from;
  for (; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (!isBody(line) || isNames(lines, at)) break;
  }
  while (at > from && (lines[at - 1] ?? '').trim() === '' && !(lines[at - 1] ?? '').startsWith(' ')) at--;
  return at;
}

const isNames = (lines: readonly string[], at: number): boolean =>
  lines[at]?.startsWith('--- ') === true &&
  lines[at + 1]?.startsWith('+++ ') === true &&
  (lines[at + 2] === undefined || isHunkHead(lines[at + 2] ?? ''));

const KINDS: Readonly<Record<string, HunkLine['kind']>> = { '+': 'new', '-': 'old' };

function bodyOf(lines: readonly string[]): readonly HunkLine[] {
  return lines.flatMap((line, index) => {
    if (isNote(line)) return [];
    const text = ' +-'.includes(line.charAt(0)) ? line.slice(1) : line;
    return [{ kind: KINDS[line.charAt(0)] ?? 'same', text, unended: isNote(lines[index + 1]) }];
  });
}
