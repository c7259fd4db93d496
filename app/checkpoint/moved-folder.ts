// A workspace folder that was moved or renamed keeps its checkpoints: the store goes to where its new path looks for it.
// Owns: finding such a store and moving it. Does not own: telling the tasks (runtime), `core.worktree` (openStore).
// Invariants: only with proof that it is the same folder, only when nothing is at its old path, and only where its new
// path has no store yet; `.git` moves last, so a move that was cut is gone on with at the next open.
import fs from 'node:fs';
import path from 'node:path';
import { syncFolder } from './durable';
import type { Cancel } from './engine';
import { acquireStoreLock } from './lock';
import { identityOf, isSameFolder, type Meta, readMeta, storesIn, writeMeta } from './meta';
import { storeFolderOf } from './shadow-repo';

type Place = { readonly checkpointsFolder: string; readonly workspace: string };

/** How long to wait for somebody who still holds the store under its old name. */
const WAIT_MS = 5_000;

const isThere = (at: string): boolean => fs.lstatSync(at, { throwIfNoEntry: false }) !== undefined;

function moveStore(from: string, to: string, meta: Meta): void {
  fs.mkdirSync(to, { recursive: true, mode: 0o700 });
  // the journal of a cut restore first: a store must not come without it
  const journal = path.join(from, 'restore.json');
  if (isThere(journal)) fs.renameSync(journal, path.join(to, 'restore.json'));
  writeMeta(to, meta);
  fs.renameSync(path.join(from, '.git'), path.join(to, '.git'));
  syncFolder(to);
  fs.rmSync(from, { recursive: true, force: true });
}

/** Looks for the store of a folder that has none, and was elsewhere before. @throws workspace-busy, cancelled */
export async function adoptMovedStore(o: Place & Cancel): Promise<void> {
  const to = storeFolderOf(o.checkpointsFolder, o.workspace);
  if (isThere(path.join(to, '.git'))) return;
  const now = identityOf(o.workspace);
  const isIt = (folder: string): boolean => {
    const meta = readMeta(folder);
    return meta !== null && isSameFolder(meta, now) && !isThere(meta.workspace);
  };
  const found = storesIn(o.checkpointsFolder).find((s) => isIt(s.folder));
  if (found === undefined) return;
  const lock = await acquireStoreLock({ storeFolder: found.folder, signal: o.signal, waitMs: WAIT_MS });
  try {
    const meta = readMeta(found.folder);
    if (meta === null || !isIt(found.folder) || isThere(path.join(to, '.git'))) return;
    moveStore(found.folder, to, {
      ...meta,
      workspace: o.workspace,
      movedFrom: [...(meta.movedFrom ?? []), meta.workspace],
      worktreeOld: true,
    });
  } finally {
    await lock.release();
  }
}

/** Where the folder was before, as long as its tasks have not been told. */
export function movedFrom(o: Place): readonly string[] {
  return readMeta(storeFolderOf(o.checkpointsFolder, o.workspace))?.movedFrom ?? [];
}

/** The tasks know: their logs have the new path. */
export function forgetMove(o: Place): void {
  const folder = storeFolderOf(o.checkpointsFolder, o.workspace);
  const meta = readMeta(folder);
  if (meta?.movedFrom === undefined) return;
  const { movedFrom: _told, ...rest } = meta;
  writeMeta(folder, rest);
}
