// Files that are either whole on disk or not there: written beside their place, synced, renamed, folder synced.
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

/** Ends every temporary file of the engine, so that left-overs of a crash can be told and swept. */
export const TEMPORARY_SUFFIX = '.tidemark-tmp';

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

/** Puts a file in place as a whole, over one that is there. On a failure nothing of it stays. */
export function placeDurably(target: string, parts: readonly Uint8Array[], o: { sync?: boolean } = {}): void {
  const temporary = `${target}.${randomBytes(6).toString('hex')}${TEMPORARY_SUFFIX}`;
  const fd = fs.openSync(temporary, 'wx', 0o600);
  try {
    try {
      writeAll(fd, parts);
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
