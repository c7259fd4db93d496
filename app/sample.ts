// The user's copy of the sample project.
// Owns: making it, whole or not at all. Reads file by file, because the source may lie in the app's archive, of which
// Electron lets plain reads through but no copying of folders.
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) await copyFolder(source, target);
    else await writeFile(target, await readFile(source));
  }
}

/** Copies the sample project to `<home>/sample`, unless it is there. @returns its path */
export async function copySample(source: string, home: string): Promise<string> {
  const folder = path.join(home, 'sample');
  const there = await stat(folder).then(
    () => true,
    () => false,
  );
  if (there) return folder;
  await mkdir(home, { recursive: true, mode: 0o700 });
  const making = path.join(home, `sample-${randomBytes(6).toString('hex')}`);
  try {
    await copyFolder(source, making);
    await rename(making, folder);
  } finally {
    await rm(making, { recursive: true, force: true });
  }
  return folder;
}
