import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SnapshotId } from '../../shared/ids';
import { relPathFromText as rel } from '../../shared/rel-path';
import { makeTempWorkspace, type TempWorkspace, userGit } from '../testing/temp-workspace';
import type { Maintained } from './engine';
import { type Bench, openBench } from './engine-bench';
import { storeFolderOf } from './shadow-repo';

let w: TempWorkspace;
let b: Bench;
let others: Bench[];
beforeEach(() => {
  w = makeTempWorkspace();
  b = openBench(w);
  others = [];
});
afterEach(async () => {
  for (const bench of [b, ...others]) await bench.close();
  w.dispose();
});

const OTHER = 't_other0000000';
const other = (o: { gitProgram?: string } = {}): Bench => {
  const bench = openBench(w, { taskId: OTHER, ...o });
  others.push(bench);
  return bench;
};
const gitDir = (): string => path.join(storeFolderOf(w.checkpointsFolder, w.root), '.git');
const git = (...args: string[]): string => userGit(w.outside, '--git-dir', gitDir(), ...args);
const packFolder = (): string => path.join(gitDir(), 'objects/pack');
const packs = (): string[] => fs.readdirSync(packFolder()).filter((n) => n.endsWith('.pack'));
const everyByte = (): string => git('cat-file', '--batch-all-objects', '--batch');
const text = async (id: SnapshotId, name: string, bench = b): Promise<string> =>
  Buffer.from((await bench.engine.read(id, rel(name), bench.cancel)) ?? []).toString();
const forget = (taskId: string, bench = b): Promise<void> => bench.held((h) => h.forget(taskId));
const clean = (bench = b): Promise<Maintained> => bench.engine.maintain({ ...bench.cancel, safeAgeMs: 0 });

/** Makes everything in the store look as if it had been written long ago. */
function age(): void {
  for (const name of fs.readdirSync(packFolder())) fs.utimesSync(path.join(packFolder(), name), 1e9, 1e9);
}

