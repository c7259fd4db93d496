// What is to be known of one path before a restore can be decided: what it wants, what stands there, what is in its
// way, and what hand edits come to. Owns: reading these. Does not own: deciding (plan.ts).
import fs from 'node:fs';
import type { RelPath } from '../../shared/rel-path';
import { skippedReason } from './coverage';
import type { EntryState, RestoreScope } from './engine';
import { errnoOf, isAbsent } from './failure';
import { mergeFile } from './merge';
import type { Batch } from './objects';
import type { PlanRow } from './plan';
import type { Present } from './scan';
import type { Store } from './shadow-repo';
import type { Snapshot } from './snapshot';
import { type Difference, isFolder, sameState, stateAt } from './view';
import { lstatInside, nameBytes, parentsOf } from './work-file';

/** `unknown`: the target says nothing of the path, and nothing was captured since. */
export type Wanted = EntryState | null | 'unknown';

export type Gathering = {
  readonly store: Store;
  readonly scope: RestoreScope;
  readonly target: Snapshot;
  readonly present: Present;
  readonly batch: Batch;
  /** own paths with what the task last left there */
  readonly own: ReadonlyMap<RelPath, EntryState | null>;
  readonly different: ReadonlyMap<RelPath, Difference>;
  /** what the present leaves out, and why */
  readonly skipped: ReadonlyMap<RelPath, string>;
  readonly signal: AbortSignal;
};

/** Everything on disk below a folder that stands in the way of removing it: files and empty folders. */
function listBelow(store: Store, p: RelPath): RelPath[] {
  const out: RelPath[] = [];
  const walk = (folder: RelPath): void => {
    const entries = fs.readdirSync(store.at(folder), {
      withFileTypes: true,
      encoding: 'buffer',
    }) as unknown as fs.Dirent<Buffer>[];
    if (entries.length === 0 && folder !== p) out.push(folder);
    for (const e of entries) {
      const path = `${folder}/${nameBytes(e.name)}` as RelPath;
      if (e.isDirectory()) walk(path);
      else out.push(path);
    }
  };
  try {
    walk(p);
  } catch (thrown) {
    // what cannot be looked into cannot be removed either
    out.push(p);
    if (!isAbsent(thrown) && errnoOf(thrown) !== 'EACCES') throw thrown;
  }
  return out;
}

/** Why a path cannot be written although its own state is known: something above it is not a folder, and stays. */
function parentObstacle(
  parents: readonly (EntryState | null)[],
  wantedParents: readonly (EntryState | null)[],
): string | null {
  const blocking = parents.some((s, i) => s !== null && !isFolder(s) && !isFolder(wantedParents[i] ?? null));
  return blocking ? 'a folder above it is now a link or a file that the restore leaves alone' : null;
}

/** Why a path cannot be written although no snapshot knows of anything there: what stands there is never captured. */
function unseenObstacle(
  store: Store,
  path: RelPath,
  present: EntryState | null,
  wanted: EntryState | null,
): string | null {
  if (present !== null || wanted === null || isFolder(wanted)) return null;
  const stat = lstatInside(store.at, path);
  return stat === null || stat.isFile() || stat.isSymbolicLink()
    ? null
    : 'something stands in its place that the rules leave out';
}

/** Why a path cannot be written although nothing is known of what lies above it: no snapshot holds that. */
function unseenParentObstacle(
  store: Store,
  parents: readonly RelPath[],
  states: readonly (EntryState | null)[],
): string | null {
  const blocking = parents.some(
    (p, i) => states[i] === null && lstatInside(store.at, p)?.isDirectory() === false,
  );
  return blocking ? 'a file that the rules leave out stands where its folder was' : null;
}

async function editedState(
  g: Gathering,
  path: RelPath,
  present: EntryState | null,
  wanted: EntryState | null,
  mergeBatch: Batch,
): Promise<PlanRow['edited']> {
  if (!g.own.has(path)) return null;
  const base = g.own.get(path) ?? null;
  if (sameState(present, base)) return null;
  // what is in a folder is judged path by path; its bits are kept unless the restore changes them
  const whole = g.scope.kind === 'workspace';
  if (isFolder(present) && isFolder(base)) return !whole && sameState(base, wanted) ? { keep: true } : null;
  if (sameState(base, wanted)) {
    // the whole workspace goes back, hand edits too, but not without asking
    return whole
      ? { conflict: 'You changed it, and the whole workspace is restored.', base }
      : { keep: true };
  }
  const content = (s: EntryState): Promise<Buffer> => g.batch.readBlob(s.oid ?? '');
  const merged = await mergeFile(g.store, { base, mine: present, theirs: wanted }, content, g.signal);
  if (merged.kind === 'conflict') return { conflict: merged.reason, base };
  return { merged: { mode: merged.mode, oid: mergeBatch.write('blob', merged.body) } };
}

/** True for a path that the caller wants left as it is, and for what lies below one. */
const isLeftOut = ({ without }: RestoreScope, path: RelPath): boolean =>
  without?.some((w) => path === w || path.startsWith(`${w}/`)) === true;

/** Finds out about one path. */
export async function rowOf(
  g: Gathering,
  path: RelPath,
  absent: ReadonlyMap<RelPath, Wanted>,
  mergeBatch: Batch,
): Promise<PlanRow> {
  const present = await stateAt(g.present, path);
  const known = (await stateAt(g.target, path)) ?? absent.get(path) ?? null;
  const wanted = known === 'unknown' ? null : known;
  const skipped = skippedReason(g.skipped, path);
  const parents = parentsOf(path);
  const states = (view: Present | Snapshot): Promise<(EntryState | null)[]> =>
    Promise.all(parents.map((p) => stateAt(view, p)));
  // a parent gives way only when the restore may touch it
  const mayTouch = (p: RelPath): boolean =>
    !isLeftOut(g.scope, p) && (g.scope.kind === 'workspace' || g.own.has(p));
  const wantedParents = (await states(g.target)).map((s, i) => (mayTouch(parents[i] ?? path) ? s : null));
  const presentParents = await states(g.present);
  const obstacle =
    (isLeftOut(g.scope, path) ? 'left as it is, as you chose' : null) ??
    (known === 'unknown' ? 'it was not covered then, and nothing of it was captured since' : null) ??
    skipped ??
    unseenObstacle(g.store, path, present, wanted) ??
    (wanted === null
      ? null
      : (parentObstacle(presentParents, wantedParents) ??
        unseenParentObstacle(g.store, parents, presentParents)));
  const edited = obstacle === null ? await editedState(g, path, present, wanted, mergeBatch) : null;
  const givesWay = isFolder(present) && !isFolder(wanted);
  return {
    path,
    own: g.own.has(path),
    wanted,
    present,
    obstacle,
    edited,
    below: givesWay ? listBelow(g.store, path) : [],
  };
}
