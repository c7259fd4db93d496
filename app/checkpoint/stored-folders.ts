// A store without its workspace: opening it, and its newest snapshot.
// Does not own: finding stores (meta.ts). Invariant: reading only.
import { isAbort, TidemarkError, throwIfAborted } from '../../shared/errors';
import type { SnapshotId } from '../../shared/ids';
import type { Cancel } from './engine';
import { gitPlace, gitText } from './git';
import { openObjects } from './objects';
import { type Store, storeAt } from './shadow-repo';

/** A store whose workspace may be gone: git gets the store's own folder where it wants a work tree. */
export function storeWithoutFolder(o: {
  readonly checkpointsFolder: string;
  readonly workspace: string;
  readonly gitProgram?: string;
}): Store {
  const groups = { build: true, media: true, caches: true, archives: true, databases: true, data: true };
  const store = storeAt({ ...o, groups, maxFileBytes: 0 });
  const { program, folder, home, gitDir } = store;
  const place = gitPlace({ program, cwd: folder, home, gitDir, workTree: folder });
  return { ...store, place, objects: openObjects(place, gitDir) };
}

export type Newest = {
  readonly id: SnapshotId;
  /** ISO 8601 */
  readonly at: string;
  /** newest snapshots of tasks that cannot be read: one of them may be newer than this one */
  readonly unreadable: number;
};

/** The newest readable snapshot among the newest ones of all tasks; null: no task has one. @throws snapshot-missing */
export async function newestSnapshot(store: Store, o: Cancel): Promise<Newest | null> {
  const refs = await gitText(store.place, ['for-each-ref', '--format=%(objectname)', 'refs/tidemark/t/'], o);
  let best: { id: SnapshotId; seconds: number } | null = null;
  let unreadable = 0;
  for (const id of new Set(refs.split('\n').filter((l) => l !== ''))) {
    throwIfAborted(o.signal);
    try {
      const text = (await store.objects.read(id)).body.toString('latin1');
      const seconds = Number(/^committer .* (\d+) [+-]\d{4}$/m.exec(text)?.[1]);
      if (best === null || seconds > best.seconds) best = { id: id as SnapshotId, seconds };
    } catch (thrown) {
      if (isAbort(thrown)) throw thrown;
      unreadable += 1;
    }
  }
  if (best === null && unreadable > 0)
    throw new TidemarkError('snapshot-missing', 'No snapshot of this folder can be read any more.');
  return best === null ? null : { id: best.id, at: new Date(best.seconds * 1000).toISOString(), unreadable };
}
