// Comparing for people: which two snapshots a comparison means, their changes, and both sides of one file.
// Owns: the meaning of the four comparisons (SPEC 5). Does not own: the tree comparison (engine) or drawing it.
import { lstat, readFile, readlink, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { Change, FileSide } from '../../shared/domain';
import { TidemarkError } from '../../shared/errors';
import {
  activeRows,
  type CheckpointRow,
  checkpointById,
  checkpointRows,
  RELEASED_WORDS,
  type TaskView,
} from '../../shared/fold';
import type { CheckpointId, SnapshotId } from '../../shared/ids';
import type { ChangeList, Comparison, Point } from '../../shared/ipc';
import { type PathText, type RelPath, relPathOf } from '../../shared/rel-path';
import type { CheckpointEngine } from '../checkpoint/engine';
import { toChange } from './engine-edge';
import { fileSide, LARGE_BYTES, linkSide } from './file-side';

type Ends = {
  readonly title: string;
  readonly from: CheckpointRow;
  readonly fromSnapshot: SnapshotId;
  readonly to: CheckpointRow | null;
  readonly toSnapshot: SnapshotId | 'workspace';
};

/** @throws checkpoint-unknown; snapshot-missing for a checkpoint that has no snapshot */
export function endsOf(view: TaskView, comparison: Comparison): Ends {
  switch (comparison.kind) {
    case 'since': {
      const from = rowOf(view, comparison.from);
      return {
        title: 'Changes since snapshot',
        from,
        fromSnapshot: snapshotOf(from),
        to: null,
        toSnapshot: 'workspace',
      };
    }
    case 'between': {
      const from = rowOf(view, comparison.from);
      const to = rowOf(view, comparison.to);
      return {
        title: 'Changes between snapshots',
        from,
        fromSnapshot: snapshotOf(from),
        to,
        toSnapshot: snapshotOf(to),
      };
    }
    case 'turn': {
      const to = rowOf(view, comparison.at);
      const before = checkpointRows(view).findLast((r) => r.seq < to.seq && r.snapshotId !== null);
      const from = before ?? to;
      const title = to.own === 'user' ? 'Your changes' : 'Changes of this turn';
      return { title, from, fromSnapshot: to.before ?? snapshotOf(from), to, toSnapshot: snapshotOf(to) };
    }
    case 'completion': {
      const to = rowOf(view, comparison.at);
      const rows = activeRows(view).filter(
        (r): r is CheckpointRow => r.type === 'checkpoint' && r.snapshotId !== null && r.seq < to.seq,
      );
      const from = rows.findLast((r) => r.kind === 'completion') ?? rows.at(0) ?? to;
      return { title: 'New changes', from, fromSnapshot: snapshotOf(from), to, toSnapshot: snapshotOf(to) };
    }
  }
}

/** The list that the diff viewer shows, with line counts. */
export async function listChanges(
  engine: CheckpointEngine,
  view: TaskView,
  comparison: Comparison,
  signal: AbortSignal,
): Promise<ChangeList> {
  const ends = endsOf(view, comparison);
  const changes = await engine.changes(ends.fromSnapshot, ends.toSnapshot, { signal, counts: true });
  const to: Point = ends.to?.checkpointId ?? 'workspace';
  return {
    comparison,
    title: ends.title,
    from: ends.from.checkpointId,
    fromAt: ends.from.at,
    to,
    toAt: ends.to?.at ?? null,
    changes: changes.map(toChange),
  };
}

/** Where the older side lies. */
export function oldPathOf(change: Change): RelPath {
  if (change.oldPath === undefined) return relPathOf(change);
  const bytes = change.oldPathBase64 === undefined ? {} : { pathBase64: change.oldPathBase64 };
  return relPathOf({ path: change.oldPath, ...bytes });
}

/** Both sides of one change of the list. Large files come without text unless `force`. */
export async function readChange(
  engine: CheckpointEngine,
  workspace: string,
  view: TaskView,
  comparison: Comparison,
  change: Change,
  force: boolean,
  signal: AbortSignal,
): Promise<{ before: FileSide | null; after: FileSide | null }> {
  const ends = endsOf(view, comparison);
  const newPath = relPathOf(change);
  const oldPath = oldPathOf(change);
  const atSnapshot = async (
    id: SnapshotId,
    path: RelPath,
    mode: string | undefined,
  ): Promise<FileSide | null> => {
    const bytes = await engine.read(id, path, { signal });
    if (bytes === null) return null;
    return mode === '120000' ? linkSide(bytes) : fileSide(bytes, force);
  };
  return {
    before: change.kind === 'added' ? null : await atSnapshot(ends.fromSnapshot, oldPath, change.oldMode),
    after:
      change.kind === 'deleted'
        ? null
        : ends.toSnapshot === 'workspace'
          ? await onDisk(workspace, newPath, force)
          : await atSnapshot(ends.toSnapshot, newPath, change.newMode),
  };
}

/**
 * A file of the workspace as it is now; null when it is not there. A link is shown as its target, never followed.
 * @throws path-refused when a folder above it is a link that leads out of the workspace
 */
export async function onDisk(workspace: string, relPath: RelPath, force: boolean): Promise<FileSide | null> {
  const file = Buffer.from(`${Buffer.from(`${workspace}/`).toString('latin1')}${relPath}`, 'latin1');
  try {
    const parent = await realpath(file.subarray(0, file.lastIndexOf(0x2f)), { encoding: 'latin1' });
    const root = Buffer.from(workspace).toString('latin1');
    if (parent !== root && !parent.startsWith(root + path.sep)) {
      throw new TidemarkError('path-refused', `${file.toString()} is outside the workspace.`);
    }
    const info = await lstat(file);
    if (info.isSymbolicLink()) return linkSide(await readlink(file, { encoding: 'buffer' }));
    if (info.isDirectory()) return { text: null, bytes: 0, encoding: '', endings: 'none', note: 'folder' };
    if (info.size > LARGE_BYTES && !force) {
      return { text: null, bytes: info.size, encoding: '', endings: 'none', note: 'large' };
    }
    return fileSide(await readFile(file), force);
  } catch (error) {
    const code = (error as { code?: string }).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

/** Letters for the file tree: what differs from the first snapshot on the active line. */
export async function badges(
  engine: CheckpointEngine,
  view: TaskView,
  signal: AbortSignal,
): Promise<(PathText & { badge: 'A' | 'M' | 'D' })[]> {
  const first = activeRows(view).find(
    (r): r is CheckpointRow => r.type === 'checkpoint' && r.snapshotId !== null,
  );
  if (first?.snapshotId == null) return [];
  const changes = await engine.changes(first.snapshotId, 'workspace', { signal });
  return changes.map((c) => {
    const { path, pathBase64 } = toChange(c);
    const badge = c.kind === 'added' ? 'A' : c.kind === 'deleted' ? 'D' : 'M';
    return { path, ...(pathBase64 === undefined ? {} : { pathBase64 }), badge };
  });
}

/** @throws checkpoint-unknown */
export function rowOf(view: TaskView, id: CheckpointId): CheckpointRow {
  const row = checkpointById(view, id);
  if (row === undefined) throw new TidemarkError('checkpoint-unknown', `This task has no checkpoint ${id}.`);
  return row;
}

/** @throws snapshot-missing: never another snapshot in its place */
export function snapshotOf(row: CheckpointRow): SnapshotId {
  if (row.snapshotId !== null) return row.snapshotId;
  const why =
    row.released !== null
      ? RELEASED_WORDS[row.released]
      : row.failed === null
        ? 'It was saved without files.'
        : row.failed.message;
  throw new TidemarkError('snapshot-missing', `The checkpoint ${row.checkpointId} has no snapshot. ${why}`, {
    hint: 'Choose another checkpoint. Nothing was changed.',
  });
}
