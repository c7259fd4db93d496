// Letting go of snapshots: a task's ref goes, and HEAD moves off them, so that a clean-up may remove what they hold.
// Invariant: the mark of garbage is on disk before the first ref goes; a crash in between costs a needless clean-up.
import fs from 'node:fs';
import path from 'node:path';
import { TidemarkError } from '../../shared/errors';
import type { SnapshotId } from '../../shared/ids';
import { placeDurably } from './durable';
import type { Cancel } from './engine';
import { isAbsent } from './failure';
import { markGarbage } from './garbage';
import { gitText, runGit } from './git';
import type { Store } from './shadow-repo';
import { newestSnapshot } from './stored-folders';
import { dropTip, refOf } from './task-ref';

/** HEAD stands for the newest snapshot of all; with none left it names a branch that is not there. */
async function moveHead(store: Store, o: Cancel): Promise<void> {
  const newest = await newestSnapshot(store, o).catch(() => null);
  const args =
    newest === null
      ? ['symbolic-ref', 'HEAD', 'refs/heads/none']
      : ['update-ref', '--no-deref', 'HEAD', newest.id];
  await runGit(store.place, args, o);
}

/** Drops the refs of tasks. Called with the lock held. */
export async function letGo(store: Store, taskIds: readonly string[], o: Cancel): Promise<void> {
  markGarbage(store);
  for (const id of taskIds) await dropTip(store, id);
  await moveHead(store, o);
}

const shallowFile = (store: Store): string => path.join(store.gitDir, 'shallow');

/** Where chains are cut: git takes these snapshots for ones without a parent. */
function cutsOf(store: Store): string[] {
  try {
    return fs
      .readFileSync(shallowFile(store), 'latin1')
      .split('\n')
      .filter((l) => l !== '');
  } catch (thrown) {
    if (isAbsent(thrown)) return [];
    throw thrown;
  }
}

/**
 * Lets go of a task's snapshots before this one. Called with the lock held. No snapshot is written anew, so each keeps
 * its id: the cut is a line in git's own list of them (`shallow`), put in place as a whole.
 * @throws snapshot-missing when the snapshot is none of the task's
 */
export async function letGoBefore(store: Store, taskId: string, first: SnapshotId, o: Cancel): Promise<void> {
  const chain = await chainOf(store, taskId, o);
  const at = chain.indexOf(first);
  if (at < 0)
    throw new TidemarkError('snapshot-missing', 'This snapshot is not one of the task. Nothing was let go.');
  if (at === chain.length - 1) return;
  markGarbage(store);
  const gone = new Set(chain.slice(at + 1));
  const cuts = new Set([...cutsOf(store).filter((id) => !gone.has(id)), first]);
  placeDurably(shallowFile(store), [Buffer.from(`${[...cuts].sort().join('\n')}\n`)]);
}

/** A task's snapshots, the newest first. */
async function chainOf(store: Store, taskId: string, o: Cancel): Promise<string[]> {
  const args = ['rev-list', '--first-parent', refOf(taskId), '--'];
  return (await gitText(store.place, args, o)).split('\n').filter((l) => l !== '');
}

/** The tasks that have snapshots in the store. */
export async function tasksIn(store: Store, o: Cancel): Promise<string[]> {
  const names = await gitText(
    store.place,
    ['for-each-ref', '--format=%(refname:lstrip=3)', 'refs/tidemark/t/'],
    o,
  );
  return names.split('\n').filter((l) => l !== '');
}
