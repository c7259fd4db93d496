// Gathers what a plan is made of: what the task's own steps changed, the target, the present, merges.
// Owns: reading. Does not own: deciding (plan.ts). Invariant: only merged contents are written, as objects that no ref
// names; the workspace and the refs stay as they are.
import type { SnapshotId } from '../../shared/ids';
import type { RelPath } from '../../shared/rel-path';
import { coveredBy, earliestSince, skippedMap } from './coverage';
import type { Cancel, ConflictChoices, EntryState, RestorePlan, RestoreScope } from './engine';
import type { Batch } from './objects';
import { makePlan, type PlanRow } from './plan';
import { type Gathering, rowOf, type Wanted } from './plan-row';
import type { Scanner } from './scan';
import { secretByName } from './secrets';
import type { Store } from './shadow-repo';
import { openSnapshot, type Snapshot } from './snapshot';
import { tipOf } from './task-ref';
import { differences, sameState, stateAt } from './view';
import { lstatInside } from './work-file';

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
