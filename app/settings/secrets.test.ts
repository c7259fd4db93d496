import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Cipher, openSecrets } from './secrets';

let file = '';
beforeEach(async () => {
  file = path.join(await mkdtemp(path.join(os.tmpdir(), 'tm-secrets-')), 'secrets.json');
});
afterEach(() => rm(path.dirname(file), { recursive: true, force: true }));

const flip = (bytes: Buffer): Buffer => Buffer.from(bytes.map((b) => b ^ 0x5a));
const cipher: Cipher = {
  available: () => true,
  encrypt: (text) => flip(Buffer.from(`sealed${text}`)),
  decrypt(bytes) {
    const text = flip(bytes).toString();
    if (!text.startsWith('sealed')) throw new Error('wrong key ring');
    return text.slice(6);
  },
};
const open = (c: Cipher | null = cipher): ReturnType<typeof openSecrets> => openSecrets({ file, cipher: c });

it('keeps keys encrypted and private, for the next start too', async () => {
  const secrets = await open();
  await secrets.set('anthropic', 'sk-1');
  await secrets.set('openai', 'sk-2');
  expect(await readFile(file, 'utf8')).not.toContain('sk-1');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const again = await open();
  expect([again.get('anthropic'), again.get('openai'), again.get('ollama')]).toEqual(['sk-1', 'sk-2', null]);
  await again.remove('anthropic');
  await again.remove('anthropic');
  expect((await open()).get('anthropic')).toBeNull();
  expect((await open()).get('openai')).toBe('sk-2');
});

it('lets a variable go first', async () => {
  const secrets = await open();
  await secrets.set('openai-compatible', 'stored');
  const env = { OPENAI_API_KEY: ' from env\n', ANTHROPIC_API_KEY: '' };
  expect(secrets.keyFor('openai-compatible', env)).toBe('from env');
  expect(secrets.keySource('openai-compatible', env)).toBe('variable');
  expect(secrets.keyFor('openai-compatible', {})).toBe('stored');
  expect(secrets.keySource('openai-compatible', {})).toBe('store');
  expect(secrets.keyFor('openai', env)).toBe('from env');
  expect(secrets.keyFor('anthropic', env)).toBeNull();
  expect(secrets.keySource('ollama', env)).toBe('none');
  expect(secrets.keySource('constructor', env)).toBe('none');
});

it('saves nothing without a key store, but uses the key until the end', async () => {
  for (const c of [null, { ...cipher, available: () => false }]) {
    const secrets = await open(c);
    expect(secrets.available()).toBe(false);
    await expect(secrets.set('openai', 'sk')).rejects.toMatchObject({ code: 'key-store-missing' });
    expect(secrets.keyFor('openai', {})).toBe('sk');
    await secrets.remove('openai');
    expect(secrets.keyFor('openai', {})).toBeNull();
    expect(await readdir(path.dirname(file))).toEqual([]);
  }
});

it('says when a key was encrypted elsewhere', async () => {
  await writeFile(file, JSON.stringify({ v: 1, keys: { openai: Buffer.from('xyz').toString('base64') } }));
  const secrets = await open();
  expect(() => secrets.keyFor('openai', {})).toThrow(/cannot be decrypted/);
  expect(secrets.keySource('openai', {})).toBe('none');
  await secrets.set('openai', 'new');
  expect(secrets.keyFor('openai', {})).toBe('new');
});

it('keeps keys that another process has saved, and what it does not know', async () => {
  await writeFile(file, JSON.stringify({ v: 1, other: 1, keys: {} }));
  const a = await open();
  const b = await open();
  await a.set('openai', 'a');
  await b.set('anthropic', 'b');
  const text = JSON.parse(await readFile(file, 'utf8'));
  expect(Object.keys(text.keys).sort()).toEqual(['anthropic', 'openai']);
  expect(text.other).toBe(1);
});

it('sets a damaged file aside', async () => {
  await writeFile(file, 'xx');
  const secrets = await open();
  expect(secrets.notices()[0]).toContain('set aside');
  expect((await readdir(path.dirname(file)))[0]).toMatch(/^secrets\.json\.broken-/);
});
