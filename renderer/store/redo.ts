// Taking a restore back, from wherever it is asked for: a mark, the palette, the list of redo points.
import { isUsed, type RedoPoint, redoPoints } from '../../shared/lines';
import { timeOf } from '../components/time';
import { beginRestore } from './restore';
import { backWords } from './restore-words';
import { useTask } from './task';

/** Asks, with the list of what comes back, like any restore from a mark. */
export function takeBack(redo: RedoPoint): void {
  const { taskId } = useTask.getState();
  if (taskId === null) return;
  const { undoes } = redo;
  beginRestore({
    taskId,
    checkpointId: redo.checkpointId,
    scope: undoes.taskRestored ? (undoes.filesRestored ? 'all' : 'task') : 'files',
    whole: undoes.whole,
    label: timeOf(redo.at),
    undo: false,
    back: backWords(undoes),
    filled: undoes.taskRestored ? (undoes.prompt?.text ?? null) : null,
  });
}

/** Goes back to the line that a restore of the task left, with its files; asks first. */
export function returnToLine(redo: RedoPoint, prompt: string): void {
  const { taskId } = useTask.getState();
  if (taskId === null) return;
  beginRestore({
    taskId,
    checkpointId: redo.checkpointId,
    scope: redo.snapshotId === null ? 'task' : 'all',
    whole: false,
    label: timeOf(redo.at),
    undo: false,
    back: prompt,
    line: true,
  });
}

/** The newest restore of the task on screen that was not taken back yet. */
export function lastRestore(): RedoPoint | null {
  const { view } = useTask.getState();
  return redoPoints(view).find((r) => !isUsed(view, r)) ?? null;
}
