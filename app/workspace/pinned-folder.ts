// A folder of the workspace that stays the same one while something is done in it, whatever its path leads to meanwhile.
// Owns: the way from the root down to it, without following a link. Does not own: which folder is meant (resolve-inside).
// On Linux each step is opened from the one before, and names below /proc/self/fd lead into what was opened. Elsewhere
// Node has no such way: there the path is looked at once more, and a link put in its place within that moment is followed.
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, realpath } from 'node:fs/promises';
import path from 'node:path';
import { TidemarkError } from '../../shared/errors';

/** Opens a folder without any right on it but to pass. Node does not list it; the number is that of every Linux. */
const O_PATH = 0o10000000;
const STEP = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Runs `work` with a path that leads to `folder`, which lies below `root` and has no link in it. `make`: missing folders
 * are made. @throws TidemarkError path-refused when a link stands in the way by now; ENOENT as the file system says it
 */
export async function inPinnedFolder<T>(
  root: string,
  folder: string,
  make: boolean,
  work: (path: string) => Promise<T>,
): Promise<T> {
  if (process.platform !== 'linux') return inCheckedFolder(folder, make, work);
  const parts = path.relative(root, folder).split(path.sep).filter(Boolean);
  let here = await step(root, root);
  try {
    for (const part of parts) {
      const next = await stepBelow(here, part, make, folder);
      await here.close();
      here = next;
    }
    return await work(pathOf(here));
  } finally {
    await here.close();
  }
}

const pathOf = (handle: FileHandle): string => `/proc/self/fd/${handle.fd}`;

async function stepBelow(from: FileHandle, name: string, make: boolean, folder: string): Promise<FileHandle> {
  const below = path.posix.join(pathOf(from), name);
  try {
    return await step(below, folder);
  } catch (error) {
    if (!make || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  await mkdir(below).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error; // somebody else was quicker
  });
  return step(below, folder);
}

async function step(at: string, folder: string): Promise<FileHandle> {
  try {
    return await open(at, STEP);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ELOOP' || code === 'ENOTDIR') throw moved(folder, cause);
    throw cause;
  }
}

const moved = (folder: string, cause?: unknown): TidemarkError =>
  new TidemarkError('path-refused', `${folder} is not the folder any more that it was. Nothing was done.`, {
    cause,
    paths: [folder],
  });

async function inCheckedFolder<T>(
  folder: string,
  make: boolean,
  work: (path: string) => Promise<T>,
): Promise<T> {
  if (make) await mkdir(folder, { recursive: true });
  if ((await realpath(folder)) !== folder) throw moved(folder);
  return work(folder);
}
