// Known faults of taking back single files and hunks. Each through the task layer, with real tools and git.
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { RestoreOutcome } from '../../shared/domain';
import type { CheckpointId } from '../../shared/ids';
import type { Hunk } from '../../shared/ipc';
import { type FaultBench, openFault } from '../testing/fault-bench';

const open: FaultBench[] = [];
async function fault(files: Readonly<Record<string, string>> = {}): Promise<FaultBench> {
  const b = await openFault(files);
  open.push(b);
  return b;
}
afterEach(async () => {
  for (const b of open.splice(0).reverse()) await b.close();
});

const restoreFile = (b: FaultBench, to: CheckpointId, name: string, answer: 'checkpoint' | null = null) =>
  b.restore(to, { only: [{ path: name }], conflicts: answer });

/** Takes back the hunk with these lines, since the checkpoint. */
async function revert(b: FaultBench, from: CheckpointId, name: string, hunk: Hunk): Promise<RestoreOutcome> {
  const comparison = { kind: 'since', from } as const;
  const engine = await b.h.service.engine();
  const row = b.points().find((r) => r.checkpointId === from);
  const changes = await engine.changes(row?.snapshotId ?? ('' as never), 'workspace', {
    signal: new AbortController().signal,
  });
  const change = changes.find((c) => c.path === name);
  if (change === undefined) throw new Error(`${name} does not differ`);
  return b.h.service.revertHunk(b.task, { comparison, change: { ...change }, hunk });
}
const lines = (from: number, ...text: string[]): Hunk['before'] => ({ from, lines: text });

test('fault 16: every target gives the exact state of every file, back and forth', async () => {
  const b = await fault({ 'script.js': '0\n', 'index.html': '0\n' });
  await b.run('replace "0" with "1" in script.js');
  await b.run('replace "0" with "1" in index.html');
  await b.run('replace "1" with "2" in script.js');
  const state = (): string => `${b.text('script.js').trim()} ${b.text('index.html').trim()}`;
  const { redoId } = await b.restore(b.cp(0));
  expect(state()).toBe('0 0');
  await b.restore(redoId);
  expect(state()).toBe('2 1');
  await b.restore(b.cp(2));
  expect(state()).toBe('1 1');
  await restoreFile(b, b.cp(0), 'script.js');
  expect(state()).toBe('0 1');
  await restoreFile(b, b.cp(3), 'script.js');
  expect(state()).toBe('2 1');
});

test('fault 17: taking back a new file takes the file away, with the folder that came with it', async () => {
  const b = await fault({ 'a.txt': '0\n' });
  await b.run('create src/count.py with "print(1)"');
  const { redoId, files } = await restoreFile(b, b.cp(0), 'src/count.py');
  expect(files).toMatchObject([{ path: 'src/count.py', action: 'remove' }]);
  expect(b.has('src')).toBe(false);
  await b.restore(redoId);
  expect(b.text('src/count.py')).toBe('print(1)');
});

test('fault 18: a new file with lines by hand is not taken away without a word, and comes back whole', async () => {
  const b = await fault({ 'a.txt': '0\n' });
  await b.run('create n.ts with "let a = 1;"');
  b.put('n.ts', `${b.text('n.ts')}\nby hand\n`);
  const before = b.text('n.ts');
  await expect(restoreFile(b, b.cp(0), 'n.ts')).rejects.toMatchObject({ code: 'conflicts' });
  expect(b.text('n.ts')).toBe(before);
  const { redoId } = await restoreFile(b, b.cp(0), 'n.ts', 'checkpoint');
  expect(b.has('n.ts')).toBe(false);
  await b.restore(redoId);
  expect(b.text('n.ts')).toBe(before);
});

test('one hunk is taken back, the others and edits by hand stay, and Undo brings it back', async () => {
  const b = await fault({ 'a.txt': '1\n2\n3\n4\n5\n', 'b.txt': 'b\n' });
  await b.run(
    'replace "1" with "one" in a.txt\nreplace "5" with "five" in a.txt\nreplace "b" with "B" in b.txt',
  );
  b.put('a.txt', 'one\n2\nmine\n4\nfive\n', 0o640);
  const done = await revert(b, b.cp(0), 'a.txt', { before: lines(0, '1'), after: lines(0, 'one') });
  expect(done).toMatchObject({ filesRestored: true, taskRestored: false, files: [{ path: 'a.txt' }] });
  expect(b.text('a.txt')).toBe('1\n2\nmine\n4\nfive\n');
  expect(fs.statSync(path.join(b.h.folder, 'a.txt')).mode & 0o777).toBe(0o640);
  expect(b.text('b.txt')).toBe('B\n');
  await b.restore(done.redoId);
  expect(b.text('a.txt')).toBe('one\n2\nmine\n4\nfive\n');
  await b.run('replace "4" with "four" in a.txt');
  await b.restore(b.cp(0), { conflicts: 'checkpoint' });
  expect(b.text('b.txt')).toBe('b\n');
});

test('a hunk that is not there as it was shown is refused, and so is a file that is gone or a link by now', async () => {
  const b = await fault({ 'a.txt': '1\n2\n', 'secret.txt': 's\n' });
  await b.run('replace "1" with "one" in a.txt');
  const hunk = { before: lines(0, '1'), after: lines(0, 'one') };
  const points = b.points().length;
  b.put('a.txt', 'mine\n2\n');
  await expect(revert(b, b.cp(0), 'a.txt', hunk)).rejects.toMatchObject({ code: 'plan-stale' });
  expect(b.text('a.txt')).toBe('mine\n2\n');
  b.sh('rm a.txt && ln -s secret.txt a.txt');
  await expect(revert(b, b.cp(0), 'a.txt', hunk)).rejects.toMatchObject({ code: 'plan-stale' });
  b.sh('rm a.txt');
  await expect(revert(b, b.cp(0), 'a.txt', hunk)).rejects.toMatchObject({ code: 'plan-stale' });
  expect(b.text('secret.txt')).toBe('s\n');
  expect(b.points()).toHaveLength(points);
});

test('fault 63: one hunk of a very large text file', async () => {
  const all = Array.from({ length: 40_000 }, (_, i) => `line ${i}`);
  const b = await fault({ 'big.txt': `${all.join('\n')}\n` });
  await b.run('replace "line 31234" with "edited" in big.txt');
  await revert(b, b.cp(0), 'big.txt', {
    before: lines(31_234, 'line 31234'),
    after: lines(31_234, 'edited'),
  });
  expect(b.text('big.txt')).toBe(`${all.join('\n')}\n`);
});
