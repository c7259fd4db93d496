// The checkpoint of what a background command changed while no run was there to save it.
// Owns: when one is due, and that a failure stops nobody: it is in the log, and the changes stay the task's. Does not
// own: the hold.
import { toErrorInfo } from '../../shared/errors';
import { newCheckpointId } from '../../shared/ids';
import type { CheckpointEngine, Hold } from '../checkpoint/engine';
import { ranInBackground } from './own-steps';
import { randomBytes } from './random';
import { saveCheckpoint } from './save-checkpoint';
import type { Task } from './task';

export async function saveBackground(
  task: Task,
  place: { readonly engine: CheckpointEngine; readonly hold: Hold },
  signal: AbortSignal,
): Promise<void> {
  const command = task.view().background.at(-1);
  if (command === undefined || !ranInBackground(task.view())) return;
  const { runId } = command;
  try {
    await saveCheckpoint(place.engine, place.hold, { task, kind: 'turn', runId, own: 'task', signal });
  } catch (error) {
    const checkpointId = newCheckpointId(randomBytes);
    await task.append({
      type: 'checkpoint.failed',
      checkpointId,
      kind: 'turn',
      runId,
      error: toErrorInfo(error),
    });
  }
}
