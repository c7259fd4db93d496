// What stands at a path on disk just now, in the words of a plan.
// Invariant: the content is read and hashed, not guessed from times: this is the last look before a file is replaced.
import fs from 'node:fs';
import type { RelPath } from '../../shared/rel-path';
import type { EntryState } from './engine';
import { objectId } from './pack';
import type { Store } from './shadow-repo';
import { isFolder, sameState } from './view';
import { lstatInside, nameBytes, parentOf, readStill } from './work-file';

/** Anything that a plan has no word for: a pipe, an unreadable file, one that keeps changing. */
export const OTHER = 'other';

const octal = (mode: bigint): string => (Number(mode) & 0o177777).toString(8).padStart(6, '0');

/** False on a file system that takes `Readme` for `README` when only the other one is there. */
function isSpelledSo(store: Store, p: RelPath): boolean {
  const parent = parentOf(p);
  const folder = parent === null ? store.workspace : store.at(parent);
  const name = p.slice(p.lastIndexOf('/') + 1);
  return fs.readdirSync(folder, { encoding: 'buffer' }).some((n) => nameBytes(n) === name);
}

/** The state on disk. `expected` null: a file of another spelling counts as absent. */
export function diskState(
  store: Store,
  p: RelPath,
  expected: EntryState | null,
): EntryState | null | typeof OTHER {
  const stat = lstatInside(store.at, p);
  if (stat === null || (expected === null && !isSpelledSo(store, p))) return null;
  if (stat.isDirectory()) return { mode: octal(stat.mode), oid: null };
  if (!stat.isFile() && !stat.isSymbolicLink()) return OTHER;
  const read = readStill(store.at, p);
  if (read.kind === 'gone') return null;
  if (read.kind !== 'read') return OTHER;
  const oid = objectId('blob', read.body);
  return { mode: read.stat.isSymbolicLink() ? '120000' : octal(read.stat.mode), oid };
}

/**
 * True when the disk holds the expected state. Of a folder only its being there counts; a folder that no snapshot
 * speaks of (the rules leave it out) is no obstacle to making one there.
 */
export function holds(
  store: Store,
  p: RelPath,
  expected: EntryState | null,
  next: EntryState | null,
): boolean {
  const found = diskState(store, p, expected);
  if (expected === null && found !== OTHER && isFolder(found) && isFolder(next)) return true;
  if (found === OTHER) return false;
  return (isFolder(found) && isFolder(expected)) || sameState(found, expected);
}
