// A small JSON file of ours that people may edit and two processes may write.
// Owns: reading, setting a damaged one aside, writing whole and private. Does not own: what is in it.
// Invariants: what is there is never lost: a file that cannot be understood is renamed, not overwritten; a write is seen
// whole or not at all.
import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, realpath, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { TidemarkError } from '../../shared/errors';

export type JsonObject = { readonly [key: string]: unknown };

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object; "damaged" when it is none; null when there is no file. @throws settings-failed */
export async function readJson(file: string): Promise<JsonObject | 'damaged' | null> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw failed(file, 'read', error);
  }
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return isObject(value) ? value : 'damaged';
  } catch {
    return 'damaged';
  }
}

/** Renames a damaged file to `<name>.broken-<time>`. @returns its new name @throws settings-failed */
export async function setAside(file: string): Promise<string> {
  const aside = `${file}.broken-${new Date().toISOString().replaceAll(':', '-')}`;
  try {
    await rename(file, aside);
  } catch (error) {
    throw failed(file, 'set aside', error);
  }
  return path.basename(aside);
}

/** @throws settings-failed, disk-full */
export async function writeJson(file: string, value: JsonObject): Promise<void> {
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await replace(file, `${JSON.stringify(value, null, 2)}\n`);
  } catch (error) {
    throw failed(file, 'written', error);
  }
}

async function replace(file: string, text: string): Promise<void> {
  const target = await realpath(file).catch(() => file); // a link, to one's dot files say, stays one
  const aside = `${target}.${randomBytes(6).toString('hex')}.new`;
  try {
    const handle = await open(aside, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(aside, target);
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
}

function failed(file: string, what: string, cause: unknown): TidemarkError {
  const code = (cause as NodeJS.ErrnoException | null)?.code;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new TidemarkError('disk-full', `The disk is full, so ${path.basename(file)} was not written.`, {
      cause,
      hint: 'Free some space, then try again. The file is as it was.',
    });
  }
  return new TidemarkError('settings-failed', `${file} cannot be ${what}.`, {
    cause,
    hint: 'Check the permissions of the file and its folder.',
  });
}
