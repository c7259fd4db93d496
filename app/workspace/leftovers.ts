// What a write leaves in the user's folder when its process dies in the middle: the temporary file beside the real one.
// Owns: its name, and removing it. Does not own: knowing that the process is dead (task/interrupted).
// Invariant: only a regular file of exactly this kind of name goes, in a real folder of the workspace.
import { randomBytes } from 'node:crypto';
import { lstat, readdir, realpath, unlink } from 'node:fs/promises';
import path from 'node:path';
import { TEMPORARY_SUFFIX } from '../../shared/temporary';

const SHAPE = new RegExp(`^\\.[0-9a-f]{16}${TEMPORARY_SUFFIX.replace('.', '\\.')}$`);

/** A name beside `absolute` that nobody else has. */
export function temporaryBeside(absolute: string): string {
  return path.join(path.dirname(absolute), `.${randomBytes(8).toString('hex')}${TEMPORARY_SUFFIX}`);
}

/**
 * Removes what writes to these files left beside them. Whoever could still be writing there has to be dead.
 * @param root real path of the workspace  @param files relative to it, as tools were given them
 */
export async function removeLeftovers(root: string, files: readonly string[]): Promise<void> {
  const folders = new Set(files.map((f) => path.resolve(root, path.dirname(f))));
  for (const folder of folders) {
    const real = await realpath(folder).catch(() => null);
    if (real === null || (real !== root && !real.startsWith(root + path.sep))) continue;
    for (const name of await readdir(real).catch(() => [])) {
      if (!SHAPE.test(name)) continue;
      const file = path.join(real, name);
      if ((await lstat(file).catch(() => null))?.isFile() === true) await unlink(file).catch(() => undefined);
    }
  }
}
