import { useState } from 'react';
import type { Change } from '../../../shared/domain';
import { call, type ErrorInfo } from '../../bridge';
import { Button } from '../../components/button';
import { timeOf } from '../../components/time';
import { useChanges } from '../../store/changes';
import { beginRestore } from '../../store/restore';
import { showError, showToast } from '../../store/toast';
import { isFolder, oldSideWords, shownPath } from './change-words';
import styles from './file-diff.module.css';

/** Takes one file back to the older side of the comparison. It can be undone like any restore. */
export function RestoreFile({ change }: { readonly change: Change }) {
  const [working, setWorking] = useState(false);
  const list = useChanges((s) => s.list);
  const taskId = useChanges((s) => s.taskId);
  if (list === null || taskId === null) return null;
  const { from, fromAt, comparison } = list;
  const restore = async () => {
    setWorking(true);
    const path =
      change.pathBase64 === undefined
        ? { path: change.path }
        : { path: change.path, pathBase64: change.pathBase64 };
    const result = await call('restore.file', { taskId, checkpointId: from, path });
    setWorking(false);
    if (!result.ok) return showError(result.error);
    const { redoId, files, filesError } = result.value;
    if (filesError !== null) return showError(filesError as ErrorInfo);
    if (files.length === 0) {
      showToast({ text: `Nothing to restore: ${shownPath(change.path)} is as it was at ${timeOf(fromAt)}.` });
      return;
    }
    showToast({
      text: `Restored ${shownPath(change.path)} to ${timeOf(fromAt)}`,
      ms: 20_000,
      action: {
        label: 'Undo',
        run: () =>
          beginRestore({
            taskId,
            checkpointId: redoId,
            scope: 'files',
            whole: false,
            label: timeOf(fromAt),
            undo: true,
          }),
      },
    });
  };
  return (
    <Button
      look="quiet"
      size="sm"
      className={styles.restore}
      title={oldSideWords(comparison)}
      disabled={working}
      onClick={() => void restore()}
    >
      {isFolder(change) ? 'Restore folder' : 'Restore file'}
    </Button>
  );
}
