// What a snapshot's absence of a path means: it was not there (the rules of then would have captured it), or nothing
// is known of it. Owns: judging paths by a snapshot's recorded rules, and finding the earliest content since.
// Invariant: "covered" is only said with proof; in doubt a path counts as not covered, and nothing of it is deleted.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { SnapshotId } from '../../shared/ids';
import type { RelPath } from '../../shared/rel-path';
import type { EntryState, Skipped } from './engine';
import { isNeverCaptured } from './exclusions';
import { gitPlace } from './git';
import type { Record } from './record';
import { makeRulesFolder, openRuleCheck, type RuleLayer } from './rule-check';
import { secretByName } from './secrets';
import type { Store } from './shadow-repo';
import { chainAfter, openSnapshot, type Snapshot } from './snapshot';
import { isFolder, stateAt } from './view';
import { parentsOf, workPaths } from './work-file';

/** Why a snapshot left a path out, by its own list; null: it did not. Pure. */
export function skippedReason(skipped: ReadonlyMap<RelPath, string>, p: RelPath): string | null {
  for (const at of [...parentsOf(p), p]) {
    const why = skipped.get(at);
    if (why !== undefined) return why;
  }
  return null;
}

export const skippedMap = (list: readonly Skipped[]): Map<RelPath, string> =>
  new Map(list.map((s) => [s.path, s.why]));

/** Lays recorded ignore files out below a folder, so that git can read them there. */
async function layOut(store: Store, top: string, files: Iterable<readonly [string, string]>): Promise<void> {
  const at = workPaths(top);
  mkdirSync(top, { recursive: true });
  for (const [file, oid] of files) {
    for (const parent of parentsOf(file as RelPath)) mkdirSync(at(parent), { recursive: true });
    writeFileSync(at(file as RelPath), (await store.objects.read(oid)).body);
  }
}

async function recordedLayer(
  store: Store,
  folder: string,
  exclude: string,
  files: Iterable<readonly [string, string]>,
  prefix: string,
): Promise<RuleLayer> {
  const [gitDir, workTree] = [path.join(folder, 'rules'), path.join(folder, 'work')];
  makeRulesFolder(gitDir, { exclude, attributes: '' });
  await layOut(store, workTree, files);
  return {
    place: gitPlace({ program: store.program, cwd: workTree, home: store.home, gitDir, workTree }),
    prefix,
  };
}

/** Of these paths, the ones that the recorded rules leave out. */
export async function ruledOut(
  store: Store,
  { rules }: Record,
  paths: readonly RelPath[],
): Promise<Set<RelPath>> {
  const folder = mkdtempSync(path.join(store.gitDir, 'tidemark', 'rules-'));
  try {
    const layers = [
      await recordedLayer(store, path.join(folder, 'inner'), rules.exclude, rules.ignoreFiles, ''),
    ];
    if (rules.outer !== null) {
      const { exclude, ignoreFiles, prefix } = rules.outer;
      const inside = [...rules.ignoreFiles].map(([p, oid]) => [`${prefix}${p}`, oid] as const);
      layers.push(
        await recordedLayer(store, path.join(folder, 'outer'), exclude, [...ignoreFiles, ...inside], prefix),
      );
    }
    const check = openRuleCheck(layers);
    try {
      return await check.leftOut(paths);
    } finally {
      await check.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** True when the snapshot holds a file or a link where a folder above the path would have to be: it was not there. */
async function liesBelowFile(snapshot: Snapshot, p: RelPath): Promise<boolean> {
  for (const parent of parentsOf(p)) {
    const state = await stateAt(snapshot, parent);
    if (state !== null && !isFolder(state)) return true;
  }
  return false;
}

/** Of these paths, the ones that the snapshot would have held if they had been there. */
export async function coveredBy(
  store: Store,
  snapshot: Snapshot,
  paths: readonly RelPath[],
): Promise<Set<RelPath>> {
  const { record } = snapshot;
  const skipped = skippedMap(record.skipped);
  const open = paths.filter(
    (p) => !isNeverCaptured(p) && secretByName(p) === null && skippedReason(skipped, p) === null,
  );
  const below = new Set<RelPath>();
  for (const p of open) if (await liesBelowFile(snapshot, p)) below.add(p);
  const asked = open.filter((p) => !record.rules.forced.has(p) && !below.has(p));
  const out = asked.length === 0 ? new Set<RelPath>() : await ruledOut(store, record, asked);
  return new Set(open.filter((p) => !out.has(p)));
}

/** `known: false`: nothing was captured since. A null state: it was recorded as absent before anything was. */
export type Earliest =
  | { readonly known: true; readonly state: EntryState | null }
  | { readonly known: false };

/** The earliest thing captured since a snapshot, for paths that it did not cover. */
export async function earliestSince(
  store: Store,
  o: { readonly target: SnapshotId; readonly tip: string | null; readonly signal: AbortSignal },
  paths: readonly RelPath[],
): Promise<Map<RelPath, Earliest>> {
  const out = new Map<RelPath, Earliest>();
  if (paths.length === 0 || o.tip === null) return out;
  for (const id of await chainAfter(store, o.target, o.tip, o.signal)) {
    const snapshot = await openSnapshot(store, id);
    for (const p of paths) {
      if (out.has(p)) continue;
      const state = await stateAt(snapshot, p);
      if (state !== null && !isFolder(state)) out.set(p, { known: true, state });
      else if (snapshot.record.rules.forced.has(p)) out.set(p, { known: true, state: null });
    }
    if (out.size === paths.length) break;
  }
  return out;
}
