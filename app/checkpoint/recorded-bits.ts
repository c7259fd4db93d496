// What of the permission bits and folders goes into a snapshot's record. Pure.
import type { RelPath } from '../../shared/rel-path';
import type { Defaults, Record } from './record';
import { type Cached, countBelow, type StatCache } from './stat-cache';
import type { Walk } from './walk';
import { lstatInside, parentOf, parentsOf, type WorkPath } from './work-file';

function majority(counts: Map<number, number>, otherwise: number): number {
  return [...counts].sort(([a, x], [b, y]) => y - x || a - b)[0]?.[0] ?? otherwise;
}

/** The most frequent bits of the first scan are the defaults from then on, so that the record stays small. */
export function defaultsOf(edits: ReadonlyMap<RelPath, Cached | null>, walk: Walk): Defaults {
  const [file, program, folder] = [
    new Map<number, number>(),
    new Map<number, number>(),
    new Map<number, number>(),
  ];
  const count = (m: Map<number, number>, bits: number): void => void m.set(bits, (m.get(bits) ?? 0) + 1);
  for (const c of edits.values()) {
    if (c === null || (c.mode & 0o170000) === 0o120000) continue;
    count((c.mode & 0o100) === 0 ? file : program, c.mode & 0o7777);
  }
  for (const bits of walk.folders.values()) count(folder, bits);
  return { file: majority(file, 0o644), program: majority(program, 0o755), folder: majority(folder, 0o755) };
}

/** Folders that no captured file stands for, and folders with bits of their own. */
export function foldersToRecord(
  cache: StatCache,
  edits: ReadonlyMap<RelPath, Cached | null>,
  walk: Walk,
  usual: number,
): Record['folders'] {
  const change = new Map<RelPath, number>();
  for (const [p, c] of edits)
    if (cache.files.has(p) !== (c !== null)) countBelow(change, p, c === null ? -1 : 1);
  // a folder that holds another one is implied by that
  const holding = new Set([...walk.folders.keys()].map(parentOf));
  const out = new Map<RelPath, { bits: number; empty: boolean }>();
  for (const [p, bits] of walk.folders) {
    const empty = (cache.below.get(p) ?? 0) + (change.get(p) ?? 0) === 0;
    if ((empty && !holding.has(p)) || bits !== usual) out.set(p, { bits, empty });
  }
  return out;
}

/** Bits of folders that the walk does not enter although files in them are captured, where they are not the usual ones. */
export function unwalkedFolders(
  at: WorkPath,
  files: Iterable<RelPath>,
  walk: Walk,
  usual: number,
): Record['folders'] {
  const out = new Map<RelPath, { bits: number; empty: boolean }>();
  const seen = new Set<RelPath>();
  for (const f of files) {
    for (const p of parentsOf(f)) {
      if (seen.has(p) || walk.folders.has(p)) continue;
      seen.add(p);
      const stat = lstatInside(at, p);
      const bits = Number(stat?.mode) & 0o7777;
      if (stat?.isDirectory() === true && bits !== usual) out.set(p, { bits, empty: false });
    }
  }
  return out;
}

/** The folders above these paths that are not there. */
export function absentFolders(at: WorkPath, paths: readonly RelPath[]): RelPath[] {
  return [...new Set(paths.flatMap(parentsOf))].filter((p) => lstatInside(at, p) === null);
}
