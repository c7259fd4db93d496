// Three-way merge of a file that was edited by hand after the task's own last change.
// Owns: when a merge is possible at all, and running `git merge-file`, which works on bytes: line endings, a missing
// last newline and any encoding stay as they are. Does not own: what a conflict leads to (plan.ts).
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { EntryState } from './engine';
import { runGit } from './git';
import type { Store } from './shadow-repo';
import { bitsOf, isRegular, sameState } from './view';

export type Sides<T> = { readonly base: T; readonly mine: T; readonly theirs: T };
export type Merged =
  | { readonly kind: 'merged'; readonly mode: string; readonly body: Buffer }
  | { readonly kind: 'conflict'; readonly reason: string };

const conflict = (reason: string): Merged => ({ kind: 'conflict', reason });

/** Why these states cannot be merged line by line; null: they can. Pure. */
export function mergeObstacle(s: Sides<EntryState | null>): string | null {
  if (s.mine === null) return 'You deleted it; the checkpoint has it.';
  if (s.theirs === null) return 'You changed it; the checkpoint does not have it.';
  if (s.base === null) return 'You made it; the checkpoint has another one.';
  if (!isRegular(s.base) || !isRegular(s.mine) || !isRegular(s.theirs))
    return 'You replaced it, and it is not a plain file on all sides.';
  return null;
}

/** Permission bits follow whoever changed them; both: null. Pure. */
export function mergeModes(s: Sides<EntryState>): string | null {
  const [base, mine, theirs] = [bitsOf(s.base), bitsOf(s.mine), bitsOf(s.theirs)];
  if (mine === theirs || theirs === base) return s.mine.mode;
  return mine === base ? s.theirs.mode : null;
}

const isBinary = (b: Buffer): boolean => b.subarray(0, 8000).includes(0);

async function mergeBodies(store: Store, s: Sides<Buffer>, signal: AbortSignal): Promise<Buffer | null> {
  const folder = mkdtempSync(path.join(store.gitDir, 'tidemark', 'merge-'));
  try {
    const [mine, base, theirs] = ['mine', 'base', 'theirs'].map((n) => path.join(folder, n)) as [
      string,
      string,
      string,
    ];
    writeFileSync(mine, s.mine);
    writeFileSync(base, s.base);
    writeFileSync(theirs, s.theirs);
    // its exit code is the number of conflicts, 255 for a file that it takes for binary
    const accept = Array.from({ length: 256 }, (_, i) => i);
    const { code, out } = await runGit(store.place, ['merge-file', '-p', '-q', mine, base, theirs], {
      signal,
      accept,
    });
    return code === 0 ? out : null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Merges the hand edits (mine, against base) with what the restore wants (theirs). */
export async function mergeFile(
  store: Store,
  states: Sides<EntryState | null>,
  content: (s: EntryState) => Promise<Buffer>,
  signal: AbortSignal,
): Promise<Merged> {
  const obstacle = mergeObstacle(states);
  const { base, mine, theirs } = states;
  if (obstacle !== null || base === null || mine === null || theirs === null) return conflict(obstacle ?? '');
  const mode = mergeModes({ base, mine, theirs });
  if (mode === null) return conflict('You changed its permissions, and the checkpoint has others.');
  if (sameState({ ...mine, mode: '' }, { ...theirs, mode: '' }) || base.oid === theirs.oid) {
    return { kind: 'merged', mode, body: await content(mine) };
  }
  if (mine.oid === base.oid) return { kind: 'merged', mode, body: await content(theirs) };
  const bodies = { base: await content(base), mine: await content(mine), theirs: await content(theirs) };
  if (Object.values(bodies).some(isBinary))
    return conflict('You changed it, and it is not text that could be merged.');
  const body = await mergeBodies(store, bodies, signal);
  return body === null
    ? conflict('You changed the same lines that the restore would change.')
    : { kind: 'merged', mode, body };
}
