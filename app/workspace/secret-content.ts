// Whether a file on disk is a secret by what it holds.
// Owns: reading the few files whose name leaves it open. Does not own: the list (shared/secret-names).
import { lstat, readFile } from 'node:fs/promises';
import { needsContent, secretByName, secretByText } from '../../shared/secret-names';

/** A larger file is no key or token; reading it would only cost time. */
const MOST_BYTES = 20_000_000;

/** True when no checkpoint would hold this file. What cannot be read counts as a secret. */
export async function isSecretFile(absolute: string | Buffer, name: string): Promise<boolean> {
  if (secretByName(name) !== null) return true;
  if (!needsContent(name)) return false;
  try {
    const stats = await lstat(absolute);
    if (!stats.isFile() || stats.size > MOST_BYTES) return false;
    return secretByText(name, await readFile(absolute, 'latin1')) !== null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}
