// The short difference that a card shows of an edit. Pure.
// Owns: counts and the cut at 200 lines. Does not own: the diffs of the changes view, which come from snapshots.
import { structuredPatch } from 'diff';

/** SPEC's toolDisplay: at most so many lines of a patch are kept in the log. */
const MOST_LINES = 200;
/** Beyond so many differing lines the search for the shortest difference would take too long to be of use. */
const MOST_EDITS = 1000;

export type EditSummary = { readonly added: number; readonly removed: number; readonly patch: string };

/** null text: no such file on that side. */
export function summarizeEdit(before: string | null, after: string | null): EditSummary {
  const found = structuredPatch('', '', before ?? '', after ?? '', '', '', {
    context: 3,
    maxEditLength: MOST_EDITS,
  });
  if (found === undefined) return { ...countRoughly(before ?? '', after ?? ''), patch: TOO_DIFFERENT };
  const lines = found.hunks.flatMap((h) => [
    `@@ -${rangeOf(h.oldStart, h.oldLines)} +${rangeOf(h.newStart, h.newLines)} @@`,
    ...h.lines.map((line) => line.replace(/\r$/, '')),
  ]);
  const count = (sign: string) =>
    found.hunks.reduce((sum, h) => sum + h.lines.filter((l) => l.startsWith(sign)).length, 0);
  const shown = lines.slice(0, MOST_LINES);
  if (lines.length > MOST_LINES) shown[MOST_LINES - 1] = `(${lines.length - MOST_LINES + 1} more lines)`;
  return { added: count('+'), removed: count('-'), patch: shown.join('\n') };
}

/** A side without lines is named by the line before it. */
const rangeOf = (start: number, count: number): string => `${count === 0 ? start - 1 : start},${count}`;

const TOO_DIFFERENT = '(too different to be shown here)';

/** All lines between the first and the last that differ. */
function countRoughly(before: string, after: string): { added: number; removed: number } {
  const old = linesOf(before);
  const now = linesOf(after);
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start++;
  let end = 0;
  while (end < most - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  return { added: now.length - start - end, removed: old.length - start - end };
}

function linesOf(text: string): readonly string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
