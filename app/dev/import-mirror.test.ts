import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { importedNames } from './import-mirror.mjs';

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tidemark-mirror-'));
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

test.each([
  ["import { a } from './a';", ['./a']],
  ["import type { A } from './a';", ['./a']],
  ["import { type A } from './a';", ['./a']],
  ["export type { A } from './a'; export * from './b';", ['./a', './b']],
  ["const a = () => import('./a'); const b = import(`./b`);", ['./a', './b']],
  ["type A = readonly import('./a').A[]; function f(a: typeof import('./b')) {}", ['./a', './b']],
  ["const a = require('./a'); import b = require('./b');", ['./a', './b']],
  ["import W from './w?worker';", ['./w']],
  ["const z = <T,>(a: T) => a; export const A = () => <b>{import('./a')}</b>;", ['./a']],
  ["import(name); const text = \"import './a'\"; // import './b'", []],
])('%s', (code, names) => {
  const file = path.join(folder, 'a.tsx');
  fs.writeFileSync(file, code);
  expect(importedNames(file)).toEqual(names);
});
