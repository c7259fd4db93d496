// Letting go of snapshots: a task's ref goes, and HEAD moves off them, so that a clean-up may remove what they hold.
// Invariant: the mark of garbage is on disk before the first ref goes; a crash in between costs a needless clean-up.
import type { Cancel } from './engine';
import { markGarbage } from './garbage';
import { gitText, runGit } from './git';
import type { Store } from './shadow-repo';
import { newestSnapshot } from './stored-folders';
import { dropTip } from './task-ref';

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

/** The tasks that have snapshots in the store. */
export async function tasksIn(store: Store, o: Cancel): Promise<string[]> {
  const names = await gitText(
    store.place,
    ['for-each-ref', '--format=%(refname:lstrip=3)', 'refs/tidemark/t/'],
    o,
  );
  return names.split('\n').filter((l) => l !== '');
}
