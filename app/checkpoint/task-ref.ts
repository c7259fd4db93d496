// A task's ref in the store: `refs/tidemark/t/<taskId>`, the tip of an append-only chain of snapshots.
// Invariant: it only moves forward, by compare-and-swap, and never to anything but a whole snapshot.
import fs from 'node:fs';
import path from 'node:path';
import { syncAndClose, syncFolders, writeNew } from './durable';
import { errnoOf, isAbsent } from './failure';
import { runGit } from './git';
import type { StoredObject } from './objects';
import type { Store } from './shadow-repo';

export const refOf = (taskId: string): string => `refs/tidemark/t/${taskId}`;

/** The commit of a task's newest snapshot; null: none yet. @throws snapshot-missing */
export function tipOf(store: Store, taskId: string): Promise<StoredObject | null> {
  return store.objects.readRef(refOf(taskId));
}

/** What a ref's own file says; null when git keeps the ref elsewhere, or there is none. */
function looseRef(file: string): string | null {
  try {
    return /^([0-9a-f]{40})\n$/.exec(fs.readFileSync(file, 'latin1'))?.[1] ?? null;
  } catch (thrown) {
    if (isAbsent(thrown)) return null;
    throw thrown;
  }
}

/**
 * Does what `update-ref` would, with git's own locks and without a process: each ref's new value is written to its
 * lock file, which is made exclusively, and renamed over the ref. False, and nothing done: this is a case for git.
 */
async function moveInPlace(store: Store, ref: string, from: string, to: string): Promise<boolean> {
  const files = [ref, 'HEAD'].map((name) => path.join(store.gitDir, ...name.split('/')));
  const [file = '', head = ''] = files;
  const locks: string[] = [];
  const open: number[] = [];
  try {
    for (const f of files) {
      open.push(writeNew(`${f}.lock`, [Buffer.from(`${to}\n`)]));
      locks.push(`${f}.lock`);
    }
    const same = looseRef(file) === from;
    await syncAndClose(open.splice(0));
    if (!same) return false;
    fs.renameSync(`${head}.lock`, head);
    fs.renameSync(`${file}.lock`, file);
    locks.length = 0;
  } catch (thrown) {
    if (errnoOf(thrown) === 'EEXIST' || isAbsent(thrown)) return false;
    throw thrown;
  } finally {
    for (const fd of open) fs.closeSync(fd);
    for (const lock of locks) fs.rmSync(lock, { force: true });
  }
  await syncFolders(files.map((f) => path.dirname(f)));
  return true;
}

/** Moves a task's ref, and HEAD for people who look with git, in one transaction. @throws git-failed when it moved */
export async function moveTip(store: Store, taskId: string, from: string | null, to: string): Promise<void> {
  if (from !== null && (await moveInPlace(store, refOf(taskId), from, to))) return;
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
