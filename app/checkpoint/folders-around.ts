// The folders above a restore's entries that are no entries of their own: which of them stay although they may end up
// empty, and the permission bits of those that have to be made.
// Invariant: a folder is only ever given up with proof that it was not there: the target does not have it and would
// have looked into it, or a protect recorded its absence; all others stay, empty or not.
import type { RelPath } from '../../shared/rel-path';
import { ruledOut, skippedMap, skippedReason } from './coverage';
import type { RestorePlan } from './engine';
import type { Journal } from './journal';
import { isAbsentFolder } from './record';
import type { Store } from './shadow-repo';
import { chainAfter, openSnapshot, type Snapshot } from './snapshot';
import { tipOf } from './task-ref';
import { bitsOf, isFolder, stateAt } from './view';
import { lstatInside, parentsOf } from './work-file';

type Around = Pick<Journal, 'keep' | 'keepAtRedo' | 'folders' | 'foldersAtRedo'>;

/** Of folders that a snapshot does not have, the ones that it would have had: its rules let something in them in. */
async function lookedInto(
  store: Store,
  s: Snapshot,
  below: ReadonlyMap<RelPath, RelPath[]>,
): Promise<Set<RelPath>> {
  const skipped = skippedMap(s.record.skipped);
  const asked = new Map<RelPath, RelPath[]>();
  for (const [p, removed] of below) {
    if (skippedReason(skipped, p) === null) asked.set(p, [...removed, `${p}/x` as RelPath]);
  }
  const out = await ruledOut(store, s.record, [...new Set([...asked.values()].flat())]);
  return new Set([...asked].filter(([, inside]) => inside.some((p) => !out.has(p))).map(([p]) => p));
}

/** Looks through what was captured since the target until nothing is open any more. */
async function since(
  store: Store,
  plan: RestorePlan,
  signal: AbortSignal,
  look: (s: Snapshot) => Promise<boolean>,
): Promise<void> {
  const tip = (await tipOf(store, plan.scope.taskId))?.oid ?? null;
  if (tip === null) return;
  for (const id of await chainAfter(store, plan.target, tip, signal)) {
    if (await look(await openSnapshot(store, id))) return;
  }
}

/** What of these folders was recorded first since the target: that it was there, or that it was not. */
async function absentSince(
  store: Store,
  plan: RestorePlan,
  folders: readonly RelPath[],
  signal: AbortSignal,
): Promise<Set<RelPath>> {
  const open = new Set(folders);
  const absent = new Set<RelPath>();
  if (open.size === 0) return absent;
  await since(store, plan, signal, async (s) => {
    for (const p of open) {
      if (isAbsentFolder(s.record, p)) absent.add(p);
      else if (!isFolder(await stateAt(s, p))) continue;
      open.delete(p);
    }
    return open.size === 0;
  });
  return absent;
}

/** Bits of folders that have to be made: the target's, or the first ones recorded since. */
async function bitsFor(
  store: Store,
  plan: RestorePlan,
  target: Snapshot,
  folders: readonly RelPath[],
  signal: AbortSignal,
): Promise<[RelPath, number][]> {
  const out = new Map<RelPath, number>();
  const take = async (s: Snapshot): Promise<boolean> => {
    for (const p of folders) {
      const state = out.has(p) ? null : await stateAt(s, p);
      if (state !== null && isFolder(state)) out.set(p, bitsOf(state));
    }
    return out.size === folders.length;
  };
  if (!(await take(target))) await since(store, plan, signal, take);
  return [...out].sort();
}

/** Looks at the folders above a plan's entries, as they are now and as they were. */
export async function foldersAround(
  store: Store,
  plan: RestorePlan,
  target: Snapshot,
  signal: AbortSignal,
): Promise<Around> {
  const decided = new Set(plan.entries.map((e) => e.path));
  const there: [RelPath, number][] = [];
  const missing: RelPath[] = [];
  const emptied = new Map<RelPath, RelPath[]>();
  const keep = new Set<RelPath>();
  const seen = new Set<RelPath>();
  for (const e of plan.entries) {
    for (const p of parentsOf(e.path)) {
      if (decided.has(p)) continue;
      const known = emptied.get(p);
      if (known !== undefined && e.to === null) known.push(e.path);
      if (seen.has(p)) continue;
      seen.add(p);
      const stat = lstatInside(store.at, p);
      if (stat === null) missing.push(p);
      if (stat?.isDirectory() !== true) continue;
      there.push([p, Number(stat.mode) & 0o7777]);
      if (isFolder(await stateAt(target, p))) keep.add(p);
      else if (!isAbsentFolder(target.record, p)) emptied.set(p, [e.path]);
    }
  }
  const covered = emptied.size === 0 ? new Set<RelPath>() : await lookedInto(store, target, emptied);
  const unsure = [...emptied.keys()].filter((p) => !covered.has(p));
  const absent = await absentSince(store, plan, unsure, signal);
  for (const p of unsure) if (!absent.has(p)) keep.add(p);
  return {
    keep: [...keep].sort(),
    keepAtRedo: there.map(([p]) => p).sort(),
    folders: missing.length === 0 ? [] : await bitsFor(store, plan, target, missing, signal),
    foldersAtRedo: there.sort(),
  };
}
