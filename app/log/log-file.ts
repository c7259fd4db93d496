// What is done to a log's file under the lock: all or nothing, and durable.
// Owns: writing, cutting off, setting aside. Does not own: when (task-log), what lines mean (log-lines).
import { type FileHandle, open, stat } from 'node:fs/promises';
import path from 'node:path';
import { TidemarkError } from '../../shared/errors';

/** All or nothing: what could not be written whole is cut off again. */
export async function writeDurably(handle: FileHandle, bytes: Buffer, end: number): Promise<void> {
  try {
    await handle.appendFile(bytes);
    await handle.datasync();
  } catch (error) {
    await handle.truncate(end).catch(() => undefined); // else the next append sets it aside as torn
    throw error;
  }
}

export async function setTornAside(
  handle: FileHandle,
  folder: string,
  from: number,
  size: number,
): Promise<void> {
  const bytes = Buffer.allocUnsafe(size - from);
  await handle.read(bytes, 0, bytes.length, from);
  const time = new Date().toISOString().replaceAll(':', '-');
  const copy = await open(path.join(folder, `log.torn-${time}`), 'ax', 0o600);
  try {
    await copy.appendFile(bytes);
    await copy.sync();
  } finally {
    await copy.close();
  }
  await handle.truncate(from);
}

export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return; // no such thing there
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export async function openOrNull(file: string, flags: string): Promise<FileHandle | null> {
  try {
    return await open(file, flags);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

export async function mustExist(folder: string): Promise<void> {
  if ((await stat(folder).catch(() => null))?.isDirectory()) return;
  throw new TidemarkError('task-unknown', 'The task is not there any more.');
}
