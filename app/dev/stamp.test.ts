import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sourceStamp } from './stamp.mjs';

let root: string;
const write = (name: string, text = name) => {
  fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
  fs.writeFileSync(path.join(root, name), text);
};

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'tidemark-stamp-'));
  write('app/task/service.ts');
  write('package-lock.json');
});
afterEach(() => fs.rmSync(root, { recursive: true }));

test.each([
  'app/task/service.ts',
  'app/new.ts',
  'renderer/app.tsx',
  'resources/icon.png',
  'package-lock.json',
])('%s changes the stamp', (name) => {
  const before = sourceStamp(root);
  expect(sourceStamp(root)).toBe(before);
  write(name, 'other');
  expect(sourceStamp(root)).not.toBe(before);
});

test.each([
  'app/dev/launch.mjs',
  'app/task/service.test.ts',
  'app/testing/x.ts',
  'resources/pictures/a.png',
  'e2e/a.ts',
])('%s is not built', (name) => {
  const before = sourceStamp(root);
  write(name);
  expect(sourceStamp(root)).toBe(before);
});

test('a file that goes changes the stamp', () => {
  const before = sourceStamp(root);
  fs.rmSync(path.join(root, 'app/task/service.ts'));
  expect(sourceStamp(root)).not.toBe(before);
});
