// Folders for stories, and looking at them byte for byte.
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Every path below a folder with its kind, permission bits and bytes. */
export async function folderPicture(folder: string, below = ''): Promise<Record<string, string>> {
  const all: Record<string, string> = {};
  for (const name of (await readdir(path.join(folder, below))).sort()) {
    const rel = path.posix.join(below, name);
    const full = path.join(folder, rel);
    const info = await lstat(full);
    const mode = (info.mode & 0o7777).toString(8);
    if (info.isSymbolicLink()) all[rel] = `link ${await readlink(full)}`;
    else if (info.isDirectory()) {
      all[`${rel}/`] = `folder ${mode}`;
      Object.assign(all, await folderPicture(folder, rel));
    } else all[rel] = `file ${mode} ${(await readFile(full)).toString('base64')}`;
  }
  return all;
}

/** A project of its own in a temporary place. `dispose` is the caller's, with the whole of `temp`. */
export async function makeProject(
  files: Readonly<Record<string, string>>,
): Promise<{ temp: string; folder: string; home: string }> {
  const temp = await realpath(await mkdtemp(path.join(tmpdir(), 'tidemark-story-')));
  await chmod(temp, 0o700);
  const folder = path.join(temp, 'project');
  for (const [name, text] of Object.entries(files)) {
    const full = path.join(folder, name);
    await mkdir(path.dirname(full), { recursive: true });
    await writeFile(full, text);
  }
  return { temp, folder, home: path.join(temp, 'home') };
}
