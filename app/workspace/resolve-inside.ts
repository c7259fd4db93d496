// Where a path that a tool was given really lies, by the file system and not by its spelling.
// Owns: the refusal of every way out of the workspace: "..", absolute paths, links, dangling links.
// Invariant: a Place is inside the root at the moment it was made; tools make a new one for each use.
import { lstat, readlink, realpath } from 'node:fs/promises';
import path from 'node:path';
import { TidemarkError } from '../../shared/errors';
import { type RelPath, relPathFromText } from '../../shared/rel-path';

export type Place = {
  /** absolute, all links above it resolved; with "target" the last one too */
  readonly absolute: string;
  /** relative to the root, "/" between parts, "" for the root: where it really lies */
  readonly text: string;
  readonly rel: RelPath;
  /** the path as it was asked for, relative to the root and tidy; differs from `text` behind a link */
  readonly asked: string;
  readonly type: 'file' | 'folder' | 'link' | 'other' | 'none';
};

const refuse = (asked: string, why: string, paths: readonly string[] = [asked]): TidemarkError =>
  new TidemarkError('path-refused', `"${asked}" was refused: ${why}.`, { paths });

/** "target": the last link is followed (reading, writing). "entry": the name itself is meant (moving, deleting). */
export type Follow = 'target' | 'entry';

/** @throws TidemarkError path-refused */
export async function resolveInside(root: string, asked: string, follow: Follow): Promise<Place> {
  const tidy = tidyPath(root, asked);
  if (tidy === '') return place(root, root, tidy, 'folder');
  const parts = tidy.split('/');
  const name = parts.pop() ?? '';
  const folder = await realFolder(root, parts, asked);
  const absolute = path.join(folder, name);
  const type = await typeOf(absolute, asked);
  if (type !== 'link' || follow === 'entry') return place(root, absolute, tidy, type);
  const target = await followLink(absolute, asked);
  if (!isInside(root, target)) throw refuse(asked, `it is a link out of the workspace, to ${target}`);
  return place(root, target, tidy, await typeOf(target, asked));
}

function place(root: string, absolute: string, asked: string, type: Place['type']): Place {
  const text = path.relative(root, absolute).split(path.sep).join('/');
  return { absolute, text, rel: relPathFromText(text), asked, type };
}

/** By the spelling of the paths alone. */
export function isInside(root: string, absolute: string): boolean {
  const relative = path.relative(root, absolute);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/** The path relative to the root without "." and ".." in it. An absolute path that lies inside is welcome. */
function tidyPath(root: string, asked: string): string {
  if (asked.includes('\0')) throw refuse(asked, 'it contains a NUL');
  const absolute = path.resolve(root, asked);
  if (!isInside(root, absolute)) throw refuse(asked, 'it is outside the workspace');
  return path.relative(root, absolute).split(path.sep).join('/');
}

/** The real folder of these parts. Parts that are not there yet stay as they are. */
async function realFolder(root: string, parts: readonly string[], asked: string): Promise<string> {
  let folder = root;
  for (const part of parts) {
    const next = path.join(folder, part);
    const type = await typeOf(next, asked);
    if (type === 'file' || type === 'other')
      throw new TidemarkError('tool-failed', `"${asked}" cannot be: ${part} is not a folder.`);
    folder = type === 'link' ? await followLink(next, asked) : next;
    if (!isInside(root, folder)) throw refuse(asked, `${part} is a link out of the workspace, to ${folder}`);
  }
  return folder;
}

async function followLink(link: string, asked: string): Promise<string> {
  try {
    return await realpath(link);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === 'ENOENT')
      throw refuse(asked, `it is a link to something that is not there (${await readlink(link)})`);
    if (code === 'ELOOP') throw refuse(asked, 'it is a link that leads to itself');
    throw cause;
  }
}

async function typeOf(absolute: string, asked: string): Promise<Place['type']> {
  try {
    const stats = await lstat(absolute);
    if (stats.isSymbolicLink()) return 'link';
    if (stats.isDirectory()) return 'folder';
    return stats.isFile() ? 'file' : 'other';
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return 'none';
    if (code === 'ENOTDIR')
      throw new TidemarkError('tool-failed', `"${asked}" lies below a file.`, { cause });
    if (code === 'ENAMETOOLONG') throw refuse(asked, 'it is longer than a path can be here');
    throw cause;
  }
}
