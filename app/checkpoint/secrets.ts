// Files that are never captured because they hold secrets: not even when the project tracks them or a tool wrote them.
// Owns: the list, each line with its reason. Invariant: a path is judged by its name alone where that is enough;
// only the lines with `holds` look at the content too.

type Secret = { readonly name: RegExp; readonly why: string; readonly holds?: RegExp };

const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/;

export const SECRETS: readonly Secret[] = [
  { name: /^\.env$/i, why: 'environment files hold passwords and API keys' },
  { name: /^\.env\./i, why: 'environment files of one stage or machine hold passwords and API keys' },
  { name: /\.env$/i, why: 'environment files under another name hold passwords and API keys' },
  { name: /^id_(rsa|dsa|ecdsa|ed25519|xmss)(_sk)?([._-](?!pub$).*)?$/i, why: 'a private key for SSH' },
  { name: /\.ppk$/i, why: 'a private key for PuTTY' },
  { name: /\.(pem|key)$/i, why: 'it holds a private key', holds: PRIVATE_KEY },
  { name: /\.(p12|pfx)$/i, why: 'a bundle of certificates with their private keys' },
  { name: /\.(jks|keystore)$/i, why: 'a key store' },
  { name: /\.(kdbx?|agilekeychain|opvault)$/i, why: 'a password safe' },
  { name: /\.(asc|gpg)$/i, why: 'it holds a private key', holds: /-----BEGIN PGP PRIVATE KEY BLOCK-----/ },
  { name: /^[._]netrc$/i, why: 'it holds passwords for servers' },
  { name: /^\.git-credentials$/i, why: 'it holds passwords for git servers' },
  { name: /^\.pgpass$/i, why: 'it holds database passwords' },
  { name: /^\.htpasswd$/i, why: 'it holds password hashes' },
  {
    name: /^\.(npmrc|yarnrc|yarnrc\.yml)$/i,
    why: 'it holds a registry token',
    holds: /_authToken|_password|npmAuthToken|npmAuthIdent/,
  },
  { name: /^\.pypirc$/i, why: 'it holds a registry password', holds: /password/i },
  { name: /^\.dockercfg$/i, why: 'it holds registry passwords' },
  {
    name: /\.json$/i,
    why: 'it holds the private key of a service account',
    holds: /"private_key"\s*:\s*"-----BEGIN/,
  },
];

/** Templates show which variables there are; they hold no values worth hiding. */
const TEMPLATE = /^\.env\.(example|sample|template)$/i;

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Why a file of this name is a secret, whatever is in it; null: the name alone does not say so. */
export function secretByName(path: string): string | null {
  const name = baseName(path);
  if (TEMPLATE.test(name)) return null;
  return SECRETS.find((s) => s.holds === undefined && s.name.test(name))?.why ?? null;
}

/** Why a file with this content is a secret; null: it is not. */
export function secretByContent(path: string, body: Buffer): string | null {
  const name = baseName(path);
  const suspects = SECRETS.filter((s) => s.holds !== undefined && s.name.test(name));
  if (suspects.length === 0) return null;
  const text = body.toString('latin1');
  return suspects.find((s) => s.holds?.test(text) === true)?.why ?? null;
}

/** True when only the content can tell, so that nothing is known of a file of this name that cannot be read now. */
export function mayBeSecret(path: string): boolean {
  return SECRETS.some((s) => s.name.test(baseName(path)));
}
