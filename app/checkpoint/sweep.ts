// Removes what crashes left: temporary files, staging folders, locks of git commands that were killed.
// Invariant: nothing is removed that a live process may still be using. What is only made under the store's lock goes
// as soon as the lock is held; all else when it has been lying there for an hour.
import fs from 'node:fs';
import path from 'node:path';
import type { RelPath } from '../../shared/rel-path';
import { TEMPORARY_SUFFIX } from '../../shared/temporary';
import { isAbsent } from './failure';
import type { Store } from './shadow-repo';
import { STAGE_PREFIX } from './stage';
import { lstatInside, nameBytes, parentOf } from './work-file';

const BESIDE = new RegExp(`\\.[0-9a-f]{12}${TEMPORARY_SUFFIX.replace('.', '\\.')}$`);
const OLD_MS = 60 * 60 * 1000;
/** Folders of one look, one merge, one question about rules (mkdtemp adds to these). */
const PASSING = /^(look|merge|rules)-/;

function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch (thrown) {
    if (isAbsent(thrown)) return [];
    throw thrown;
  }
}

function removeIn(folder: string, wanted: (name: string) => boolean, olderThanMs: number): void {
  for (const name of namesIn(folder).filter(wanted)) {
    const at = path.join(folder, name);
    const stat = fs.lstatSync(at, { throwIfNoEntry: false });
    if (stat !== undefined && Date.now() - stat.mtimeMs >= olderThanMs)
      fs.rmSync(at, { recursive: true, force: true });
  }
}

const isTemporary = (name: string): boolean => name.endsWith(TEMPORARY_SUFFIX);

/** For whoever opens the store: what is too old to be in use. */
export function sweepOld(store: Store): void {
  const { gitDir, folder } = store;
  for (const at of [gitDir, path.join(gitDir, 'objects', 'pack'), path.join(gitDir, 'info')])
    removeIn(at, isTemporary, OLD_MS);
  removeIn(path.join(gitDir, 'tidemark'), (n) => PASSING.test(n), OLD_MS);
  const making = `${path.basename(folder)}.making-`;
  removeIn(path.dirname(folder), (n) => n.startsWith(making), OLD_MS);
}

/** Copies that a restore put beside its files, where the workspace spans volumes, and did not come to rename. */
export function sweepBeside(store: Store, paths: readonly RelPath[]): void {
  for (const p of new Set(paths.map(parentOf))) {
    const folder = p === null ? store.workspace : store.at(p);
    if (p !== null && lstatInside(store.at, p)?.isDirectory() !== true) continue;
    for (const name of fs.readdirSync(folder, { encoding: 'buffer' }).map(nameBytes)) {
      if (!BESIDE.test(name)) continue;
      fs.rmSync(store.at((p === null ? name : `${p}/${name}`) as RelPath), { force: true });
    }
  }
}

/** For whoever holds the lock: what only a holder makes. */
export function sweepHeld(store: Store): void {
  const { gitDir, folder, workspace } = store;
  removeIn(folder, isTemporary, 0);
  removeIn(workspace, (n) => n.startsWith(`.${STAGE_PREFIX}`) && isTemporary(n), 0);
  // refs move under the lock alone, so a lock of git's own was left by one that was killed
  const isLock = (n: string): boolean => n.endsWith('.lock');
  removeIn(gitDir, isLock, 0);
  removeIn(path.join(gitDir, 'refs', 'tidemark', 't'), isLock, 0);
}
