import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { defaultSettings } from '../../shared/settings';
import { distrust, isTrusted, type TrustStore, trust } from './trust';

let root = '';
let settings = defaultSettings();
const store: TrustStore = {
  async set(change) {
    settings = { ...settings, ...change(settings) } as typeof settings;
  },
};
beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(os.tmpdir(), 'tm-trust-')));
  settings = defaultSettings();
});
afterEach(() => rm(root, { recursive: true, force: true }));

it('trusts the real folder and no other', async () => {
  await mkdir(path.join(root, 'real', 'inner'), { recursive: true });
  await symlink('real', path.join(root, 'link'));
  await trust(store, path.join(root, 'link'));
  await trust(store, path.join(root, 'real'));
  expect(settings.trusted).toEqual([path.join(root, 'real')]);
  expect(isTrusted(settings, path.join(root, 'real'))).toBe(true);
  for (const other of ['link', 'real/inner', '.', 'rea']) {
    expect(isTrusted(settings, path.join(root, other)), other).toBe(false);
  }
  await distrust(store, path.join(root, 'real'));
  expect(settings.trusted).toEqual([]);
});
