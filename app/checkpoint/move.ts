// Carries out staged entries in the workspace: removals first, then folders, then contents, then permission bits, then
// folders that the removals emptied.
// Owns: the order, and staying inside real folders. Does not own: whether it may (apply.ts), undoing (apply.ts).
// Invariants: contents arrive by rename, so a file is old or new, never in between; a folder is only ever removed
// when it is empty; nothing is reached through a link.
import fs from 'node:fs';
import { TidemarkError } from '../../shared/errors';
import { type RelPath, relPathToText } from '../../shared/rel-path';
import { syncFolders } from './durable';
import type { PlanEntry } from './engine';
import { errnoOf, isAbsent } from './failure';
import type { Store } from './shadow-repo';
import { needsContent, placeStaged, type Stage } from './stage';
import { bitsOf, isFolder } from './view';
import { lstatInside, nameBytes, parentsOf } from './work-file';

export type Move = {
  readonly store: Store;
  readonly entries: readonly PlanEntry[];
  readonly stage: Stage;
  /** what is gone when all is done, be it by these entries or before a crash */
  readonly removed: readonly RelPath[];
  /** folders that stay although the removals empty them */
  readonly keepFolders: ReadonlySet<RelPath>;
  /** bits of folders that have to be made on the way, and the bits of one of which nothing is known */
  readonly folders: ReadonlyMap<RelPath, number>;
  readonly folderBits: number;
  /** called once for each entry that has come to its place */
  readonly moved: () => void;
};

/** A failed step, with the path that it was about. */
export class MoveError extends Error {
  readonly path: RelPath;
  constructor(path: RelPath, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.path = path;
  }
}

const deepestFirst = (a: { path: RelPath }, b: { path: RelPath }): number => (a.path < b.path ? 1 : -1);

/** Removes a folder and the empty ones in it. @throws ENOTEMPTY when anything else is there */
function removeEmptyTree(store: Store, p: RelPath): void {
  for (const e of fs.readdirSync(store.at(p), {
    withFileTypes: true,
    encoding: 'buffer',
  }) as unknown as fs.Dirent<Buffer>[]) {
    if (e.isDirectory()) removeEmptyTree(store, `${p}/${nameBytes(e.name)}` as RelPath);
  }
  fs.rmdirSync(store.at(p));
}

function clearPlace(store: Store, e: PlanEntry): void {
  const stat = lstatInside(store.at, e.path);
  if (stat === null) return;
  if (stat.isDirectory()) {
    if (!isFolder(e.to)) removeEmptyTree(store, e.path);
  } else if (e.to === null || isFolder(e.to)) fs.unlinkSync(store.at(e.path));
}

/** Makes the folders above a path. @throws path-refused when one of them is a link or a file */
function makeParents(m: Move, p: RelPath, made: Set<RelPath>): void {
  for (const parent of parentsOf(p)) {
    try {
      if (!fs.lstatSync(m.store.at(parent)).isDirectory()) {
        throw new TidemarkError('path-refused', `${relPathToText(parent).path} is not a folder any more.`);
      }
    } catch (thrown) {
      if (!isAbsent(thrown)) throw thrown;
      // private until its last bits are set, which is when all is in it
      fs.mkdirSync(m.store.at(parent), 0o700);
      made.add(parent);
    }
  }
}

function setBits(store: Store, e: PlanEntry): void {
  if (e.to === null || (!isFolder(e.to) && e.action !== 'mode')) return;
  const stat = lstatInside(store.at, e.path);
  if (stat === null || stat.isSymbolicLink())
    throw new TidemarkError('path-refused', 'It is not there any more.');
  if ((Number(stat.mode) & 0o7777) !== bitsOf(e.to)) fs.chmodSync(store.at(e.path), bitsOf(e.to));
}

/** The bits of a folder that is no entry of its own. */
function setFolderBits(m: Move, p: RelPath): void {
  const stat = lstatInside(m.store.at, p);
  const bits = m.folders.get(p) ?? m.folderBits;
  if (stat?.isDirectory() === true && (Number(stat.mode) & 0o7777) !== bits)
    fs.chmodSync(m.store.at(p), bits);
}

/** Removes folders above removed paths as long as they are empty and not wanted. */
function prune(m: Move): void {
  for (const path of [...m.removed].sort().reverse()) {
    for (const parent of parentsOf(path).reverse()) {
      if (m.keepFolders.has(parent)) break;
      // a link may stand above it by now, and what lies behind that is not ours
      if (lstatInside(m.store.at, parent)?.isDirectory() !== true) continue;
      try {
        fs.rmdirSync(m.store.at(parent));
      } catch (thrown) {
        const code = errnoOf(thrown);
        if (isAbsent(thrown)) continue;
        if (code === 'ENOTEMPTY' || code === 'EEXIST') break;
        throw new MoveError(parent, thrown);
      }
    }
  }
}

/** Syncs the folders around the entries, those that are still there. */
async function syncAround(m: Move): Promise<void> {
  const folders: (string | Buffer)[] = [m.store.workspace];
  for (const p of new Set(m.entries.flatMap((e) => parentsOf(e.path).slice(-1)))) {
    if (lstatInside(m.store.at, p)?.isDirectory() === true) folders.push(m.store.at(p));
  }
  // a folder that may be written but not read cannot be synced
  await syncFolders(folders.filter(isReadable));
}

function isReadable(folder: string | Buffer): boolean {
  try {
    fs.accessSync(folder, fs.constants.R_OK);
    return true;
  } catch (thrown) {
    if (errnoOf(thrown) === 'EACCES') return false;
    throw thrown;
  }
}

/** @throws MoveError at the first step that fails; what was done until then stays done */
export async function moveAll(m: Move): Promise<void> {
  const each = <T extends { path: RelPath }>(entries: readonly T[], work: (e: T) => void): void => {
    for (const e of entries) {
      try {
        work(e);
      } catch (thrown) {
        throw new MoveError(e.path, thrown);
      }
    }
  };
  const { at } = m.store;
  const down = [...m.entries].sort(deepestFirst);
  const up = [...down].reverse();
  const made = new Set<RelPath>();
  const decided = new Set(m.entries.map((e) => e.path));
  each(down, (e) => {
    clearPlace(m.store, e);
    if (e.to === null) m.moved();
  });
  each(
    up.filter((e) => isFolder(e.to)),
    (e) => {
      makeParents(m, e.path, made);
      if (lstatInside(at, e.path) === null) fs.mkdirSync(at(e.path), 0o700);
    },
  );
  each(up.filter(needsContent), (e) => {
    makeParents(m, e.path, made);
    placeStaged(m.stage.files.get(e.path) ?? '', at(e.path));
    m.moved();
  });
  each(down, (e) => {
    setBits(m.store, e);
    if (e.to !== null && !needsContent(e)) m.moved();
  });
  // after a crash some of them may have been made before
  const inBetween = [...new Set([...made, ...m.folders.keys()])].sort().reverse();
  each(
    inBetween.filter((p) => !decided.has(p)).map((p) => ({ path: p })),
    ({ path: p }) => setFolderBits(m, p),
  );
  prune(m);
  await syncAround(m);
}
