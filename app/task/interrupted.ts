// Runs without an end: the app died in the middle of them. They are closed at the next open, before anything else.
// Owns: the snapshot of what a cut turn did, and the missing `run.ended`. Does not own: cut restores (take-hold).
import { TidemarkError } from '../../shared/errors';
import { checkpointRows, livingBackground, type TaskView, type ToolRow } from '../../shared/fold';
import type { RunId } from '../../shared/ids';
import type { CheckpointEngine, Hold } from '../checkpoint/engine';
import { isRunning } from '../log/running';
import { endOrphans } from '../tool/orphans';
import { removeLeftovers } from '../workspace/leftovers';
import { saveCheckpoint } from './save-checkpoint';
import type { Task } from './task';

/**
 * Closes the task's interrupted run and background commands, if it has such and no living process has them.
 * `place` null: no checkpoints here.
 */
export async function settleInterrupted(
  task: Task,
  place: { readonly engine: CheckpointEngine; readonly hold: Hold } | null,
  signal: AbortSignal,
): Promise<boolean> {
  const runId = task.view().running;
  const lost = livingBackground(task.view());
  if ((runId === null && lost.length === 0) || (await isRunning(task.folder))) return false;
  // Before anything is saved: what they still write must be in that snapshot, and nothing may land after it.
  const runs = new Set([...(runId === null ? [] : [runId]), ...lost.map((b) => b.runId)]);
  for (const id of runs) await endOrphans(id);
  for (const { backgroundId, output } of lost)
    await task.append({ type: 'background.ended', backgroundId, how: 'lost', exitCode: null, ms: 0, output });
  if (runId === null) return true;
  if (task.view().roots.length === 0)
    await removeLeftovers(task.view().workspace, unfinishedFiles(task.view(), runId));
  const unsaved = hasUnsavedTurn(task.view(), runId);
  if (place !== null && unsaved) {
    await saveCheckpoint(place.engine, place.hold, { task, kind: 'turn', runId, own: 'task', signal });
  }
  const error = new TidemarkError('cancelled', 'Tidemark ended in the middle of this run.');
  await task.append({
    type: 'run.ended',
    runId,
    outcome: 'interrupted',
    error: {
      code: error.code,
      message: error.message,
      hint: hintOf(task.view(), runId, place === null && unsaved),
    },
  });
  return true;
}

/** The files that tools of the run were at, as they were given them. */
function unfinishedFiles(view: TaskView, runId: RunId): string[] {
  const inputs = view.rows.flatMap((r) =>
    r.type === 'tool' && r.runId === runId && r.endedSeq === null ? [r.input] : [],
  );
  return inputs.flatMap((input) => {
    const { path, from, to, patch } = (input ?? {}) as Record<string, unknown>;
    const named = typeof patch === 'string' ? patch.match(/^(?:\+\+\+|---|rename to) .+$/gm) : null;
    const inPatch = (named ?? []).map((line) => line.replace(/^(?:\+\+\+|---|rename to) (?:[ab]\/)?/, ''));
    return [path, from, to, ...inPatch].filter((p): p is string => typeof p === 'string');
  });
}

/** @param lost what the run did last could not be saved */
function hintOf(view: TaskView, runId: RunId, lost: boolean): string {
  if (lost) return 'What it did last is in no checkpoint, and counts as yours. Send a message to go on.';
  const saved = checkpointRows(view).some((r) => r.runId === runId && r.snapshotId !== null);
  return saved
    ? 'What it had done is in the last checkpoint. Send a message to go on.'
    : 'Send a message to go on.';
}

/** True when a tool began after the run's last snapshot: its changes are on disk and nowhere else. */
function hasUnsavedTurn(view: TaskView, runId: RunId): boolean {
  const saved = checkpointRows(view).filter((r) => r.runId === runId && r.snapshotId !== null);
  const last = saved.at(-1)?.seq ?? 0;
  if (saved.length === 0) return false; // no change was allowed before the first one
  return view.rows.some(
    (r): r is ToolRow =>
      r.type === 'tool' &&
      r.runId === runId &&
      r.state !== 'requested' &&
      r.state !== 'asking' &&
      (r.endedSeq ?? Infinity) > last,
  );
}
