// A sent message is replaced: back to before it, then the new text.
import type { PromptRow } from '../../shared/fold';
import { timeOf } from '../components/time';
import { addToHistory } from './drafts';
import { beginRestore } from './restore';
import { useTask } from './task';
import { attempt, showToast } from './toast';

/** @param withFiles also the files, to that message's checkpoint */
export async function editMessage(row: PromptRow, text: string, withFiles: boolean): Promise<void> {
  const { taskId } = useTask.getState();
  if (taskId === null) return;
  const point = await attempt('restore.point', { taskId, runId: row.runId });
  if (point === null || (withFiles && !point.files)) {
    // what was written is not lost
    addToHistory(text);
    if (point !== null)
      showToast({
        tone: 'error',
        text: 'No checkpoint was saved before this message, so its files cannot be restored.',
        detail: 'Nothing was changed. Restore Chat is still possible; your text is in the prompt history.',
      });
    return;
  }
  beginRestore({
    taskId,
    checkpointId: point.checkpointId,
    scope: withFiles ? 'all' : 'task',
    whole: false,
    label: timeOf(row.at),
    undo: false,
    edited: { text, mode: row.mode },
  });
}
