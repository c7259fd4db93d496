// Folders for stories, and looking at them byte for byte.
import { chmod, mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { treeOf } from '../../app/testing/temp-workspace';

/** Every path below a folder with its kind, permission bits and bytes. */
export const folderPicture = (folder: string): Record<string, string> => Object.fromEntries(treeOf(folder));

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
