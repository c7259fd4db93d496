// Gathers what a plan is made of: what the task's own steps changed, the target, the present, merges.
// Owns: reading. Does not own: deciding (plan.ts). Invariant: only merged contents are written, as objects that no ref
// names; the workspace and the refs stay as they are.
import fs from 'node:fs';
import type { SnapshotId } from '../../shared/ids';
import type { RelPath } from '../../shared/rel-path';
import { coveredBy, earliestSince, skippedMap, skippedReason } from './coverage';
import type { Cancel, ConflictChoices, EntryState, RestorePlan, RestoreScope } from './engine';
import { errnoOf, isAbsent } from './failure';
import { mergeFile } from './merge';
import type { Batch } from './objects';
import { makePlan, type PlanRow } from './plan';
import type { Present, Scanner } from './scan';
import { secretByName } from './secrets';
import { type Store, tipOf } from './shadow-repo';
import { openSnapshot, type Snapshot } from './snapshot';
import { type Difference, differences, isFolder, sameState, stateAt } from './view';
import { lstatInside, nameBytes, parentsOf } from './work-file';

type Gathering = {
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

/** Every path that the task's steps changed, with its state after the last of them. */
async function ownPaths(store: Store, scope: RestoreScope): Promise<Map<RelPath, EntryState | null>> {
  const own = new Map<RelPath, EntryState | null>();
  const batch = store.objects.batch();
  for (const step of scope.steps) {
    if (step.before === step.after) continue;
    const only = step.only === null ? null : new Set(step.only);
    const [before, after] = [
      await openSnapshot(store, step.before, batch),
      await openSnapshot(store, step.after, batch),
    ];
    for (const path of (await differences(before, after)).keys()) {
      if (only === null || only.has(path)) own.set(path, await stateAt(after, path));
    }
  }
  return own;
}

/** What the restore wants at paths that the target does not hold. */
async function absences(
  g: Gathering,
  paths: readonly RelPath[],
): Promise<Map<RelPath, EntryState | null | 'unknown'>> {
  const out = new Map<RelPath, EntryState | null | 'unknown'>();
  const covered = await coveredBy(g.store, g.target, paths);
  const uncovered = paths.filter((p) => !covered.has(p));
  const tip = (await tipOf(g.store, g.scope.taskId))?.oid ?? null;
  const earliest = await earliestSince(g.store, { target: g.target.id, tip, signal: g.signal }, uncovered);
  for (const p of covered) out.set(p, null);
  for (const p of uncovered) {
    const found = earliest.get(p);
    out.set(p, found?.known === true ? found.state : 'unknown');
  }
  return out;
}

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
  if (isFolder(present) && isFolder(base)) return sameState(base, wanted) ? { keep: true } : null;
  if (sameState(base, wanted)) return { keep: true };
  const content = (s: EntryState): Promise<Buffer> => g.batch.readBlob(s.oid ?? '');
  const merged = await mergeFile(g.store, { base, mine: present, theirs: wanted }, content, g.signal);
  if (merged.kind === 'conflict') return { conflict: merged.reason };
  return { merged: { mode: merged.mode, oid: mergeBatch.write('blob', merged.body) } };
}

async function rowOf(
  g: Gathering,
  path: RelPath,
  absent: ReadonlyMap<RelPath, EntryState | null | 'unknown'>,
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
  const mayTouch = g.scope.kind === 'workspace' ? () => true : (p: RelPath) => g.own.has(p);
  const wantedParents = (await states(g.target)).map((s, i) => (mayTouch(parents[i] ?? path) ? s : null));
  const obstacle =
    (known === 'unknown' ? 'it was not covered then, and nothing of it was captured since' : null) ??
    skipped ??
    unseenObstacle(g.store, path, present, wanted) ??
    (wanted === null ? null : parentObstacle(await states(g.present), wantedParents));
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

/** Paths that the restore would bring back although something uncaptured stands there. */
function unseen(store: Store, rows: readonly PlanRow[]): RelPath[] {
  return rows
    .filter(
      (r) =>
        r.present === null &&
        r.wanted !== null &&
        r.obstacle === null &&
        lstatInside(store.at, r.path) !== null,
    )
    .map((r) => r.path);
}

async function gather(
  store: Store,
  scanner: Scanner,
  target: Snapshot,
  scope: RestoreScope,
  signal: AbortSignal,
  touched: readonly RelPath[],
): Promise<{ g: Gathering; rows: PlanRow[]; mergeBatch: Batch }> {
  const batch = store.objects.batch();
  const present = await scanner.scan({ batch, signal, touched });
  const own = await ownPaths(store, scope);
  const different = await differences(target, present);
  const skipped = skippedMap(present.record.skipped);
  const g: Gathering = { store, scope, target, present, batch, own, different, skipped, signal };
  const wanted =
    scope.kind === 'workspace' ? new Set([...own.keys(), ...different.keys()]) : new Set(own.keys());
  const limit = scope.only === undefined ? null : new Set(scope.only);
  const paths: RelPath[] = [];
  const missing: RelPath[] = [];
  for (const p of wanted) {
    if (limit?.has(p) === false) continue;
    const [then, now] = [await stateAt(target, p), await stateAt(present, p)];
    if (sameState(then, now)) continue;
    paths.push(p);
    if (then === null) missing.push(p);
  }
  const absent = await absences(g, missing);
  const mergeBatch = store.objects.batch();
  const rows: PlanRow[] = [];
  for (const p of paths) rows.push(await rowOf(g, p, absent, mergeBatch));
  return { g, rows, mergeBatch };
}

/** Plans a restore. @throws snapshot-missing */
export async function planRestore(
  c: { readonly store: Store; readonly scanner: Scanner },
  targetId: SnapshotId,
  scope: RestoreScope,
  o: Cancel & { readonly choices?: ConflictChoices },
): Promise<RestorePlan> {
  const target = await openSnapshot(c.store, targetId);
  let found = await gather(c.store, c.scanner, target, scope, o.signal, []);
  const hidden = unseen(c.store, found.rows);
  if (hidden.length > 0) found = await gather(c.store, c.scanner, target, scope, o.signal, hidden);
  await found.mergeBatch.flush();
  const { own, different } = found.g;
  const limit = scope.only === undefined ? null : new Set(scope.only);
  const kept = (p: RelPath): boolean => !own.has(p) && limit?.has(p) !== false;
  const others = scope.kind === 'task' ? [...different.keys()].filter(kept) : [];
  const recorded = new Set(scope.steps.flatMap((s) => s.only ?? []));
  const never = [...recorded].flatMap((path) => {
    const why = limit?.has(path) === false ? null : secretByName(path);
    return why === null ? [] : [{ path, why: `a secret is never captured: ${why}` }];
  });
  return makePlan({ target: targetId, scope, choices: o.choices ?? null, rows: found.rows, others, never });
}
