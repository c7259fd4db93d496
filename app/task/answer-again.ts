// The last answer made again: back to before its message, then the same message once more.
// Owns: these two steps. What was there before stays in the log, and the redo point leads back to it.
import { TidemarkError } from '../../shared/errors';
import type { RunId } from '../../shared/ids';
import type { Provider } from '../provider/provider';
import type { TaskService } from './service';
import type { Task } from './task';

/**
 * @param files also takes back what the run changed in files
 * @throws usage when there is no message; workspace-busy while the task runs; what a restore throws, with nothing moved
 */
export async function answerAgain(
  service: Pick<TaskService, 'start' | 'restore' | 'pointBefore' | 'running'>,
  task: Task,
  o: { readonly provider: Provider; readonly files: boolean },
): Promise<RunId> {
  const { line, runs } = task.view();
  const last = runs.find((r) => r.runId === line.at(-1)?.runId);
  if (last === undefined) throw new TidemarkError('usage', 'There is no message to answer.');
  if (service.running().some((r) => r.taskId === task.id))
    throw new TidemarkError('workspace-busy', 'This task is running.', { hint: 'Stop it first.' });
  const { checkpointId, files } = await service.pointBefore(task, last.runId);
  const done = await service.restore(task, {
    checkpointId,
    scope: o.files && files ? 'all' : 'task',
    whole: false,
    conflicts: null,
    fingerprint: null,
  });
  if (done.filesError !== null) throw new TidemarkError(done.filesError.code, done.filesError.message);
  const { prompt, mode } = last;
  const { runId } = await service.start({ task, prompt, mode, provider: o.provider });
  return runId;
}
