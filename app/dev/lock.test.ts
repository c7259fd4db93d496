import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withLock } from './lock.mjs';

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tidemark-lock-'));
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

test('one at a time, and nothing left behind', async () => {
  const file = path.join(folder, 'deep/lock');
  const order: string[] = [];
  const task = (name: string) =>
    withLock(file, async () => {
      order.push(`${name} in`);
      await new Promise(setImmediate);
      order.push(`${name} out`);
    });
  await Promise.all([task('a'), task('b')]);
  expect(order.map((entry) => entry.slice(2))).toEqual(['in', 'out', 'in', 'out']);
  expect(fs.readdirSync(path.dirname(file))).toEqual([]);
});

test('the lock of a process that is gone is free, and a failure frees it', async () => {
  const file = path.join(folder, 'lock');
  // Linux and macOS give out no process id as high as this.
  fs.writeFileSync(file, '99999999');
  await expect(withLock(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await withLock(file, async () => 'in')).toBe('in');
});
