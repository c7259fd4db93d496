// Puts bytes in a file so that a reader sees the old content or the new one, never a part.
// Owns: the temporary file and what survives the exchange (mode, owner). Does not own: which file, which bytes.
// A file with further names (hard links) is written in place instead: a rename would quietly part it from them.
import { access, constants, lstat, open, rename, unlink } from 'node:fs/promises';
import path from 'node:path';
import { TidemarkError } from '../../shared/errors';
import { temporaryBeside } from './leftovers';

/**
 * The folder is there. @throws TidemarkError tool-failed when the file is read-only, path-refused when a link or folder
 * stands in its place by now; otherwise what the file system says
 */
export async function writeWhole(absolute: string, bytes: Uint8Array): Promise<void> {
  const before = await lstat(absolute).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return null;
    throw cause;
  });
  if (before !== null) {
    if (!before.isFile())
      throw new TidemarkError(
        'path-refused',
        `${path.basename(absolute)} is not the file any more that it was. Nothing was written.`,
      );
    await access(absolute, constants.W_OK).catch((cause: unknown) => {
      throw new TidemarkError(
        'tool-failed',
        `${path.basename(absolute)} is read-only. Nothing was written.`,
        {
          cause,
        },
      );
    });
    if (before.nlink > 1) return writeInPlace(absolute, bytes);
  }
  const temporary = temporaryBeside(absolute);
  try {
    const file = await open(temporary, 'wx', before === null ? 0o666 : 0o600);
    try {
      await file.writeFile(bytes);
      if (before !== null) {
        if (before.uid !== process.getuid?.() || before.gid !== process.getgid?.())
          await file.chown(before.uid, before.gid).catch(ignoreForeignOwner);
        await file.chmod(before.mode & 0o7777);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, absolute);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}

/** Makes sure first that the space is there; a write that still fails is taken back. */
async function writeInPlace(absolute: string, bytes: Uint8Array): Promise<void> {
  const trial = temporaryBeside(absolute);
  try {
    const file = await open(trial, 'wx', 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
  } finally {
    await unlink(trial).catch(() => undefined);
  }
  // Not cut before it is written over, so that the old content keeps its space on the disk until the new one is in.
  const file = await open(absolute, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0));
  const old = await file.readFile();
  const put = async (content: Uint8Array): Promise<void> => {
    let at = 0;
    while (at < content.length) at += (await file.write(content, at, content.length - at, at)).bytesWritten;
  };
  try {
    await put(bytes);
    await file.sync();
    await file.truncate(bytes.length);
  } catch (error) {
    await put(old);
    await file.truncate(old.length);
    throw error;
  } finally {
    await file.close();
  }
}

/** Only root may give files away: for others the new file is their own, as with every editor. */
function ignoreForeignOwner(cause: NodeJS.ErrnoException): void {
  if (cause.code !== 'EPERM' && cause.code !== 'ENOSYS' && cause.code !== 'EINVAL') throw cause;
}
