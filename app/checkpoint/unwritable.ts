// Which files of a restore cannot be written as things stand: for the error that names each of them.
// Invariant: only looks; what it says is true for this moment and decides nothing.
import fs from 'node:fs';
import type { RelPath } from '../../shared/rel-path';
import type { PlanEntry } from './engine';
import { errnoOf } from './failure';
import type { Store } from './shadow-repo';
import { lstatInside, parentsOf } from './work-file';

function isDenied(place: string | Buffer): boolean {
  try {
    fs.accessSync(place, fs.constants.W_OK | fs.constants.X_OK);
    return false;
  } catch (thrown) {
    const code = errnoOf(thrown);
    return code === 'EACCES' || code === 'EPERM' || code === 'EROFS';
  }
}

/** The entries whose folder, or the nearest one above it that is there, may not be written. */
export function unwritable(store: Store, entries: readonly PlanEntry[]): RelPath[] {
  const known = new Map<RelPath | null, boolean>();
  const denied = (folder: RelPath | null): boolean => {
    const found = known.get(folder) ?? isDenied(folder === null ? store.workspace : store.at(folder));
    known.set(folder, found);
    return found;
  };
  return entries
    .filter((e) => e.action !== 'mode')
    .filter((e) => denied(parentsOf(e.path).findLast((p) => isThere(store, p)) ?? null))
    .map((e) => e.path);
}

function isThere(store: Store, folder: RelPath): boolean {
  try {
    return lstatInside(store.at, folder)?.isDirectory() === true;
  } catch (thrown) {
    // it cannot even be looked at, so what is above it says no
    if (errnoOf(thrown) === 'EACCES') return false;
    throw thrown;
  }
}
