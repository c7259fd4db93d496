// Snapshots that are kept no longer: which they are, that the space comes back, and that all others restore exactly.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type CheckpointRow, checkpointRows, type TaskView } from '../../shared/fold';
import type { SnapshotId } from '../../shared/ids';
import { storeFolderOf } from '../checkpoint/shadow-repo';
import { benchOf, type FaultBench, openFault } from '../testing/fault-bench';
import { releasable, releasedBefore } from './retention';

const { signal } = new AbortController();
let f: FaultBench;
afterEach(() => f?.close());

const gitDir = (): string => path.join(storeFolderOf(path.join(f.h.home, 'checkpoints'), f.h.folder), '.git');
const git = (...args: string[]): string =>
  execFileSync('git', ['--git-dir', gitDir(), ...args], {
    encoding: 'latin1',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
const held = (text: string): boolean => git('cat-file', '--batch-all-objects', '--batch').includes(text);
/** Packs are too young to be cleaned for an hour. */
function age(): void {
  const packs = path.join(gitDir(), 'objects/pack');
  const then = new Date(Date.now() - 2 * 60 * 60 * 1000);
  for (const name of fs.readdirSync(packs)) fs.utimesSync(path.join(packs, name), then, then);
}
const rule = (o: { keepDays?: number; capBytes?: number; later?: number }) => ({
  keepDays: o.keepDays ?? 90,
  capBytes: o.capBytes ?? 10 ** 10,
  now: Date.now() + (o.later ?? 0) * 24 * 60 * 60 * 1000,
});
async function retain(o: Parameters<typeof rule>[0]): Promise<void> {
  const tasks = [f.task.id];
  await f.h.service.retain({ tasks, old: tasks, rule: rule(o), signal });
}
const snapshots = (): number => new Set(saved().map((p) => p.snapshotId)).size;
const saved = (): readonly CheckpointRow[] => f.points().filter((p) => p.snapshotId !== null);

describe('what may go', () => {
  const row = (id: string, o: Partial<CheckpointRow> = {}): CheckpointRow =>
    ({
      type: 'checkpoint',
      checkpointId: `c_${id}`,
      kind: 'turn',
      snapshotId: id,
      at: `2026-01-0${id}T00:00:00.000Z`,
      ...o,
    }) as never;
  const view = (rows: CheckpointRow[], o: Partial<TaskView> = {}): TaskView =>
    ({ rows, favorite: false, running: null, restores: [], ...o }) as never;
  const ids = (v: TaskView): unknown => releasable(v).rows.map((r) => r.snapshotId);

  it('is the beginning of a task, up to what stays', () => {
    const rows = ['1', '2', '3', '4'].map((n) => row(n));
    expect(ids(view(rows))).toEqual(['1', '2', '3']);
    expect(ids(view([row('1'), row('2', { kind: 'manual' }), row('3'), row('4')]))).toEqual(['1']);
    expect(ids(view(rows, { favorite: true }))).toEqual([]);
    expect(ids(view(rows, { running: 'r_1' as never }))).toEqual([]);
    expect(ids(view(rows, { restores: [{ redo: 'c_3' }] as never }))).toEqual(['1', '2']);
    expect(ids(view([row('1')]))).toEqual([]);
  });

  it('by age: what was saved before, and a snapshot that serves a later checkpoint stays', () => {
    const at = (n: string): number => Date.parse(`2026-01-0${n}T00:00:00.000Z`);
    const rows = ['1', '2', '3', '4'].map((n) => row(n));
    expect(releasedBefore(view(rows), at('3'))).toEqual({ gone: ['1', '2'], first: '3' });
    expect(releasedBefore(view(rows), at('1'))).toBe(null);
    expect(releasedBefore(view(rows), at('9'))).toEqual({ gone: ['1', '2', '3'], first: '4' });
    const twice = [row('1'), row('2', { snapshotId: '3' as SnapshotId }), row('3'), row('4')];
    expect(releasedBefore(view(twice), at('3'))).toEqual({ gone: ['1'], first: '3' });
  });
});

describe('a store', () => {
  it('past its days: old snapshots go with their space, the marker says so, the rest restores (fault 61)', async () => {
    f = await openFault({ 'a.txt': 'one\n', 'by-hand.txt': 'mine\n' });
    await f.run('create big.txt with "the only copy of this text"');
    await f.run('delete big.txt');
    await f.run('replace "one" with "two" in a.txt');
    const state = f.tree();
    const last = saved().at(-1)?.checkpointId as never;
    await f.run('replace "two" with "three" in a.txt\ncreate c.txt with "c"');
    f.put('by-hand.txt', 'mine, edited\n');
    const old = saved()[1]?.checkpointId as never;
    age();
    // days later, with one checkpoint made since
    await retain({ keepDays: 5, later: 3 });
    expect(f.points().some((p) => p.released !== null)).toBe(false);
    expect(held('the only copy of this text')).toBe(true);
    await retain({ keepDays: 5, later: 8 });
    expect(snapshots()).toBe(1);
    expect(held('the only copy of this text')).toBe(false);
    git('fsck', '--full', '--strict', '--no-dangling');
    await expect(f.restore(old)).rejects.toMatchObject({
      code: 'snapshot-missing',
      message: expect.stringContaining('kept no longer'),
    });
    await expect(f.restore(last)).rejects.toMatchObject({ code: 'snapshot-missing' });
    expect(f.text('a.txt')).toBe('three\n');
    // the task goes on, and what is saved from now on restores
    const before = f.tree();
    await f.run('delete c.txt\nreplace "three" with "four" in a.txt');
    await f.restore(f.cp(5 - 1));
    expect(f.text('a.txt')).toBe('three\n');
    expect(f.tree()).toEqual(before);
    expect(state).not.toEqual(before);
    git('fsck', '--full', '--strict', '--no-dangling');
  });

  it('keeps a named checkpoint and all that came after it, and a favourite whole', async () => {
    f = await openFault({ 'a.txt': '0\n' });
    await f.run('replace "0" with "1" in a.txt');
    await f.run('replace "1" with "2" in a.txt');
    await f.h.service.saveNamed(f.task, 'good');
    await f.run('replace "2" with "3" in a.txt\ncreate made.txt with "m"');
    await f.run('replace "3" with "4" in a.txt');
    await retain({ keepDays: 1, later: 30 });
    const left = saved();
    expect(left.map((r) => r.kind)).toContain('manual');
    const named = left.find((r) => r.kind === 'manual');
    await f.restore(named?.checkpointId as never);
    expect([f.text('a.txt'), f.has('made.txt')]).toEqual(['2\n', false]);
    const other = await f.beside();
    await other.run('create other.txt with "o"');
    await other.run('delete other.txt');
    await other.task.append({ type: 'task.favorited', favorite: true });
    const count = other.points().length;
    await f.h.service.retain({
      tasks: [other.task.id],
      old: [other.task.id],
      rule: rule({ later: 999 }),
      signal,
    });
    expect(other.points().filter((p) => p.snapshotId !== null)).toHaveLength(count);
  });

  it('past its size: the oldest go, again and again, until it fits or nothing may go', async () => {
    f = await openFault({ 'a.txt': 'x' });
    for (let i = 0; i < 12; i++) {
      f.put(
        'noise',
        Buffer.from(Array.from({ length: 40_000 }, (_, n) => (n * n * (i + 3) + (n >> 3)) % 251)),
      );
      await f.run(`create f${i}.txt with "text ${i}"`);
    }
    age();
    const bytes = async (): Promise<number> => (await (await f.h.service.engine()).state({ signal })).bytes;
    const [full, all] = [await bytes(), snapshots()];
    const capBytes = Math.floor(full * 0.7);
    for (let i = 0; i < 9 && (await bytes()) > capBytes; i++) {
      const before = snapshots();
      await retain({ capBytes });
      // the pack that a clean-up makes is young: until it is not, nothing more is let go than what has to be
      await retain({ capBytes });
      expect(before - snapshots()).toBeLessThanOrEqual(Math.ceil(before / 4) + 1);
      age();
    }
    expect(await bytes()).toBeLessThanOrEqual(capBytes);
    expect(snapshots()).toBeGreaterThan(1);
    expect(snapshots()).toBeLessThan(all);
    expect(f.points().some((p) => p.released === 'cap')).toBe(true);
    for (let i = 0; i < 30 && snapshots() > 1; i++) {
      await retain({ capBytes: 0 });
      age();
    }
    expect(snapshots()).toBe(1);
    git('fsck', '--full', '--strict', '--no-dangling');
  });

  it('tells the same after a restart, and the deletion of the task leaves nothing', async () => {
    f = await openFault({ 'a.txt': '0\n' });
    await f.run('replace "0" with "1" in a.txt');
    await f.run('create secretless.txt with "only here"');
    await f.run('delete secretless.txt');
    await retain({ keepDays: 1, later: 30 });
    const rows = checkpointRows(f.task.view()).map((r) => [r.checkpointId, r.snapshotId, r.released]);
    const again = benchOf(f.h, await f.h.openTask(f.task.id));
    expect(checkpointRows(again.task.view()).map((r) => [r.checkpointId, r.snapshotId, r.released])).toEqual(
      rows,
    );
    await f.h.service.forget(f.task.id);
    age();
    await (await f.h.service.engine()).maintain({ signal });
    expect(held('only here')).toBe(false);
    git('fsck', '--full', '--no-dangling');
    // the cut that was left names nothing any more, and does no harm
    const next = await f.beside();
    await next.run('replace "1" with "2" in a.txt');
    await next.run('replace "2" with "3" in a.txt');
    await next.h.service.retain({
      tasks: [next.task.id],
      old: [next.task.id],
      rule: rule({ later: 999 }),
      signal,
    });
    git('fsck', '--full', '--no-dangling');
  });
});
