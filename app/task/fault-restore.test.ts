// Known faults of restoring: files lost, left behind or wrong. Each through the task layer, with real tools and git.
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { activeRows } from '../../shared/fold';
import { benchOf, type FaultBench, openFault } from '../testing/fault-bench';
import { type HarnessOptions, openHarness } from './task-harness';

const open: FaultBench[] = [];
async function fault(
  files: Readonly<Record<string, string>> = {},
  o: HarnessOptions & { readonly prepare?: (folder: string) => void } = {},
): Promise<FaultBench> {
  const b = await openFault(files, o);
  open.push(b);
  return b;
}
afterEach(async () => {
  vi.restoreAllMocks();
  for (const b of open.splice(0).reverse()) await b.close();
});

const many = (count: number, folder = ''): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${folder}f${i}.txt`, `file ${i}\n`]));
const stamp = (b: FaultBench, name: string): string => {
  const s = fs.lstatSync(path.join(b.h.folder, name), { bigint: true });
  return `${s.ino} ${s.mtimeNs}`;
};

test('fault 1: what the agent never made stays, and is told apart before anything is written', async () => {
  const b = await fault({ 'a.txt': '0\n' });
  b.sh('git init -q && git add -A && git commit -qm x');
  await b.run('replace "0" with "1" in a.txt');
  const theirs = ['out/r1.jsonl', 'results/r1.jsonl'];
  for (const n of theirs) b.put(n, '{"by":"another program"}\n');
  await b.run('replace "1" with "2" in a.txt');
  const was = theirs.map((n) => stamp(b, n));
  expect((await b.plan(b.cp(1))).files).toEqual([{ path: 'a.txt', action: 'revert', by: 'task' }]);
  await b.restore(b.cp(1));
  expect(b.text('a.txt')).toBe('1\n');
  expect(theirs.map((n) => stamp(b, n))).toEqual(was);
  // the whole workspace tells what is somebody else's, leaves what no snapshot holds, and is taken back byte for byte
  const whole = await b.plan(b.cp(0), { whole: true });
  expect(whole.files.filter((f) => f.by === 'other').map((f) => `${f.action} ${f.path}`)).toEqual([
    'remove results/r1.jsonl',
  ]);
  const before = b.tree();
  const { redoId } = await b.restore(b.cp(0), { whole: true });
  expect([b.has('results/r1.jsonl'), stamp(b, 'out/r1.jsonl')]).toEqual([false, was[0]]);
  await b.restore(redoId);
  expect(b.tree()).toEqual(before);
});

test('fault 2: a first snapshot that did not finish is never a target, and nothing is removed', async () => {
  const files = { ...many(70, 'x/'), ...many(70, 'y/'), ...many(60, 'z/') };
  const b = await fault(files);
  const before = b.tree();
  const real = fs.renameSync;
  vi.spyOn(fs, 'renameSync').mockImplementation(((from: fs.PathLike, to: fs.PathLike) => {
    if (String(to).endsWith('.idx')) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    real(from, to);
  }) as typeof fs.renameSync);
  expect(await b.run('create x/new.txt with "new"')).toMatchObject({
    outcome: 'failed',
    error: { code: 'disk-full' },
  });
  vi.restoreAllMocks();
  const [first] = b.points();
  expect(first).toMatchObject({ kind: 'initial', snapshotId: null, failed: { code: 'disk-full' } });
  for (const scope of ['files', 'all'] as const)
    await expect(b.restore(b.cp(0), { scope })).rejects.toMatchObject({ code: 'snapshot-missing' });
  expect(b.tree()).toEqual(before);
});

test('fault 4, fault 14: a store that lost its objects, or is gone: neither files nor messages move', async () => {
  for (const lose of ['objects', 'store'] as const) {
    const b = await fault({ 'a.txt': '0\n' });
    await b.run('replace "0" with "1" in a.txt');
    await b.run('create b.txt with "b"');
    const state = (): unknown => [b.tree(), activeRows(b.task.view()).filter((r) => r.type !== 'checkpoint')];
    const before = state();
    const target = b.cp(1);
    await b.h.service.close();
    await b.h.checkpoints.close();
    const folder = path.join(b.h.home, 'checkpoints');
    const [store = ''] = fs.readdirSync(folder);
    if (lose === 'objects') fs.rmSync(path.join(folder, store, '.git/objects'), { recursive: true });
    else fs.renameSync(folder, path.join(b.h.home, 'moved away'));
    const h = await openHarness({ at: b.h });
    const again = benchOf(h, await h.openTask(b.task.id));
    open.push(again);
    for (const scope of ['files', 'all'] as const)
      await expect(again.restore(target, { scope })).rejects.toMatchObject({
        code: expect.stringMatching(/^(snapshot-missing|store-damaged)$/),
      });
    expect([again.tree(), activeRows(again.task.view()).filter((r) => r.type !== 'checkpoint')]).toEqual(
      before,
    );
  }
});

test('fault 5: files that the agent made go, with the folders made only for them', async () => {
  const b = await fault({ 'a.txt': 'a' });
  await b.run('create Foo.md with "x"\ncreate deep/er/Bar.md with "y"');
  expect(b.has('deep/er/Bar.md')).toBe(true);
  await b.restore(b.cp(0));
  expect([...b.tree().keys()]).toEqual(['a.txt']);
});

test('fault 6: what a command deleted comes back, tracked or not', async () => {
  const b = await fault({ 'go.mod': 'module x\n' });
  b.sh('git init -q && git add -A && git commit -qm x');
  b.put('notes.txt', 'mine');
  const before = b.tree();
  await b.run('run `rm go.mod notes.txt`');
  expect(await b.changes(b.cp(0), b.cp(1))).toEqual(['deleted go.mod', 'deleted notes.txt']);
  await b.restore(b.cp(0));
  expect(b.tree()).toEqual(before);
});

test('fault 7: what commands alone changed is compared and restored', async () => {
  const b = await fault({ 'x.txt': 'a\n' });
  const before = b.tree();
  await b.run('run `sed -i s/a/b/ x.txt; echo E > y.txt`');
  expect(await b.changes(b.cp(0), b.cp(1))).toEqual(['modified x.txt', 'added y.txt']);
  expect((await b.plan(b.cp(0))).files.map((f) => f.action)).toEqual(['revert', 'remove']);
  await b.restore(b.cp(0));
  expect(b.tree()).toEqual(before);
});

test('fault 8: a moved file stays moved until the user goes back', async () => {
  const b = await fault({ 'a.txt': '0\n' });
  await b.run('replace "0" with "1" in a.txt');
  await b.run('run `mv a.txt b.txt`');
  await b.run('hello');
  expect([...b.tree().keys()]).toEqual(['b.txt']);
  const { redoId } = await b.restore(b.cp(1));
  expect([...b.tree().keys()]).toEqual(['a.txt']);
  await b.restore(redoId);
  expect([...b.tree().keys()]).toEqual(['b.txt']);
  expect(b.text('b.txt')).toBe('1\n');
});

test('fault 9: hand edits after the last turn are named, and Undo brings them back', async () => {
  const b = await fault();
  await b.run('create a.txt with "one"');
  b.put('a.txt', 'one + mine');
  expect((await b.plan(b.cp(0))).conflicts.map((c) => c.path)).toEqual(['a.txt']);
  await expect(b.restore(b.cp(0))).rejects.toMatchObject({ code: 'conflicts' });
  expect(b.text('a.txt')).toBe('one + mine');
  const { redoId } = await b.restore(b.cp(0), { conflicts: 'checkpoint' });
  expect(b.has('a.txt')).toBe(false);
  await b.restore(redoId);
  expect(b.text('a.txt')).toBe('one + mine');
});

test('fault 10: a week of uncommitted work is as it was just before the task, not as in HEAD', async () => {
  const b = await fault(many(20));
  b.sh('git init -q && git add -A && git commit -qm x');
  for (let i = 0; i < 30; i++) b.put(`f${i}.txt`, `my work ${i}\n`);
  const before = b.tree();
  await b.run('replace "my work 3" with "robot" in f3.txt\nrun `echo robot > f25.txt; rm f7.txt`');
  await b.restore(b.cp(0));
  expect(b.tree()).toEqual(before);
});

test('fault 11: each task takes back its own, and with nothing of its own nothing happens', async () => {
  const a = await fault();
  const b = await a.beside();
  await a.run('create a.txt with "a"');
  await b.run('create b.txt with "b"');
  a.put('mine.txt', 'mine');
  const both = a.tree();
  const back = await a.restore(a.cp(0));
  expect([...a.tree().keys()]).toEqual(['b.txt', 'mine.txt']);
  await a.restore(back.redoId);
  expect(a.tree()).toEqual(both);
  await b.restore(b.cp(0));
  expect([...a.tree().keys()]).toEqual(['a.txt', 'mine.txt']);
  const was = stamp(a, 'a.txt');
  expect((await b.restore(b.cp(0))).files).toEqual([]);
  expect(stamp(a, 'a.txt')).toBe(was);
});

test('fault 12: asking what a restore would do moves nothing; messages alone leave the files', async () => {
  const b = await fault({ 'example.txt': 'original\n' });
  await b.run('run `echo robot >> example.txt`');
  b.put('example.txt', 'changed\nrobot\n');
  const was = stamp(b, 'example.txt');
  const before = b.before(1);
  const plan = await b.plan(before, { scope: 'all' });
  expect(plan.files.length + plan.conflicts.length).toBe(1);
  expect(stamp(b, 'example.txt')).toBe(was);
  const { prompt } = await b.restore(before, { scope: 'task' });
  expect(prompt?.text).toContain('echo robot');
  expect(stamp(b, 'example.txt')).toBe(was);
  expect(activeRows(b.task.view()).filter((r) => r.type === 'prompt')).toEqual([]);
});

test('fault 21: opening, forgetting and starting tasks writes nothing in the folder', async () => {
  const a = await fault({ 'a.txt': '0\n' });
  const b = await a.beside();
  await a.run('replace "0" with "1" in a.txt');
  await b.run('create b.txt with "b"');
  const state = (): string[] => ['a.txt', 'b.txt'].map((n) => stamp(a, n));
  const before = [a.tree(), state()];
  for (let i = 0; i < 5; i++) for (const t of [a, b]) await t.h.service.settle([t.task.id]);
  await a.h.service.forget(b.task.id);
  await (await a.beside()).run('hello');
  expect([a.tree(), state()]).toEqual(before);
});

test('a hand edit that a restore overwrote by choice, and its undo brought back, is by hand as before', async () => {
  const b = await fault({ 'a.txt': 'old\n' });
  await b.run('replace "old" with "new" in a.txt');
  b.put('a.txt', 'mine\n');
  const restored = await b.restore(b.cp(0), { conflicts: 'checkpoint' });
  expect(b.text('a.txt')).toBe('old\n');
  const redone = await b.restore(restored.redoId as never, { scope: null });
  expect(b.text('a.txt')).toBe('mine\n');
  expect((await b.plan(b.cp(0))).conflicts.map((c) => c.path)).toEqual(['a.txt']);
  // and taking the taking back back counts the restore again: nothing by hand is left
  await b.restore(redone.redoId as never, { scope: null });
  expect(b.text('a.txt')).toBe('old\n');
  expect((await b.plan(b.cp(1))).conflicts).toEqual([]);
});
