// A snapshot in the store: a commit whose tree is the workspace's files plus the record in `.tidemark/`.
// Owns: writing the commit, reading one back as a view, walking a task's chain.
// Invariant: a snapshot is complete before its ref names it; an unreadable one is `snapshot-missing`, never empty.
import { TidemarkError } from '../../shared/errors';
import type { SnapshotId } from '../../shared/ids';
import type { RelPath } from '../../shared/rel-path';
import type { EntryState, Trailers } from './engine';
import { gitText, runGit } from './git';
import { IDENTITY } from './git-env';
import type { Batch, Objects, StoredObject } from './objects';
import { parseRecord, type Record, writeRecord } from './record';
import type { Store } from './shadow-repo';
import { lookUp, parseTree, RECORD_FOLDER, type Tree } from './tree';
import type { View } from './view';

export type Snapshot = View & { readonly id: SnapshotId; readonly tree: string };

const gone = (id: string): TidemarkError =>
  new TidemarkError(
    'snapshot-missing',
    `There is no readable snapshot ${id.slice(0, 12)} in this folder's store.`,
    {
      hint: 'Nothing was touched. Choose another checkpoint.',
    },
  );

/** The root tree that a commit names. */
export function treeOfCommit(commit: StoredObject): string {
  const tree = /^tree ([0-9a-f]{40})\n/.exec(commit.body.toString('latin1', 0, 46))?.[1];
  if (commit.type !== 'commit' || tree === undefined) throw gone(commit.oid);
  return tree;
}

/** Reads a snapshot's root tree and record. @throws snapshot-missing */
export async function openSnapshot(
  store: Store,
  id: SnapshotId,
  batch: Batch = store.objects.batch(),
  read: Objects['read'] = store.objects.readKept,
): Promise<Snapshot> {
  const tree = treeOfCommit(await read(id));
  const root = parseTree((await read(tree)).body);
  const entry = await lookUp(batch.readTree, root, `${RECORD_FOLDER}/snapshot/record` as RelPath);
  if (entry === null) throw gone(id);
  const record = parseRecord((await read(entry.oid)).body.toString('utf8'));
  return { id, tree, root, record, readTree: batch.readTree };
}

/** The bytes behind a state. @throws snapshot-missing */
export async function contentOf(store: Store, state: EntryState): Promise<Buffer> {
  if (state.oid === null) throw new TidemarkError('failed', 'A folder has no content.');
  return (await store.objects.read(state.oid)).body;
}

/** Adds the record to a content tree: the root tree of a snapshot. */
export function snapshotTree(batch: Batch, root: Tree, record: Record): string {
  return batch.writeTree(new Map(root).set(RECORD_FOLDER, writeRecord(batch, record)));
}

/** Writes a commit into the batch. The trailers say whose it is. */
export function writeCommit(
  batch: Batch,
  o: { tree: string; parent: string | null; trailers: Trailers; at: Date },
): SnapshotId {
  const who = `${IDENTITY} ${Math.floor(o.at.getTime() / 1000)} +0000`;
  const { taskId, runId, kind } = o.trailers;
  const lines = [
    `tree ${o.tree}`,
    ...(o.parent === null ? [] : [`parent ${o.parent}`]),
    `author ${who}`,
    `committer ${who}`,
    '',
    `${kind} checkpoint`,
    '',
    `Tidemark-Task: ${taskId}`,
    ...(runId === null ? [] : [`Tidemark-Run: ${runId}`]),
    `Tidemark-Kind: ${kind}`,
    '',
  ];
  return batch.write('commit', Buffer.from(lines.join('\n'))) as SnapshotId;
}

/** A chain this long is walked here; for longer ones git takes less time. */
const SHORT_CHAIN = 16;

/** The chain from `after` to `tip`, when that is short; null: git has to look. */
async function shortChain(store: Store, after: string, tip: string): Promise<SnapshotId[] | null> {
  const out: SnapshotId[] = [];
  for (let at: string | undefined = tip; at !== after; ) {
    if (at === undefined || out.length === SHORT_CHAIN) return null;
    out.push(at as SnapshotId);
    // the chain may be cut here: git knows where
    if (!store.objects.has(at)) return null;
    const commit = await store.objects.readKept(at);
    at = /^tree [0-9a-f]{40}\nparent ([0-9a-f]{40})\n/.exec(commit.body.toString('latin1', 0, 100))?.[1];
  }
  return out.reverse();
}

/** Snapshots of a chain after `after` up to `tip`, oldest first. */
export async function chainAfter(
  store: Store,
  after: string,
  tip: string,
  signal: AbortSignal,
): Promise<SnapshotId[]> {
  const short = await shortChain(store, after, tip);
  if (short !== null) return short;
  const out = await gitText(store.place, ['rev-list', '--reverse', '--first-parent', tip, `^${after}`], {
    signal,
  });
  return out.split('\n').filter((l) => l !== '') as SnapshotId[];
}

/** True when the commit, its record and all its trees can be read. */
export async function isReadable(store: Store, id: SnapshotId, signal: AbortSignal): Promise<boolean> {
  try {
    await openSnapshot(store, id, store.objects.batch(), store.objects.read);
    const { code } = await runGit(store.place, ['ls-tree', '-r', id], {
      signal,
      output: 'drop',
      accept: [0, 1, 128],
    });
    return code === 0;
  } catch (thrown) {
    if (thrown instanceof TidemarkError && thrown.code === 'snapshot-missing') return false;
    throw thrown;
  }
}
