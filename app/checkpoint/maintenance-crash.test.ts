// What a kill in the middle of a clean-up leaves.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SnapshotId } from '../../shared/ids';
import { makeTempWorkspace, type TempWorkspace, userGit } from '../testing/temp-workspace';
import { type Bench, bundle, openBench, optionsOf } from './engine-bench';
import type { CrashOrder } from './engine-crash-child';
import { storeFolderOf } from './shadow-repo';

const OTHER = 't_other0000000';
let w: TempWorkspace;
let built: Awaited<ReturnType<typeof bundle>>;
beforeAll(async () => {
  built = await bundle('engine-crash-child.ts', 'es');
});
afterAll(() => built.dispose());
beforeEach(() => {
  w = makeTempWorkspace();
});
afterEach(() => w.dispose());

const git = (...args: string[]): string =>
  userGit(w.outside, '--git-dir', path.join(storeFolderOf(w.checkpointsFolder, w.root), '.git'), ...args);

async function withBench<T>(use: (b: Bench) => Promise<T>, taskId?: string): Promise<T> {
  const b = openBench(w, taskId === undefined ? {} : { taskId });
  try {
    return await use(b);
  } finally {
    await b.close();
  }
}

/** One more snapshot that stays, and one of another task that was let go. */
async function addGarbage(n: number): Promise<SnapshotId> {
  w.put(`stays/${n}.txt`, `stays ${n}`);
  const kept = await withBench((b) => b.capture());
  w.put('goes.txt', `of the deleted task ${n}`);
  await withBench(async (b) => {
    await b.capture();
    await b.held((h) => h.forget(OTHER));
  }, OTHER);
  w.remove('goes.txt');
  await withBench((b) => b.capture());
  return kept;
}

/** True when the child came to its end, false when it was killed before the n-th change that it makes on disk. */
function cleanUntil(n: number): boolean {
  const trailers = { taskId: OTHER, runId: null, kind: 'turn' };
  const order: CrashOrder = { options: optionsOf(w), dieBefore: n, trailers, restore: 'maintain' };
  const { status, signal, stderr } = spawnSync(process.execPath, [built.file, JSON.stringify(order)]);
  if (signal === 'SIGKILL') return false;
  expect(`${status} ${stderr}`).toBe('0 ');
  return true;
}

describe('a kill before any step of a clean-up', () => {
  it('loses no snapshot, keeps the store of use, and the next one ends the work', async () => {
    const kept: SnapshotId[] = [];
    for (let n = 1; ; n++) {
      kept.push(await addGarbage(n));
      const whole = cleanUntil(n);
      await withBench(async (b) => {
        for (const id of kept) expect(await b.engine.has(id, b.cancel)).toBe(true);
        w.put('next.txt', `${n}`);
        kept.push(await b.capture());
        expect(await b.engine.changes(kept.at(-1) as SnapshotId, 'workspace', b.cancel)).toEqual([]);
      });
      git('fsck', '--full', '--no-dangling');
      if (whole) break;
    }
    await withBench(async (b) => {
      await b.engine.maintain({ ...b.cancel, safeAgeMs: 0 });
      await b.engine.maintain({ ...b.cancel, safeAgeMs: 0 });
    });
    expect(kept.length).toBeGreaterThan(10);
    expect(git('cat-file', '--batch-all-objects', '--batch')).not.toContain('of the deleted task');
    git('fsck', '--full', '--strict');
  });
});
