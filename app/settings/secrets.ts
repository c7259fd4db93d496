// API keys: encrypted by the operating system in secrets.json, or taken from variables.
// Owns: where a key comes from, the file. Does not own: encrypting (a port; the command line has none).
// Invariants: a key is never written in the clear and never logged; a variable beats the store (SPEC 12).
import { TidemarkError } from '../../shared/errors';
import { isObject, type JsonObject, readJson, setAside, writeJson } from './json-file';

/** The system's key store. */
export interface Cipher {
  available(): boolean;
  encrypt(text: string): Buffer;
  decrypt(bytes: Buffer): string;
}

type Env = Readonly<Record<string, string | undefined>>;

export interface Secrets {
  /** Whether keys can be saved on this system. */
  available(): boolean;
  /** The stored key, or one given for this start only; null: none. @throws key-missing when it cannot be decrypted */
  get(provider: string): string | null;
  /** Saves it. @throws key-store-missing (the key is used until this process ends), settings-failed, disk-full */
  set(provider: string, key: string): Promise<void>;
  remove(provider: string): Promise<void>;
  /** The key to use: the provider's variable, else the stored one. @throws key-missing when it cannot be decrypted */
  keyFor(provider: string, env: Env): string | null;
  keySource(provider: string, env: Env): 'store' | 'variable' | 'none';
  /** What the user must hear: a damaged file. */
  notices(): readonly string[];
}

const VARIABLES: Readonly<Record<string, string>> = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  'openai-compatible': 'OPENAI_API_KEY',
};

/** @throws settings-failed when the file is there and cannot be read */
export async function openSecrets(o: {
  readonly file: string;
  readonly cipher: Cipher | null;
}): Promise<Secrets> {
  const { file, cipher } = o;
  const forThisStart = new Map<string, string>();
  const notices: string[] = [];
  let content: JsonObject = {};
  let work: Promise<unknown> = Promise.resolve();

  async function load(): Promise<void> {
    const read = await readJson(file);
    if (read === 'damaged') {
      const aside = await setAside(file);
      notices.push(`secrets.json could not be read. It was set aside as ${aside}; enter your keys again.`);
    }
    content = read === 'damaged' || read === null ? {} : read;
  }

  /** Another process may have written in the meantime: what it saved stays. */
  function change(edit: (keys: Record<string, unknown>) => void): Promise<void> {
    const done = work.then(async () => {
      await load();
      const keys = { ...keysIn(content) };
      edit(keys);
      const changed = { v: 1, ...content, keys };
      await writeJson(file, changed);
      content = changed;
    });
    work = done.catch(() => undefined);
    return done;
  }

  function get(provider: string): string | null {
    const given = forThisStart.get(provider);
    if (given !== undefined) return given;
    const stored = keysIn(content)[provider];
    if (typeof stored !== 'string' || !cipher?.available()) return null;
    try {
      return cipher.decrypt(Buffer.from(stored, 'base64'));
    } catch (cause) {
      throw new TidemarkError('key-missing', `The saved key of ${provider} cannot be decrypted here.`, {
        cause,
        hint: 'Enter it again in Settings, Models.',
      });
    }
  }

  const variable = (provider: string, env: Env): string | null =>
    env[VARIABLES[provider] ?? '']?.trim() || null;

  await load();
  return {
    available: () => cipher?.available() ?? false,
    get,
    async set(provider, key) {
      if (!cipher?.available()) {
        forThisStart.set(provider, key);
        throw new TidemarkError(
          'key-store-missing',
          'This system has no key store, so the key was not saved.',
          {
            hint: 'It is used until Tidemark is closed. Set up a key ring, or use the variable of the provider.',
          },
        );
      }
      const encrypted = cipher.encrypt(key).toString('base64');
      await change((keys) => {
        keys[provider] = encrypted;
      });
      forThisStart.delete(provider);
    },
    async remove(provider) {
      forThisStart.delete(provider);
      if (keysIn(content)[provider] === undefined) return;
      await change((keys) => {
        delete keys[provider];
      });
    },
    keyFor: (provider, env) => variable(provider, env) ?? get(provider),
    keySource(provider, env) {
      if (variable(provider, env) !== null) return 'variable';
      try {
        return get(provider) === null ? 'none' : 'store';
      } catch {
        return 'none'; // unusable is as good as none; using it says why
      }
    },
    notices: () => notices,
  };
}

const keysIn = (content: JsonObject): JsonObject => (isObject(content.keys) ? content.keys : {});
