// A task's ref in the store: `refs/tidemark/t/<taskId>`, the tip of an append-only chain of snapshots.
// Invariant: it only moves forward, by compare-and-swap, and never to anything but a whole snapshot.
import fs from 'node:fs';
import path from 'node:path';
import { syncFolder } from './durable';
import { runGit } from './git';
import type { StoredObject } from './objects';
import type { Store } from './shadow-repo';

export const refOf = (taskId: string): string => `refs/tidemark/t/${taskId}`;

/** The commit of a task's newest snapshot; null: none yet. @throws snapshot-missing */
export function tipOf(store: Store, taskId: string): Promise<StoredObject | null> {
  return store.objects.readRef(refOf(taskId));
}

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
    const fd = fs.openSync(file, 'r+');
    fs.fsyncSync(fd);
    fs.closeSync(fd);
    syncFolder(path.dirname(file));
  }
}

/** Drops a task's ref. Its snapshots stay until a clean-up; those that other tasks share stay for good. */
export async function dropTip(store: Store, taskId: string): Promise<void> {
  await runGit(store.place, ['update-ref', '-d', refOf(taskId)]);
}
