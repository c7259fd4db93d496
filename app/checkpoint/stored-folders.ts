// What stores there are, without opening a workspace: whose folder each one holds, and its newest snapshot.
// Owns: `meta.json`, finding stores below the checkpoints folder. Does not own: making one (make-store.ts).
// Invariant: reading only; a store that cannot be read is no reason to hide the others.
import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { isAbort, TidemarkError, throwIfAborted } from '../../shared/errors';
import type { SnapshotId } from '../../shared/ids';
import type { Cancel } from './engine';
import { isAbsent } from './failure';
import { gitPlace, gitText } from './git';
import { openObjects } from './objects';
import { type Store, storeAt } from './shadow-repo';

const metaSchema = z.looseObject({
  v: z.literal(1),
  workspace: z.string(),
  device: z.string(),
  inode: z.string(),
});
export type Meta = z.infer<typeof metaSchema>;

/** Where a store's workspace was; null when nothing readable says so. */
export function readMeta(folder: string): Meta | null {
  try {
    const text = fs.readFileSync(path.join(folder, 'meta.json'), 'utf8');
    return metaSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch (thrown) {
    if (isAbsent(thrown) || thrown instanceof SyntaxError) return null;
    throw thrown;
  }
}

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

/** Every store by the path of its workspace, as its meta.json says. Stores set aside are not among them. */
export function storedWorkspaces(checkpointsFolder: string): { workspace: string; meta: Meta }[] {
  let names: string[];
  try {
    names = fs.readdirSync(checkpointsFolder);
  } catch (thrown) {
    if (isAbsent(thrown)) return [];
    throw thrown;
  }
  return names
    .filter((n) => /^[0-9a-f]{32}$/.test(n))
    .map((n) => readMeta(path.join(checkpointsFolder, n)))
    .filter((m) => m !== null)
    .map((meta) => ({ workspace: meta.workspace, meta }));
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
