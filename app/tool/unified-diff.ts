// The short difference that a card shows of an edit. Pure.
// Owns: counts and the cut at 200 lines. Does not own: the diffs of the changes view, which come from snapshots.
import { structuredPatch } from 'diff';

/** SPEC's toolDisplay: at most so many lines of a patch are kept in the log. */
const MOST_LINES = 200;
/** Beyond so many differing lines the search for the shortest difference would take too long to be of use. */
const MOST_EDITS = 4000;

export type EditSummary = { readonly added: number; readonly removed: number; readonly patch: string };

/** null text: no such file on that side. */
export function summarizeEdit(before: string | null, after: string | null): EditSummary {
  const found = structuredPatch('', '', before ?? '', after ?? '', '', '', {
    context: 3,
    maxEditLength: MOST_EDITS,
  });
  if (found === undefined) {
    return {
      added: countLines(after),
      removed: countLines(before),
      patch: '(too different to be shown here)',
    };
  }
  const lines = found.hunks.flatMap((h) => [
    `@@ -${h.oldStart},${h.oldLines} +${h.newStart},${h.newLines} @@`,
    ...h.lines.map((line) => line.replace(/\r$/, '')),
  ]);
  const count = (sign: string) =>
    found.hunks.reduce((sum, h) => sum + h.lines.filter((l) => l.startsWith(sign)).length, 0);
  const shown = lines.slice(0, MOST_LINES);
  if (lines.length > MOST_LINES) shown[MOST_LINES - 1] = `(${lines.length - MOST_LINES + 1} more lines)`;
  return { added: count('+'), removed: count('-'), patch: shown.join('\n') };
}

function countLines(text: string | null): number {
  if (text === null || text === '') return 0;
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}
