// How a run ended, when that needs words, and what can be done about it.
import { memo } from 'react';
import { activeRows, type CheckpointRow, type EndRow, type TaskView } from '../../../shared/fold';
import type { ErrorInfo } from '../../bridge';
import { Button } from '../../components/button';
import { ErrorText, Notice } from '../../components/notice';
import { timeOf } from '../../components/time';
import { beginRestore } from '../../store/restore';
import { sendPrompt, useTask } from '../../store/task';
import { focusComposer, openSettings } from '../../store/ui';
import styles from './messages.module.css';

const OPENS_SETTINGS: readonly string[] = [
  'key-missing',
  'key-wrong',
  'provider-missing',
  'provider-unknown',
  'provider-unreachable',
];

export const RunEnd = memo(function RunEnd({ row }: { readonly row: EndRow }) {
  const { error } = row;
  if (row.outcome === 'stopped') return <p className={styles.ended}>Stopped · {timeOf(row.at)}</p>;
  if (row.outcome === 'interrupted')
    return (
      <Notice tone="plain">
        <p>The app ended during this run, so it was interrupted. What it had done by then is kept.</p>
        {error === null ? null : <ErrorText error={error} />}
      </Notice>
    );
  return (
    <Notice tone="error" actions={error === null ? undefined : wayOut(error, row)}>
      {error === null ? <p>The run failed.</p> : <ErrorText error={error} />}
    </Notice>
  );
});

function wayOut(error: ErrorInfo, row: EndRow) {
  if (OPENS_SETTINGS.includes(error.code))
    return <Button onClick={() => openSettings('models')}>Open Settings</Button>;
  return error.code === 'context-too-long' ? <TooLong row={row} /> : undefined;
}

/** Sent again as it is, the conversation would be refused again. */
function TooLong({ row }: { readonly row: EndRow }) {
  const view = useTask((s) => s.view);
  // What came after has taken care of it.
  if (view.runs.at(-1)?.runId !== row.runId) return null;
  const back = pointBefore(view, row);
  const compact = () => {
    focusComposer();
    // It changes no file, whatever the mode.
    void sendPrompt({ text: '/compact', attachments: [] }, 'ask');
  };
  const rewind = (to: CheckpointRow) => {
    const { taskId } = useTask.getState();
    if (taskId === null) return;
    const label = to.kind === 'initial' ? 'Initial checkpoint' : `Checkpoint ${timeOf(to.at)}`;
    beginRestore({ taskId, checkpointId: to.checkpointId, label, scope: 'task', whole: false, undo: false });
  };
  return (
    <>
      <Button onClick={compact}>Compact</Button>
      {back === undefined ? null : <Button onClick={() => rewind(back)}>Rewind…</Button>}
    </>
  );
}

/** The point before the run that did not fit, else the newest there is. */
function pointBefore(view: TaskView, row: EndRow): CheckpointRow | undefined {
  const points = activeRows(view).filter(
    (r): r is CheckpointRow => r.type === 'checkpoint' && r.failed === null && r.undoes === null,
  );
  const own = points.find((r) => r.runId === row.runId && (r.kind === 'initial' || r.kind === 'run'));
  return own ?? points.at(-1);
}
