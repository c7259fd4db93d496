// `Revert this hunk`: a restore of a few lines of one file.
// Owns: the order of its steps. Does not own: the new bytes (revert-hunk), stopping runs (service).
// Invariants: as for every restore a redo point is in the log before the first byte moves, and holds what is overwritten;
// the file is exchanged as a whole, so a crash leaves it as it was or as it was to be.
import { constants } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import type { Change, RestoreOutcome } from '../../shared/domain';
import { isAbort, TidemarkError, toErrorInfo } from '../../shared/errors';
import type { FactOf } from '../../shared/events';
import type { CheckpointId, SnapshotId } from '../../shared/ids';
import type { Comparison, Hunk } from '../../shared/ipc';
import { type RelPath, relPathOf } from '../../shared/rel-path';
import type { CheckpointEngine, Hold } from '../checkpoint/engine';
import { type Place, resolveInside } from '../workspace/resolve-inside';
import { atPlace } from '../workspace/workspace';
import { writeWhole } from '../workspace/write-file';
import { endsOf, oldPathOf } from './compare';
import { recordedPaths } from './own-steps';
import { revertedBytes } from './revert-hunk';
import { outcomeOf } from './rewind';
import { saveCheckpoint } from './save-checkpoint';
import type { Task } from './task';

export type HunkRequest = { readonly comparison: Comparison; readonly change: Change; readonly hunk: Hunk };

export type HunkPlace = { readonly engine: CheckpointEngine; readonly hold: Hold; readonly root: string };

/**
 * @throws plan-stale when the file is not as it was shown; unsupported; checkpoint-failed; restore-failed: nothing has
 * changed then
 */
export async function restoreHunk(
  task: Task,
  { engine, hold, root }: HunkPlace,
  { comparison, change, hunk }: HunkRequest,
  signal: AbortSignal,
): Promise<RestoreOutcome> {
  await task.refresh();
  const ends = endsOf(task.view(), comparison);
  const path = relPathOf(change);
  const before = await engine.read(ends.fromSnapshot, oldPathOf(change), { signal });
  const place = await resolveInside(root, textPath(change), 'entry');
  if (before === null || place.type !== 'file') throw notThere(change.path);
  await access(place.absolute, constants.W_OK).catch((cause: unknown) => {
    throw failed(change.path, cause);
  });
  const now = await readFile(place.absolute);
  const bytes = revertedBytes(before, now, hunk);
  const redo = await saveRedo(task, engine, hold, path, now, signal);
  const after = await exchange(root, place, bytes, now, () =>
    hold.capture({
      signal,
      touched: [...new Set([...recordedPaths(task.view()), path])],
      trailers: { taskId: task.id, runId: null, kind: 'restored' },
    }),
  );
  const file = {
    path: change.path,
    ...(change.pathBase64 === undefined ? {} : { pathBase64: change.pathBase64 }),
  };
  const fact: FactOf<'restore.completed'> = {
    type: 'restore.completed',
    to: ends.from.checkpointId,
    redo,
    scope: 'files',
    whole: false,
    only: [file],
    taskRestored: false,
    filesRestored: true,
    line: task.view().line,
    snapshotId: after,
    files: [{ ...file, action: 'revert', by: 'task' }],
    conflicts: [],
    notCovered: [],
    prompt: null,
    filesError: null,
  };
  await task.append(fact);
  return outcomeOf(fact);
}

/** Names that are no text cannot be given to what looks for links in the way. @throws unsupported */
function textPath(change: Change): string {
  if (change.pathBase64 === undefined) return change.path;
  throw new TidemarkError('unsupported', `The name of ${change.path} is not UTF-8.`, {
    hint: 'Use Restore file for the whole of it. Nothing was changed.',
  });
}

/** @throws checkpoint-failed when the redo point would not hold what is about to be overwritten */
async function saveRedo(
  task: Task,
  engine: CheckpointEngine,
  hold: Hold,
  path: RelPath,
  now: Buffer,
  signal: AbortSignal,
): Promise<CheckpointId> {
  const saved = await saveCheckpoint(engine, hold, {
    task,
    kind: 'redo',
    runId: null,
    own: 'user',
    touched: [path],
    signal,
  });
  const held = await engine.read(saved.snapshotId, path, { signal });
  if (held !== null && now.equals(held)) return saved.checkpointId;
  throw new TidemarkError(
    'checkpoint-failed',
    'The redo point does not hold this file. Nothing was changed.',
    {
      hint: 'It may have changed at this moment, or be larger than checkpoints keep. Try again.',
    },
  );
}

/** Writes, then saves what that made; when it cannot be saved the old bytes come back. */
async function exchange(
  root: string,
  place: Place,
  bytes: Buffer,
  old: Buffer,
  save: () => Promise<{ readonly id: SnapshotId }>,
): Promise<SnapshotId> {
  const write = (content: Buffer): Promise<void> =>
    atPlace(root, place, false, (pinned) => writeWhole(pinned, content));
  try {
    await write(bytes);
  } catch (error) {
    throw failed(place.text, error);
  }
  try {
    return (await save()).id;
  } catch (error) {
    await write(old);
    throw isAbort(error) ? error : failed(place.text, error);
  }
}

const failed = (path: string, cause: unknown): TidemarkError =>
  new TidemarkError('restore-failed', `${path} could not be written. ${toErrorInfo(cause).message}`, {
    cause,
    hint: 'The file is as it was.',
    paths: [path],
  });

const notThere = (path: string): TidemarkError =>
  new TidemarkError('plan-stale', `${path} is not there as it was shown. Nothing was changed.`, {
    hint: 'Look at the comparison as it is now.',
  });
