// Carries out staged entries in the workspace: removals first, then folders, then contents, then permission bits, then
// folders that the removals emptied.
// Owns: the order, and staying inside real folders. Does not own: whether it may (apply.ts), undoing (apply.ts).
// Invariants: contents arrive by rename, so a file is old or new, never in between; a folder is only ever removed
// when it is empty; nothing is reached through a link.
import fs from 'node:fs';
import { TidemarkError } from '../../shared/errors';
import { type RelPath, relPathToText } from '../../shared/rel-path';
import { syncFolder } from './durable';
import type { PlanEntry } from './engine';
import { errnoOf, isAbsent } from './failure';
import type { Probe } from './probe';
import type { Store } from './shadow-repo';
import { needsContent, placeStaged, type Stage } from './stage';
import { bitsOf, isFolder } from './view';
import { lstatInside, nameBytes, parentOf, parentsOf } from './work-file';

export type Move = {
  readonly store: Store;
  readonly entries: readonly PlanEntry[];
  readonly stage: Stage;
  /** folders that stay although the removals empty them */
  readonly keepFolders: ReadonlySet<RelPath>;
  /** bits of folders that have to be made on the way */
  readonly folderBits: number;
  readonly probe: Probe;
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
function makeParents(m: Move, p: RelPath): void {
  for (const parent of parentsOf(p)) {
    try {
      if (!fs.lstatSync(m.store.at(parent)).isDirectory()) {
        throw new TidemarkError('path-refused', `${relPathToText(parent).path} is not a folder any more.`);
      }
    } catch (thrown) {
      if (!isAbsent(thrown)) throw thrown;
      fs.mkdirSync(m.store.at(parent));
      fs.chmodSync(m.store.at(parent), m.folderBits);
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

/** Removes folders above removed paths as long as they are empty and not wanted. */
function prune(m: Move, removed: readonly PlanEntry[]): void {
  for (const e of removed) {
    for (const parent of parentsOf(e.path).reverse()) {
      if (m.keepFolders.has(parent)) break;
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

function syncAround(m: Move): void {
  const folders = new Set(m.entries.map((e) => parentOf(e.path) ?? ''));
  for (const f of folders) {
    try {
      syncFolder(f === '' ? m.store.workspace : m.store.at(f as RelPath));
    } catch (thrown) {
      // pruned meanwhile, or not readable: then there is nothing of ours in it to sync
      if (!isAbsent(thrown) && errnoOf(thrown) !== 'EACCES') throw thrown;
    }
  }
}

/** @throws MoveError at the first step that fails; what was done until then stays done */
export async function moveAll(m: Move): Promise<void> {
  const step = async (
    entries: readonly PlanEntry[],
    name: string,
    work: (e: PlanEntry) => void,
  ): Promise<void> => {
    for (const e of entries) {
      await m.probe(`apply: ${name}`);
      try {
        work(e);
      } catch (thrown) {
        throw new MoveError(e.path, thrown);
      }
    }
  };
  const down = [...m.entries].sort(deepestFirst);
  const up = [...down].reverse();
  const removed = down.filter((e) => e.to === null);
  await step(
    down.filter((e) => e.from !== null || e.to === null),
    'clear',
    (e) => clearPlace(m.store, e),
  );
  await step(
    up.filter((e) => isFolder(e.to)),
    'folder',
    (e) => {
      makeParents(m, e.path);
      if (lstatInside(m.store.at, e.path) === null) fs.mkdirSync(m.store.at(e.path));
    },
  );
  await step(up.filter(needsContent), 'place', (e) => {
    makeParents(m, e.path);
    placeStaged(m.stage.files.get(e.path) ?? '', m.store.at(e.path));
  });
  await step(down, 'bits', (e) => setBits(m.store, e));
  prune(m, removed);
  syncAround(m);
}
