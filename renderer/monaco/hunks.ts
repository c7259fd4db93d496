// The hunks of a comparison, from the line changes that Monaco has found. Pure.
import type { Hunk } from '../../shared/ipc';

/** As Monaco tells it: lines from 1; an end of 0 means none, behind the start. */
export type LineChange = {
  readonly originalStartLineNumber: number;
  readonly originalEndLineNumber: number;
  readonly modifiedStartLineNumber: number;
  readonly modifiedEndLineNumber: number;
};

/**
 * The hunks of both texts, or null when these changes are not of these texts: what lies between hunks must be the same
 * on both sides (but for white space, when that is left out), or they were found in texts that were shown before.
 */
export function hunksOf(
  changes: readonly LineChange[],
  before: readonly string[],
  after: readonly string[],
  ignoreSpace: boolean,
): readonly Hunk[] | null {
  const hunks: Hunk[] = [];
  let [old, now] = [0, 0];
  const isSame = (a: string | undefined, b: string | undefined): boolean =>
    a === b || (ignoreSpace && a?.trim() === b?.trim());
  const skipTo = (oldEnd: number, nowEnd: number): boolean => {
    if (oldEnd - old !== nowEnd - now || oldEnd < old) return false;
    for (; old < oldEnd; old++, now++) if (!isSame(before[old], after[now])) return false;
    return true;
  };
  for (const c of changes) {
    const a = rangeOf(c.originalStartLineNumber, c.originalEndLineNumber);
    const b = rangeOf(c.modifiedStartLineNumber, c.modifiedEndLineNumber);
    if (!skipTo(a.from, b.from)) return null;
    [old, now] = [a.to, b.to];
    if (old > before.length || now > after.length) return null;
    hunks.push({
      before: { from: a.from, lines: before.slice(a.from, a.to) },
      after: { from: b.from, lines: after.slice(b.from, b.to) },
    });
  }
  return skipTo(before.length, after.length) ? hunks : null;
}

/** Lines from 0, half open. */
const rangeOf = (start: number, end: number): { readonly from: number; readonly to: number } =>
  end === 0 ? { from: start, to: start } : { from: start - 1, to: end };
