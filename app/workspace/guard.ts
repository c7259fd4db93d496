// Paths whose change no checkpoint can take back, or that decide what runs later: the approval always asks for them.
// Owns: which paths those are, in any spelling a file system may take for the same name. Pure.
// Does not own: the list of secrets (shared/secret-names), which is also what a snapshot leaves out.
import { asksByName, secretByText } from '../../shared/secret-names';

export type Guard = 'git' | 'tidemark' | 'agentignore' | 'secret';

/** Characters that HFS+ drops from names, so that ".g\u200cit" is ".git" there. */
const DROPPED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** The spelling under which file systems may find a name: no case, no stream suffix, no dots or spaces at its end. */
const plain = (name: string): string =>
  name
    .normalize('NFKC')
    .replace(DROPPED, '')
    .replace(/:.*$/s, '')
    .replace(/[. ]+$/, '')
    .toLowerCase();

const FOLDERS: ReadonlyMap<string, Guard> = new Map([
  ['.git', 'git'],
  // the 8.3 names of ".git" and ".tidemark"
  ['git~1', 'git'],
  ['.tidemark', 'tidemark'],
  ['tidema~1', 'tidemark'],
  ['.agentignore', 'agentignore'],
  ['agenti~1', 'agentignore'],
]);

export function isSecretName(name: string): boolean {
  return asksByName(plain(name));
}

/** Why a path (parts joined by "/") is guarded, or null. `.git` and `.tidemark` count anywhere in it. */
export function guardOf(text: string): Guard | null {
  const parts = text.split(/[\\/]/);
  for (const part of parts) {
    const guard = FOLDERS.get(plain(part));
    if (guard !== undefined) return guard;
  }
  return isSecretName(parts.at(-1) ?? '') ? 'secret' : null;
}

/** The same with what the file holds, one character a byte. */
export function guardOfText(text: string, content: string): Guard | null {
  const guard = guardOf(text);
  if (guard !== null) return guard;
  return secretByText(plain(text.split(/[\\/]/).at(-1) ?? ''), content) === null ? null : 'secret';
}
