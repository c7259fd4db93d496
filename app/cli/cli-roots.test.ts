// A `.code-workspace` file on the command line, which works in one folder at a time.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTask } from '../log/task-index';
import { type Bench, openBench, PRACTICE } from './cli-harness';

let bench: Bench;
let file: string;
beforeEach(async () => {
  bench = await openBench({ 'a.txt': 'one\n' });
  await mkdir(path.join(bench.temp, 'lib'));
  file = path.join(bench.temp, 'both.code-workspace');
});
afterEach(() => bench.close());

const names = (folders: readonly string[]): Promise<void> =>
  writeFile(file, JSON.stringify({ folders: folders.map((p) => ({ path: p })) }));

test('with one folder it is that folder', async () => {
  await names(['project']);
  const run = await bench.result([
    'run',
    'replace "one" with "two" in a.txt',
    ...PRACTICE,
    '--workspace',
    file,
  ]);
  expect(run.files).toBe(1);
  await bench.json(['rewind', run.checkpoints[0] ?? '', '--yes', '--workspace', file]);
  expect(await readFile(path.join(bench.folder, 'a.txt'), 'utf8')).toBe('one\n');
});

test('with several it is refused, with their names, and nothing runs', async () => {
  await names(['project', 'lib']);
  const r = await bench.tidemark(['run', 'create x.txt with "x"', ...PRACTICE, '--workspace', file]);
  expect(r.code).toBe(2);
  expect(r.err).toContain('names 2 folders');
  expect(r.err).toContain(bench.folder);
  expect(await readdir(bench.folder)).toEqual(['a.txt']);
});

test('damaged, or with a folder that is not there: said, with the file', async () => {
  await writeFile(file, '{"folders": [');
  const broken = await bench.tidemark(['checkpoints', '--workspace', file]);
  expect([broken.code, broken.err]).toEqual([1, expect.stringContaining('both.code-workspace is damaged')]);
  await names(['gone']);
  const gone = await bench.tidemark(['checkpoints', '--workspace', file]);
  expect([gone.code, gone.err]).toEqual([5, expect.stringContaining('is named in')]);
});

test('a task of several folders is listed with them, and goes on in the app only', async () => {
  const roots = [bench.folder, path.join(bench.temp, 'lib')];
  const id = await createTask(bench.home, { title: 'both', workspace: bench.folder, roots });
  expect((await bench.json(['tasks'])).tasks).toMatchObject([{ id, workspace: bench.folder, roots }]);
  expect((await bench.json(['tasks', '--workspace', bench.folder])).tasks).toEqual([]);
  await names(['lib', 'project']);
  expect((await bench.json(['tasks', '--workspace', file])).tasks).toMatchObject([{ id }]);
  const r = await bench.tidemark(['run', 'hello', ...PRACTICE, '--task', id]);
  expect([r.code, r.err]).toEqual([2, expect.stringContaining('Go on with it in the app')]);
});
