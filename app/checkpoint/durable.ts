// Files that are either whole on disk or not there: written beside their place, synced, renamed, folder synced.
// Several at once are synced side by side: the disk then takes little more time for all than for one.
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { TEMPORARY_SUFFIX } from '../../shared/temporary';

/** Syncs a folder's list of names. Windows cannot open folders and needs no such call. */
export function syncFolder(folder: string | Buffer): void {
  if (process.platform === 'win32') return;
  const fd = fs.openSync(folder, 'r');
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

function writeAll(fd: number, parts: readonly Uint8Array[]): void {
  for (const part of parts) {
    let at = 0;
    while (at < part.length) at += fs.writeSync(fd, part, at, part.length - at);
  }
}

const sync = promisify(fs.fsync);
/** So many files may be open at the same time while they wait to be synced. */
export const SYNC_AT_ONCE = 64;

/** Syncs open files side by side and closes them, whatever happens. */
export async function syncAndClose(open: readonly number[]): Promise<void> {
  // waits for all, so that nothing is still at work when the first failure is thrown
  const ends = await Promise.allSettled(open.map((fd) => sync(fd)));
  for (const fd of open) fs.closeSync(fd);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/** Syncs folders' lists of names. */
export async function syncFolders(folders: readonly (string | Buffer)[]): Promise<void> {
  if (process.platform === 'win32') return;
  for (let i = 0; i < folders.length; i += SYNC_AT_ONCE) {
    await syncAndClose(folders.slice(i, i + SYNC_AT_ONCE).map((f) => fs.openSync(f, 'r')));
  }
}

export type Placing = { readonly target: string; readonly parts: readonly Uint8Array[] };

/** Gives open files away, to be synced and closed by whoever asks for them. */
export type OpenFiles = () => readonly number[];
export const none: OpenFiles = () => [];

/**
 * Puts several files in place, each as a whole: all are on disk before the first is renamed, and they are renamed in
 * the order given. On a failure what is not in place yet goes. */
export async function placeAllDurably(files: readonly Placing[], alongside = none): Promise<void> {
  const made = files.map((f) => ({ ...f, temporary: temporaryFor(f.target) }));
  const open = [...alongside()];
  try {
    try {
      for (const { temporary, parts } of made) open.push(writeNew(temporary, parts));
    } finally {
      await syncAndClose(open);
    }
    for (const { temporary, target } of made) fs.renameSync(temporary, target);
  } catch (thrown) {
    for (const { temporary } of made) fs.rmSync(temporary, { force: true });
    throw thrown;
  }
  for (const folder of new Set(made.map((f) => path.dirname(f.target)))) syncFolder(folder);
}

const temporaryFor = (target: string): string =>
  `${target}.${randomBytes(6).toString('hex')}${TEMPORARY_SUFFIX}`;

/** Writes a new file and returns it open. */
export function writeNew(file: string, parts: readonly Uint8Array[]): number {
  const fd = fs.openSync(file, 'wx', 0o600);
  try {
    writeAll(fd, parts);
    return fd;
  } catch (thrown) {
    fs.closeSync(fd);
    throw thrown;
  }
}

/** Puts a file in place as a whole, over one that is there. On a failure nothing of it stays. */
export function placeDurably(target: string, parts: readonly Uint8Array[], o: { sync?: boolean } = {}): void {
  const temporary = temporaryFor(target);
  try {
    const fd = writeNew(temporary, parts);
    try {
      if (o.sync !== false) fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
    fs.renameSync(temporary, target);
  } catch (thrown) {
    fs.rmSync(temporary, { force: true });
    throw thrown;
  }
  if (o.sync !== false) syncFolder(path.dirname(target));
}
