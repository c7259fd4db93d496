// A restore that fails while it writes, and choosing file by file, on the built command line. Read-only folders stop
// nobody who is root, so it runs as another user.
import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Bench, type CliOptions, openBench } from './cli-harness';

const NOBODY = 65534;
let bench: Bench;
let as: CliOptions;
const at = (name: string): string => path.join(bench.folder, name);
const text = (name: string): Promise<string> => readFile(at(name), 'utf8');

beforeEach(async () => {
  bench = await openBench({ 'a.txt': '0\n', 'shut/x.txt': '0\n', 'shut/y.txt': '0\n' });
  const home = path.join(bench.temp, 'nobody');
  await mkdir(home);
  for (const place of [home, bench.folder, at('shut'), at('a.txt'), at('shut/x.txt'), at('shut/y.txt')])
    await chown(place, NOBODY, NOBODY);
  as = { uid: NOBODY, env: { TIDEMARK_HOME: path.join(home, 'tidemark'), HOME: home } };
});
afterEach(async () => {
  await chmod(at('shut'), 0o755);
  await bench.close();
});

async function changeAll(): Promise<string> {
  const prompt = ['a.txt', 'shut/x.txt', 'shut/y.txt'].map((f) => `replace "0" with "1" in ${f}`).join('\n');
  const run = await bench.result(['run', prompt, '--provider', 'practice', '--yes'], as);
  expect(run.outcome).toBe('completed');
  return run.checkpoints[0] ?? '';
}

describe('a folder that may not be written', () => {
  test('exit 6: the task went back, no file moved, each file is named; without them the rest is restored', async () => {
    const initial = await changeAll();
    await chmod(at('shut'), 0o555);
    const failed = (await bench.json(['rewind', initial, '--yes'], { ...as, code: 6 })) as unknown as {
      taskRestored: boolean;
      filesRestored: boolean;
      filesError: { code: string; paths: string[] };
    };
    expect(failed).toMatchObject({ taskRestored: true, filesRestored: false });
    expect(failed.filesError.code).toBe('restore-failed');
    expect([...failed.filesError.paths].sort()).toEqual(['shut/x.txt', 'shut/y.txt']);
    expect([await text('a.txt'), await text('shut/x.txt')]).toEqual(['1\n', '1\n']);

    const alone = await bench.tidemark(['rewind', initial, '--files', '--yes'], as);
    expect(alone.code).toBe(1);
    expect(alone.err).toMatch(/permission denied[\s\S]*shut\/[xy]\.txt[\s\S]*--without/);

    const without = ['--without', 'shut/x.txt', '--without', 'shut/y.txt'];
    const rest = (await bench.json(['rewind', initial, '--files', ...without, '--yes'], as)) as unknown as {
      files: { path: string }[];
      notCovered: { path: string; why: string }[];
    };
    expect(rest.files.map((f) => f.path)).toEqual(['a.txt']);
    expect(rest.notCovered.map((f) => f.path)).toEqual(['shut/x.txt', 'shut/y.txt']);
    expect([await text('a.txt'), await text('shut/x.txt'), await text('shut/y.txt')]).toEqual([
      '0\n',
      '1\n',
      '1\n',
    ]);

    await chmod(at('shut'), 0o755);
    await bench.json(['rewind', initial, '--files', '--yes'], as);
    expect([await text('shut/x.txt'), await text('shut/y.txt')]).toEqual(['0\n', '0\n']);
  });
});

test('conflicts answered file by file; an answer that is missing or unknown changes nothing', async () => {
  const initial = await changeAll();
  await writeFile(at('a.txt'), 'mine\n');
  await writeFile(at('shut/x.txt'), 'mine\n');
  const rewind = ['rewind', initial, '--files', '--yes'];
  const open = (await bench.json([...rewind, '--conflict', 'mine:a.txt'], { ...as, code: 4 })) as unknown as {
    conflicts: { path: string }[];
  };
  expect(open.conflicts.map((c) => c.path)).toEqual(['shut/x.txt']);
  for (const wrong of [
    ['--conflict', 'both:a.txt'],
    ['--conflict', 'mine:a.txt', '--conflicts', 'mine'],
  ])
    expect((await bench.tidemark([...rewind, ...wrong], as)).code).toBe(2);
  expect([await text('a.txt'), await text('shut/y.txt')]).toEqual(['mine\n', '1\n']);
  await bench.json([...rewind, '--conflict', 'mine:a.txt', '--conflict', 'checkpoint:shut/x.txt'], as);
  expect([await text('a.txt'), await text('shut/x.txt'), await text('shut/y.txt')]).toEqual([
    'mine\n',
    '0\n',
    '0\n',
  ]);
});