/** Git that first does something of the test's when a command is run: shell text, with the command's words as $@. */
function wrappedGit(command: string, shell: string): string {
  const file = path.join(w.outside, 'git');
  const text = `#!/bin/sh\nfor a in "$@"; do if [ "$a" = ${command} ]; then\n${shell}\nfi; done\nexec git "$@"\n`;
  fs.writeFileSync(file, text, { mode: 0o755 });
  return file;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('many packs', () => {
  it('become few, and nothing is lost; few packs are left alone', async () => {
    const ids: SnapshotId[] = [];
    for (let i = 0; i < 60; i++) {
      w.put('a.txt', `version ${i}`);
      ids.push(await b.capture());
      if (i === 3) expect((await b.engine.maintain(b.cancel)).outcome).toBe('nothing');
    }
    const objects = git('cat-file', '--batch-all-objects', '--batch-check');
    const done = await b.engine.maintain(b.cancel);
    expect(done.outcome).toBe('packed');
    expect(done.bytesAfter).toBeLessThan(done.bytesBefore);
    expect(packs().length).toBeLessThan(10);
    expect(git('cat-file', '--batch-all-objects', '--batch-check')).toBe(objects);
    for (const [i, id] of ids.entries()) expect(await text(id, 'a.txt')).toBe(`version ${i}`);
    git('fsck', '--strict');
  });
});

describe('after a task was deleted', () => {
  const setUp = async (): Promise<{ kept: SnapshotId; dropped: SnapshotId }> => {
    w.put('a.txt', 'shared');
    w.put('sub/b.txt', 'shared too');
    const kept = await b.capture();
    w.put('only.txt', 'what the other task alone had');
    const dropped = await other().capture();
    w.remove('only.txt');
    await b.capture();
    await forget(OTHER);
    return { kept, dropped };
  };

  it('its bytes go once they are old, all others stay', async () => {
    const { kept, dropped } = await setUp();
    expect((await b.engine.maintain(b.cancel)).outcome).toBe('nothing');
    expect(await b.engine.has(dropped, b.cancel)).toBe(true);
    age();
    const done = await b.engine.maintain(b.cancel);
    expect(done.outcome).toBe('pruned');
    expect(done.bytesAfter).toBeLessThan(done.bytesBefore);
    expect(everyByte()).not.toContain('alone had');
    expect(await b.engine.has(dropped, b.cancel)).toBe(false);
    expect(await b.engine.has(kept, b.cancel)).toBe(true);
    expect((await b.engine.maintain(b.cancel)).outcome).toBe('nothing');
    w.put('only.txt', 'what the other task alone had');
    expect(await text(await b.capture(), 'only.txt')).toBe('what the other task alone had');
    git('fsck', '--strict');
  });

  it('an engine that remembers what is gone saves whole snapshots all the same', async () => {
    w.put('sub/b.txt', 'in both');
    await b.capture();
    w.put('sub/only.txt', 'the last state of the other task');
    const c = other();
    await c.capture();
    await forget(OTHER);
    fs.rmSync(path.join(gitDir(), 'index'));
    await b.close();
    w.remove('sub/only.txt');
    b = openBench(w);
    await b.engine.start(b.cancel);
    expect((await clean()).outcome).toBe('pruned');
    w.put('sub/only.txt', 'the last state of the other task');
    const id = await c.capture();
    expect(await text(id, 'sub/only.txt', c)).toBe('the last state of the other task');
    expect(await c.engine.has(id, c.cancel)).toBe(true);
    git('fsck', '--strict');
  });

  it('of a store without any task left, what the next snapshot builds on stays', async () => {
    w.put('a.txt', 'one');
    w.put('sub/b.txt', 'two');
    await b.capture();
    await forget(b.trailers.taskId);
    expect((await clean()).outcome).toBe('pruned');
    const id = await b.capture();
    expect([await text(id, 'a.txt'), await text(id, 'sub/b.txt')]).toEqual(['one', 'two']);
    git('fsck', '--strict');
  });

  it('a start that was cut finds its young objects, with all that they need', async () => {
    const { kept } = await setUp();
    age();
    w.put('only.txt', 'what the other task alone had');
    w.put('late.txt', 'of the cut start');
    await b.close();
    b = openBench(w);
    await b.engine.start(b.cancel);
    await b.close();
    fs.rmSync(path.join(gitDir(), 'index'));
    b = openBench(w);
    const probe = other();
    w.remove('late.txt');
    w.remove('only.txt');
    expect((await probe.engine.maintain(probe.cancel)).outcome).toBe('pruned');
    expect(everyByte()).toContain('of the cut start');
    expect(await b.engine.has(kept, b.cancel)).toBe(true);
    git('fsck', '--strict');
  });
});

describe('somebody else at the store', () => {
  it('a capture ends the clean-up at once', async () => {
    const mark = path.join(w.outside, 'began');
    const gitProgram = wrappedGit('pack-objects', `touch '${mark}'; exec sleep 100`);
    w.put('a.txt', 'one');
    const c = other({ gitProgram });
    await c.capture();
    await forget(OTHER, c);
    const cleaning = clean(c);
    await until(() => fs.existsSync(mark));
    await c.capture();
    expect((await cleaning).outcome).toBe('gave-way');
  });

  it('a snapshot of another process in the middle: nothing is removed', async () => {
    const [began, go] = ['began', 'go'].map((n) => path.join(w.outside, n));
    const gitProgram = wrappedGit(
      'verify-pack',
      `touch '${began}'; while [ ! -e '${go}' ]; do sleep 0.01; done`,
    );
    w.put('a.txt', 'one');
    const c = other({ gitProgram });
    const dropped = await c.capture();
    w.put('a.txt', 'two');
    await c.capture();
    await forget(OTHER, c);
    const before = packs();
    const cleaning = clean(c);
    await until(() => fs.existsSync(began ?? ''));
    w.put('a.txt', 'one');
    const id = await b.capture();
    fs.writeFileSync(go ?? '', '');
    expect((await cleaning).outcome).toBe('gave-way');
    expect(packs()).toEqual(expect.arrayContaining(before));
    expect(await b.engine.has(dropped, b.cancel)).toBe(true);
    expect(await text(id, 'a.txt')).toBe('one');
    expect((await clean(c)).outcome).toBe('pruned');
    expect(await text(id, 'a.txt')).toBe('one');
    git('fsck', '--strict');
  });

  it('a hold keeps everything, so does a restore that was cut; a cancelled clean-up says so', async () => {
    w.put('a.txt', 'one');
    await b.capture();
    await forget(b.trailers.taskId);
    await b.held(async () => expect((await clean()).outcome).toBe('gave-way'));
    const journal = path.join(path.dirname(gitDir()), 'restore.json');
    fs.writeFileSync(journal, '{}');
    await expect(clean()).rejects.toMatchObject({ code: 'store-damaged' });
    fs.rmSync(journal);
    const stop = new AbortController();
    stop.abort();
    await expect(b.engine.maintain({ signal: stop.signal })).rejects.toMatchObject({ code: 'cancelled' });
    expect((await clean()).outcome).toBe('pruned');
  });
});

describe('what is damaged or left behind', () => {
  it('nothing is removed from a store in which a snapshot cannot be read', async () => {
    w.put('a.txt', 'one');
    await b.capture();
    const [first = ''] = packs();
    w.put('a.txt', 'two');
    await other().capture();
    await forget(OTHER);
    fs.rmSync(path.join(packFolder(), first.replace('.pack', '.idx')));
    const before = packs();
    await expect(clean()).rejects.toMatchObject({ code: 'git-failed' });
    expect(packs()).toEqual(before);
  });

  it('what a killed clean-up left is swept', async () => {
    w.put('a.txt', 'one');
    const id = await b.capture();
    for (const name of ['tmp_pack_abc', 'tmp_idx_abc', '.tmp-123-pack-abc.pack'])
      fs.writeFileSync(path.join(packFolder(), name), 'x');
    const half = path.join(packFolder(), `pack-${'0'.repeat(40)}.pack`);
    fs.writeFileSync(half, 'x');
    await b.engine.maintain(b.cancel);
    expect(fs.readdirSync(packFolder()).filter((n) => n.includes('tmp'))).toEqual([]);
    expect(fs.existsSync(half)).toBe(true);
    fs.utimesSync(half, 1e9, 1e9);
    await b.engine.maintain(b.cancel);
    expect(fs.existsSync(half)).toBe(false);
    expect(await b.engine.has(id, b.cancel)).toBe(true);
  });
});
