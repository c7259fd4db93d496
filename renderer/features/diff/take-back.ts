// Taking one file or one hunk back to the older side of the comparison, each with its way back.
import type { Change, RestoreOutcome } from '../../../shared/domain';
import type { TaskId } from '../../../shared/ids';
import type { ChangeList, Hunk } from '../../../shared/ipc';
import type { PathText } from '../../../shared/rel-path';
import { call, type ErrorInfo } from '../../bridge';
import { timeOf } from '../../components/time';
import { refreshChanges } from '../../store/changes';
import { beginRestore } from '../../store/restore';
import { showError, showToast } from '../../store/toast';
import { shownPath } from './change-words';

/** "asks": lines by hand are at stake, and nothing was done. */
export type TakenBack = 'done' | 'asks' | 'failed';

/** @param sure the lines by hand may go too */
export async function takeFileBack(
  taskId: TaskId,
  list: ChangeList,
  change: Change,
  sure: boolean,
): Promise<TakenBack> {
  const paths = [pathOf(change.path, change.pathBase64)];
  if (change.oldPath !== undefined) paths.push(pathOf(change.oldPath, change.oldPathBase64));
  const conflicts = sure ? ('checkpoint' as const) : null;
  const result = await call('restore.file', { taskId, checkpointId: list.from, paths, conflicts });
  if (!result.ok) {
    if (result.error.code === 'conflicts') return 'asks';
    showError(result.error);
    return 'failed';
  }
  const { files, filesError } = result.value;
  if (filesError !== null) {
    showError(filesError as ErrorInfo);
    return 'failed';
  }
  const name = shownPath(change.path);
  const at = timeOf(list.fromAt);
  if (files.length === 0) showToast({ text: `Nothing to restore: ${name} is as it was at ${at}.` });
  else offerUndo(taskId, result.value, `Restored ${name} to ${at}`, at);
  return 'done';
}

const pathOf = (path: string, pathBase64: string | undefined): PathText =>
  pathBase64 === undefined ? { path } : { path, pathBase64 };

export async function takeHunkBack(
  taskId: TaskId,
  list: ChangeList,
  change: Change,
  hunk: Hunk,
): Promise<void> {
  const { comparison } = list;
  const result = await call('changes.revert-hunk', { taskId, comparison, change, hunk });
  if (result.ok) {
    const text = `Reverted one hunk of ${shownPath(change.path)}`;
    offerUndo(taskId, result.value, text, timeOf(list.fromAt));
  } else showError(result.error);
  // What was shown may be older than the disk: that is what a refusal says.
  void refreshChanges();
}

function offerUndo(taskId: TaskId, outcome: RestoreOutcome, text: string, label: string): void {
  showToast({
    text,
    ms: 20_000,
    action: {
      label: 'Undo',
      run: () =>
        beginRestore({
          taskId,
          checkpointId: outcome.redoId,
          scope: 'files',
          whole: false,
          label,
          undo: true,
        }),
    },
  });
}
