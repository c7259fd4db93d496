import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Bench, openBench, PRACTICE } from './cli-harness';

let bench: Bench;
beforeEach(async () => {
  bench = await openBench({ 'a.txt': 'one\n', 'sub/b.txt': 'b\n' });
  await bench.result(['run', 'create c.txt with "three"', ...PRACTICE]);
});
afterEach(() => bench.close());

const read = (...parts: string[]): Promise<string> => readFile(path.join(...parts), 'utf8');
const elsewhere = { cwd: '/' } as const;

describe('recover', () => {
  test('lists a deleted folder and brings it back to its place', async () => {
    expect(await bench.json(['recover'])).toEqual({ v: 1, folders: [] });
    await rm(bench.folder, { recursive: true });
    const { folders } = (await bench.json(['recover'], elsewhere)) as unknown as {
      folders: { workspace: string; at: string; files: number; snapshotId: string }[];
    };
    expect(folders).toEqual([
      {
        workspace: bench.folder,
        at: expect.stringMatching(/^\d{4}-.*Z$/),
        files: 3,
        snapshotId: expect.stringMatching(/^[0-9a-f]{40}$/),
      },
    ]);
    const done = await bench.json(['recover', bench.folder], elsewhere);
    expect(done).toMatchObject({ v: 1, ...folders[0], to: bench.folder });
    expect(await read(bench.folder, 'c.txt')).toBe('three');
    expect(await read(bench.folder, 'sub/b.txt')).toBe('b\n');
    const { checkpoints } = await bench.json(['checkpoints']);
    expect(checkpoints).toHaveLength(3);
  });

  test('to another place, by a path from here', async () => {
    await rename(bench.folder, path.join(bench.temp, 'kept'));
    const r = await bench.tidemark(['recover', 'project', '--to', 'back'], { cwd: bench.temp });
    expect([r.code, r.err]).toEqual([0, '']);
    expect(r.out).toContain('3 files');
    expect(await read(bench.temp, 'back', 'a.txt')).toBe('one\n');
  });

  test('never over a file: exit 8 with its name; a folder without checkpoints: exit 5', async () => {
    await rm(bench.folder, { recursive: true });
    await mkdir(bench.folder);
    await writeFile(path.join(bench.folder, 'a.txt'), 'mine');
    const refused = await bench.json(['recover', bench.folder], { ...elsewhere, code: 8 });
    expect(refused).toMatchObject({ error: { code: 'would-overwrite', paths: ['a.txt'] } });
    expect(await read(bench.folder, 'a.txt')).toBe('mine');
    await bench.json(['recover', path.join(bench.temp, 'never')], { ...elsewhere, code: 5 });
  });
});

describe('a folder that was renamed', () => {
  test('has its tasks and checkpoints under its new name', async () => {
    const { checkpoints: before } = await bench.json(['checkpoints']);
    const renamed = path.join(bench.temp, 'renamed');
    await rename(bench.folder, renamed);
    const { checkpoints } = await bench.json(['checkpoints'], { cwd: renamed });
    expect(checkpoints).toEqual(before);
    const { tasks } = await bench.json(['tasks'], { cwd: renamed });
    expect(tasks).toMatchObject([{ workspace: renamed }]);
    const [{ id }] = checkpoints as unknown as [{ id: string }];
    await bench.json(['rewind', id, '--yes'], { cwd: renamed });
    await expect(read(renamed, 'c.txt')).rejects.toThrow();
    expect(await bench.json(['recover'], elsewhere)).toEqual({ v: 1, folders: [] });
  });
});
