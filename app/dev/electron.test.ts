import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findElectron } from './electron.mjs';
import { cachedOldElectron } from './old-electron.mjs';
import { cacheFolder } from './places.mjs';

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tidemark-electron-'));
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

test('an Electron that the user names is taken', async () => {
  expect(await findElectron({ TIDEMARK_ELECTRON: process.execPath })).toEqual({
    executable: process.execPath,
    old: false,
  });
});

test('one that cannot be run stops everything', async () => {
  const file = path.join(folder, 'electron');
  fs.writeFileSync(file, '', { mode: 0o644 });
  const wrong = [
    { TIDEMARK_ELECTRON: file },
    { TIDEMARK_ELECTRON: folder },
    { ELECTRON_OVERRIDE_DIST_PATH: folder },
  ];
  for (const env of wrong) await expect(findElectron(env)).rejects.toMatchObject({ exitCode: 3 });
});

test('the cache is where XDG says, unless it says something relative', () => {
  expect(cacheFolder({ XDG_CACHE_HOME: '/c', HOME: '/h' })).toBe(path.join('/c', 'tidemark'));
  expect(cacheFolder({ XDG_CACHE_HOME: 'c', HOME: '/h' })).toBe(path.join('/h', '.cache', 'tidemark'));
});

test('a runtime without its mark is not one', async () => {
  const runtime = path.join(folder, 'tidemark/electron-25.1.1-linux-x64');
  fs.mkdirSync(runtime, { recursive: true });
  expect(await cachedOldElectron({ XDG_CACHE_HOME: folder })).toBeNull();
  fs.writeFileSync(path.join(runtime, '.complete'), '');
  expect(await cachedOldElectron({ XDG_CACHE_HOME: folder })).toBe(path.join(runtime, 'electron'));
});
