// The point just before a sent message: where editing it goes back to.
// Owns: finding that point, and making one without files where no checkpoint was saved (Ask mode, checkpoints off).
import { TidemarkError } from '../../shared/errors';
import { checkpointRows } from '../../shared/fold';
import { type CheckpointId, newCheckpointId, type RunId } from '../../shared/ids';
import { randomBytes } from './random';
import type { Task } from './task';

/** @throws usage when the message is not on the active line */
export async function pointBefore(
  task: Task,
  runId: RunId,
): Promise<{ checkpointId: CheckpointId; files: boolean }> {
  await task.refresh();
  const view = task.view();
  const place = view.line.findIndex((l) => l.runId === runId);
  if (place < 0) throw new TidemarkError('usage', 'This message is not part of the conversation any more.');
  const saved = checkpointRows(view).find(
    (r) => r.runId === runId && (r.kind === 'initial' || r.kind === 'run') && r.failed === null,
  );
  if (saved !== undefined) return { checkpointId: saved.checkpointId, files: saved.snapshotId !== null };
  const checkpointId = newCheckpointId(randomBytes);
  await task.append({
    type: 'checkpoint.created',
    checkpointId,
    kind: 'run',
    name: null,
    runId,
    snapshotId: null,
    line: view.line.slice(0, place),
    before: null,
    files: 0,
    added: null,
    removed: null,
    skipped: [],
    own: 'none',
    ownPaths: [],
    ms: 0,
  });
  return { checkpointId, files: false };
}
