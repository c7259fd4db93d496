// What differs between two moments, as the diff viewer and the command line list it.
// Owns: kinds of change. Does not own: line counts and renames (counts.ts), comparing itself (view.ts).
import type { RelPath } from '../../shared/rel-path';
import type { EngineChange, EntryState } from './engine';
import { type Difference, isFolder, isLink } from './view';

const kindOfThing = (s: EntryState): string => (isFolder(s) ? 'folder' : isLink(s) ? 'link' : 'file');

function kindOf(d: Difference): EngineChange['kind'] {
  if (d.from === null) return 'added';
  if (d.to === null) return 'deleted';
  if (kindOfThing(d.from) !== kindOfThing(d.to)) return 'type';
  return d.from.oid === d.to.oid ? 'mode' : 'modified';
}

/** One change without counts. */
export function changeOf(path: RelPath, d: Difference): EngineChange {
  return {
    path,
    kind: kindOf(d),
    ...(d.from === null ? {} : { oldMode: d.from.mode }),
    ...(d.to === null ? {} : { newMode: d.to.mode }),
    added: null,
    removed: null,
    binary: false,
  };
}

export type Count = {
  readonly added: number | null;
  readonly removed: number | null;
  readonly binary: boolean;
};
export type Rename = { readonly from: RelPath; readonly to: RelPath; readonly similarity: number };

/** Adds counts by path, and joins an addition and a deletion that are one rename. Sorted by path. */
export function withCounts(
  differences: ReadonlyMap<RelPath, Difference>,
  counts: ReadonlyMap<RelPath, Count>,
  renames: readonly Rename[],
): EngineChange[] {
  const none: Count = { added: 0, removed: 0, binary: false };
  const changes = new Map<RelPath, EngineChange>();
  for (const [path, d] of differences)
    changes.set(path, { ...changeOf(path, d), ...(counts.get(path) ?? none) });
  for (const r of renames) {
    const [from, to] = [changes.get(r.from), changes.get(r.to)];
    if (from?.kind !== 'deleted' || to?.kind !== 'added') continue;
    changes.delete(r.from);
    const oldMode = from.oldMode === undefined ? {} : { oldMode: from.oldMode };
    changes.set(r.to, { ...to, ...oldMode, kind: 'renamed', oldPath: r.from, similarity: r.similarity });
  }
  return [...changes.values()].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}
