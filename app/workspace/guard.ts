// Paths whose change no checkpoint can take back, or that decide what runs later: the approval always asks for them.
// Owns: which paths those are, in any spelling a file system may take for the same name. Pure.
// Does not own: what a snapshot leaves out (app/checkpoint has its own list, for its own reason).

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

/** Templates that are named like secrets and hold none. */
const TEMPLATES = /^\.env\.(example|sample|template)$/;
const SECRETS: readonly RegExp[] = [
  /^\.env$/, // settings of a service, with its passwords
  /^\.env\./,
  /\.env$/,
  /^id_(rsa|dsa|ecdsa|ed25519)(_sk)?$/, // private keys of ssh
  /\.(pem|key|p12|pfx|jks|keystore|ppk)$/, // private keys and key stores
  /^\.(netrc|pgpass|pypirc|htpasswd)$/, // passwords and tokens of well-known programs
  /^\.git-credentials$/,
];

export function isSecretName(name: string): boolean {
  const spelled = plain(name);
  return !TEMPLATES.test(spelled) && SECRETS.some((s) => s.test(spelled));
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
