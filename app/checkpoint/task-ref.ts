// A task's ref in the store: `refs/tidemark/t/<taskId>`, the tip of an append-only chain of snapshots.
// Invariant: it only moves forward, by compare-and-swap, and never to anything but a whole snapshot.
import fs from 'node:fs';
import path from 'node:path';
import { syncAndClose, syncFolder, syncFolders, writeNew } from './durable';
import { errnoOf, isAbsent } from './failure';
import { runGit } from './git';
import { looseRef, type StoredObject } from './objects';
import type { Store } from './shadow-repo';

export const refOf = (taskId: string): string => `refs/tidemark/t/${taskId}`;

/** The commit of a task's newest snapshot; null: none yet. @throws snapshot-missing */
export function tipOf(store: Store, taskId: string): Promise<StoredObject | null> {
  return store.objects.readRef(refOf(taskId));
}

/**
 * A ref about to move: what `take` gives is to be synced, together with whatever the ref will name, and closed, before
 * `finish`. `end` in any case: it takes away what is left.
 */
export type Move = { take(): readonly number[]; finish(): void; end(): void };

/**
 * Does what `update-ref` would, with git's own locks and without a process: each ref's new value is written to its
 * lock file, which is made exclusively, and renamed over the ref. Null, and nothing done: this is a case for git.
 */
export function beginMove(store: Store, taskId: string, from: string | null, to: string): Move | null {
  if (from === null) return null;
  const files = [refOf(taskId), 'HEAD'].map((name) => path.join(store.gitDir, ...name.split('/')));
  const [file = '', head = ''] = files;
  const locks: string[] = [];
  const open: number[] = [];
  const end = (): void => {
    for (const fd of open.splice(0)) fs.closeSync(fd);
    for (const lock of locks.splice(0)) fs.rmSync(lock, { force: true });
  };
  try {
    for (const f of files) {
      open.push(writeNew(`${f}.lock`, [Buffer.from(`${to}\n`)]));
      locks.push(`${f}.lock`);
    }
    if (looseRef(file) !== from) throw new Moved();
  } catch (thrown) {
    end();
    if (thrown instanceof Moved || errnoOf(thrown) === 'EEXIST' || isAbsent(thrown)) return null;
    throw thrown;
  }
  return {
    take: () => open.splice(0),
    end,
    finish: () => {
      fs.renameSync(`${head}.lock`, head);
      fs.renameSync(`${file}.lock`, file);
      locks.length = 0;
      // HEAD is for people: either of its values is true
      syncFolder(path.dirname(file));
    },
  };
}

class Moved extends Error {}

/** Moves a task's ref, and HEAD for people who look with git, in one transaction. @throws git-failed when it moved */
export async function moveTip(store: Store, taskId: string, from: string | null, to: string): Promise<void> {
  const zero = '0'.repeat(40);
  const orders = [
    'start',
    `update ${refOf(taskId)} ${to} ${from ?? zero}`,
    'option no-deref',
    `update HEAD ${to}`,
    'commit',
    '',
  ];
  await runGit(store.place, ['update-ref', '--stdin'], { input: Buffer.from(orders.join('\n')) });
  const file = path.join(store.gitDir, ...refOf(taskId).split('/'));
  if (fs.existsSync(file)) {
    await syncAndClose([fs.openSync(file, 'r+')]);
    await syncFolders([path.dirname(file)]);
  }
}

/** Drops a task's ref. Its snapshots stay until a clean-up; those that other tasks share stay for good. */
export async function dropTip(store: Store, taskId: string): Promise<void> {
  await runGit(store.place, ['update-ref', '-d', refOf(taskId)]);
}
