// Saving a snapshot: scan, write what is new as one pack, then move the task's ref.
// Owns: the order of these steps. Invariants: the ref moves last and only by compare-and-swap, so a snapshot that did
// not finish is invisible; the stat cache is told after that, and may forget it without harm.
import { TidemarkError, throwIfAborted } from '../../shared/errors';
import type { SnapshotId } from '../../shared/ids';
import { type RelPath, relPathToText } from '../../shared/rel-path';
import type { Cancel, CaptureResult, Trailers } from './engine';
import type { Batch, StoredObject } from './objects';
import type { Present, Scanner, Seen } from './scan';
import { isSecretReason } from './secrets';
import type { Store } from './shadow-repo';
import { openSnapshot, snapshotTree, treeOfCommit, writeCommit } from './snapshot';
import { beginMove, moveTip, tipOf } from './task-ref';
import { FOLDER_MODE, lookUp, type Tree } from './tree';

export type CaptureContext = { readonly store: Store; readonly scanner: Scanner };
type Request = Cancel & { readonly trailers: Trailers };

/** The task's newest snapshot. A damaged one is said so, and nothing is put on top of it. */
async function readTip(store: Store, taskId: string): Promise<StoredObject | null> {
  try {
    return await tipOf(store, taskId);
  } catch (cause) {
    if (!(cause instanceof TidemarkError) || cause.code !== 'snapshot-missing') throw cause;
    throw new TidemarkError(
      'store-damaged',
      "This task's newest snapshot cannot be read, so no further one is put on top of it.",
      {
        cause,
        hint: 'A new task in this folder saves checkpoints as before.',
      },
    );
  }
}

/** Makes the objects durable, then moves the task's ref: what the ref needs is synced along with them. */
async function saveAndMove(
  store: Store,
  batch: Batch,
  from: string | null,
  to: SnapshotId,
  o: Request,
): Promise<void> {
  const { taskId } = o.trailers;
  const move = beginMove(store, taskId, from, to);
  if (move === null) {
    await batch.flush();
    throwIfAborted(o.signal);
    await moveTip(store, taskId, from, to);
    return;
  }
  try {
    await batch.flush(move.take);
    throwIfAborted(o.signal);
    move.finish();
  } finally {
    move.end();
  }
}

/** Makes a scan the task's newest snapshot, or finds that its newest one is equal. */
async function commit(
  c: CaptureContext,
  present: Present,
  batch: Batch,
  o: Request,
): Promise<{ id: SnapshotId; reused: boolean }> {
  const { taskId } = o.trailers;
  const tree = snapshotTree(batch, present.root, present.record);
  const tip = await readTip(c.store, taskId);
  if (tip !== null && treeOfCommit(tip) === tree) {
    c.scanner.keep(present);
    return { id: tip.oid as SnapshotId, reused: true };
  }
  const id = writeCommit(batch, { tree, parent: tip?.oid ?? null, trailers: o.trailers, at: new Date() });
  await saveAndMove(c.store, batch, tip?.oid ?? null, id, o);
  c.scanner.keep(present);
  return { id, reused: false };
}

export async function capture(
  c: CaptureContext,
  o: Request & { readonly touched?: readonly RelPath[]; readonly since?: Tree; readonly seen?: Seen | null },
): Promise<CaptureResult> {
  const start = performance.now();
  const batch = c.store.objects.batch();
  const present = await c.scanner.scan({
    batch,
    signal: o.signal,
    ...(o.touched === undefined ? {} : { touched: o.touched }),
    ...(o.since === undefined ? {} : { since: o.since }),
    ...(o.seen == null ? {} : { seen: o.seen }),
  });
  const made = await commit(c, present, batch, o);
  return { ...made, skipped: present.record.skipped, ms: Math.round(performance.now() - start) };
}

/** Of these paths, the ones of which the task's newest snapshot says nothing although they could have been there. */
async function unheld(c: CaptureContext, paths: readonly RelPath[], o: Request): Promise<RelPath[]> {
  const tip = await readTip(c.store, o.trailers.taskId);
  if (tip === null) return [...paths];
  const snapshot = await openSnapshot(c.store, tip.oid as SnapshotId);
  const absent: RelPath[] = [];
  for (const p of paths) {
    const entry = await lookUp(snapshot.readTree, snapshot.root, p);
    if (entry === null || entry.mode === FOLDER_MODE) absent.push(p);
  }
  return absent;
}

/**
 * Keeps the present content of paths that the task's newest snapshot does not hold, absence included: a path that the
 * rules leave out and that is not there is recorded as such, so that a restore may remove what is made of it.
 * A secret is no failure: it is never kept, and whoever changes one has been asked.
 * @throws checkpoint-failed with `paths` when a content cannot be kept
 */
export async function protect(c: CaptureContext, paths: readonly RelPath[], o: Request): Promise<void> {
  const wanted = await unheld(c, paths, o);
  if (wanted.length === 0) return;
  const batch = c.store.objects.batch();
  const present = await c.scanner.scan({ batch, signal: o.signal, touched: wanted, only: true });
  const lost = present.record.skipped.filter(
    ({ path, why }) => wanted.includes(path) && !isSecretReason(why),
  );
  if (lost.length > 0) {
    const names = lost.map(({ path, why }) => `${relPathToText(path).path} (${why})`);
    throw new TidemarkError(
      'checkpoint-failed',
      `${names.join(', ')} could not be kept, so it was not changed.`,
      { paths: lost.map(({ path }) => relPathToText(path).path) },
    );
  }
  await commit(c, present, batch, { ...o, trailers: { ...o.trailers, kind: 'protect' } });
}

/**
 * Brings the stat cache up to date without saving a snapshot, so that the first one is quick. This needs no hold, so
 * objects may be removed meanwhile: then nothing of it is kept. @returns false when that happened
 */
export async function warmUp(
  c: CaptureContext,
  o: Cancel & { readonly stillTrue: () => boolean },
): Promise<boolean> {
  const batch = c.store.objects.batch();
  const present = await c.scanner.scan({ batch, signal: o.signal });
  batch.writeTree(present.root);
  await batch.flush();
  if (!o.stillTrue()) return false;
  c.scanner.keep(present);
  c.scanner.cache.save();
  return true;
}
