// Which files hold secrets: the one list for what is never captured and for what always asks before it is changed.
// Owns: the names, each with its reason, and what the content has to hold where a name alone does not say. Pure.

type Secret = {
  readonly name: RegExp;
  readonly why: string;
  /** what the content has to hold, where the name alone does not say */
  readonly holds?: RegExp;
  /** such names ask before a change whatever they hold: mostly it is a secret */
  readonly likely?: true;
};

const SECRETS: readonly Secret[] = [
  { name: /^\.env$/i, why: 'environment files hold passwords and API keys' },
  { name: /^\.env\./i, why: 'environment files of one stage or machine hold passwords and API keys' },
  { name: /\.env$/i, why: 'environment files under another name hold passwords and API keys' },
  { name: /^id_(rsa|dsa|ecdsa|ed25519|xmss)(_sk)?([._-](?!pub$).*)?$/i, why: 'a private key for SSH' },
  { name: /\.ppk$/i, why: 'a private key for PuTTY' },
  {
    name: /\.(pem|key)$/i,
    why: 'it holds a private key',
    holds: /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/,
    likely: true,
  },
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
  { name: /^\.pypirc$/i, why: 'it holds a registry password', holds: /password/i, likely: true },
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

/** Why a file with this content (one character a byte) is a secret; null: it is not. */
export function secretByText(path: string, text: string): string | null {
  const name = baseName(path);
  return SECRETS.find((s) => s.name.test(name) && s.holds?.test(text) === true)?.why ?? null;
}

/** True when the content has to tell. */
export function needsContent(path: string): boolean {
  const name = baseName(path);
  return SECRETS.some((s) => s.holds !== undefined && s.name.test(name));
}

/** True for names that ask before a change without a look at the content. */
export function asksByName(path: string): boolean {
  const name = baseName(path);
  return secretByName(name) !== null || SECRETS.some((s) => s.likely === true && s.name.test(name));
}
