// Known faults of size: what is too large or ignored is not read, is named or not as it should be, and stays.
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { type FaultBench, openFault } from '../testing/fault-bench';

let b: FaultBench;
afterEach(async () => {
  vi.restoreAllMocks();
  await b.close();
});

test('fault 56, fault 64: what is too large is named and left alone; what is ignored is neither read nor named', async () => {
  const ignored = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`logs/${i}.txt`, 'x']));
  const modules = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`node_modules/m${i}/i.js`, 'x']));
  b = await openFault({ '.gitignore': 'logs/\n', 'a.txt': 'old\n', ...ignored, ...modules });
  const large = path.join(b.h.folder, 'large.txt');
  b.put('large.txt', '');
  fs.truncateSync(large, 60 * 1024 * 1024);
  const opened = vi.spyOn(fs, 'openSync');
  const listed = vi.spyOn(fs, 'readdirSync');
  await b.run('replace "old" with "new" in a.txt');
  const looked = [...opened.mock.calls, ...listed.mock.calls].map(([p]) => String(p));
  expect(looked.some((p) => p.endsWith('/a.txt'))).toBe(true);
  expect(looked.filter((p) => /large\.txt|\/logs\/|node_modules\/m/.test(p))).toEqual([]);
  expect(b.points()[0]?.skipped).toEqual([
    { path: 'large.txt', why: 'it is larger than the limit for one file' },
  ]);
  const was = fs.statSync(large).mtimeMs;
  await b.restore(b.cp(0), { whole: true });
  expect([b.text('a.txt'), fs.statSync(large).size, fs.statSync(large).mtimeMs]).toEqual([
    'old\n',
    60 * 1024 * 1024,
    was,
  ]);
});
