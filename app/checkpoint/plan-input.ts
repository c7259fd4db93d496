// Gathers what a plan is made of: what the task's own steps changed, the target, the present, merges.
// Owns: reading. Does not own: deciding (plan.ts). Invariant: only merged contents are written, as objects that no ref
// names; the workspace and the refs stay as they are.
import type { SnapshotId } from '../../shared/ids';
import { type RelPath, relPathToText } from '../../shared/rel-path';
import { coveredBy, earliestSince, skippedMap } from './coverage';
import type { Cancel, ConflictChoices, EntryState, RestorePlan, RestoreScope } from './engine';
import type { Batch } from './objects';
import { makePlan, type PlanRow } from './plan';
import { type Gathering, rowOf, type Wanted } from './plan-row';
import type { Scanner } from './scan';
import { secretByName, secretReason } from './secrets';
import type { Store } from './shadow-repo';
import { chainAfter, openSnapshot, type Snapshot } from './snapshot';
import { tipOf } from './task-ref';
import { type Difference, differences, isFolder, sameState, stateAt } from './view';
import { lstatInside, parentOf } from './work-file';

/** True for an empty folder that came or went with the folder around it, in which recorded paths came or went. */
async function wentAlong(
  path: RelPath,
  d: Difference,
  only: ReadonlySet<RelPath>,
  before: Snapshot,
  after: Snapshot,
): Promise<boolean> {
  const folder = parentOf(path);
  if (folder === null || !isFolder(d.from ?? d.to) || (d.from !== null && d.to !== null)) return false;
  if ((await stateAt(d.from === null ? before : after, folder)) !== null) return false;
  return [...only].some((p) => p.startsWith(`${folder}/`));
}

/** Paths outside the rules that were protected within a step: the snapshots at its ends may know nothing of them. */
async function protectedIn(
  store: Store,
  step: RestoreScope['steps'][number],
  before: Snapshot,
  signal: AbortSignal,
): Promise<RelPath[]> {
  const out = new Set<RelPath>();
  for (const id of (await chainAfter(store, step.before, step.after, signal)).slice(0, -1)) {
    const between = await openSnapshot(store, id);
    for (const p of between.record.rules.forced) {
      if (!before.record.rules.forced.has(p) && !p.endsWith('/')) out.add(p);
    }
  }
  return [...out];
}

/**
 * Every path that the task's steps changed, with its state after the last of them. A recorded path that both ends of
 * its step do not have is one of them: what the rules leave out is in no snapshot until it is protected.
 */
async function ownPaths(
  store: Store,
  scope: RestoreScope,
  signal: AbortSignal,
): Promise<Map<RelPath, EntryState | null>> {
  const own = new Map<RelPath, EntryState | null>();
  const batch = store.objects.batch();
  for (const step of scope.steps) {
    if (step.before === step.after) continue;
    const only = step.only === null ? null : new Set(step.only);
    const [before, after] = [
      await openSnapshot(store, step.before, batch),
      await openSnapshot(store, step.after, batch),
    ];
    for (const [path, d] of await differences(before, after)) {
      if (only === null || only.has(path) || (await wentAlong(path, d, only, before, after)))
        own.set(path, await stateAt(after, path));
    }
    const recorded = step.only ?? (await protectedIn(store, step, before, signal));
    for (const path of recorded) {
      const absent = (await stateAt(before, path)) === null && (await stateAt(after, path)) === null;
      if (absent) own.set(path, null);
    }
  }
  return own;
}

/** What the restore wants at paths that the target does not hold. */
async function absences(g: Gathering, paths: readonly RelPath[]): Promise<Map<RelPath, Wanted>> {
  const out = new Map<RelPath, Wanted>();
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

/** Own paths of which nothing is there, then, now or captured since, although a tool of the step changed them. */
async function lostSources(g: Gathering, absent: ReadonlyMap<RelPath, Wanted>): Promise<Set<RelPath>> {
  const out = new Set<RelPath>();
  for (const p of g.own.keys()) {
    if (absent.get(p) !== 'unknown') continue;
    if ((await stateAt(g.present, p)) === null && lstatInside(g.store.at, p) === null) out.add(p);
  }
  return out;
}

/** Leaves alone what may be the moved content of a file that is not put back: removing it would remove the only copy. */
async function sparingCopies(
  g: Gathering,
  rows: readonly PlanRow[],
  absent: ReadonlyMap<RelPath, Wanted>,
): Promise<PlanRow[]> {
  const lost = await lostSources(g, absent);
  const kept = new Map<string, RelPath>();
  for (const [p, found] of absent) {
    if (found === null || found === 'unknown' || found.oid === null) continue;
    const row = rows.find((r) => r.path === p);
    const there = (await stateAt(g.present, p))?.oid === found.oid;
    if (!there && (row === undefined || row.obstacle !== null)) kept.set(found.oid, p);
  }
  const beside = new Map<RelPath, RelPath>();
  for (const { only } of g.scope.steps) {
    const source = only?.find((p) => lost.has(p));
    if (source !== undefined) for (const p of only ?? []) if (p !== source) beside.set(p, source);
  }
  return rows.map((r) => {
    if (r.wanted !== null || r.present?.oid == null || r.obstacle !== null) return r;
    const source = kept.get(r.present.oid) ?? beside.get(r.path);
    if (source === undefined) return r;
    const name = relPathToText(source).path;
    return { ...r, obstacle: `it may hold what was in ${name}, which cannot be put back`, edited: null };
  });
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
  const own = await ownPaths(store, scope, signal);
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
    if (then === null) missing.push(p);
    if (!sameState(then, now)) paths.push(p);
  }
  const absent = await absences(g, missing);
  // neither then nor now in a snapshot, but captured in between
  for (const p of missing) {
    const found = absent.get(p) ?? null;
    if (found !== null && found !== 'unknown' && !paths.includes(p)) paths.push(p);
  }
  const mergeBatch = store.objects.batch();
  const rows: PlanRow[] = [];
  for (const p of paths) {
    const row = await rowOf(g, p, absent, mergeBatch);
    // a folder of which nothing was known goes with what is in it, or stays
    if (absent.get(p) !== 'unknown' || !isFolder(row.present)) rows.push(row);
  }
  return { g, rows: await sparingCopies(g, rows, absent), mergeBatch };
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
    return why === null ? [] : [{ path, why: secretReason(why) }];
  });
  return makePlan({ target: targetId, scope, choices: o.choices ?? null, rows: found.rows, others, never });
}
