// The comparison in the right pane. It follows the disk: what it shows is asked for again when files change, and the
// old list stays until the new one is there.
import { create } from 'zustand';
import { checkpointById, isActiveCheckpoint, type TaskView } from '../../shared/fold';
import type { TaskId } from '../../shared/ids';
import type { ChangeList, Comparison } from '../../shared/ipc';
import { call, type ErrorInfo } from '../bridge';
import { useTask } from './task';
import { useUi } from './ui';

type ChangesState = {
  readonly taskId: TaskId | null;
  readonly comparison: Comparison | null;
  readonly list: ChangeList | null;
  readonly loading: boolean;
  readonly error: ErrorInfo | null;
  /** counts up when contents may differ, so that open files are read again */
  readonly revision: number;
};

export const useChanges = create<ChangesState>()(() => ({
  taskId: null,
  comparison: null,
  list: null,
  loading: false,
  error: null,
  revision: 0,
}));

export function showComparison(comparison: Comparison): void {
  const { taskId } = useTask.getState();
  if (taskId === null) return;
  useUi.setState({ right: { kind: 'changes' } });
  useChanges.setState((s) => ({ taskId, comparison, list: null, error: null, revision: s.revision + 1 }));
  void refreshChanges();
}

export async function refreshChanges(): Promise<void> {
  const { taskId, comparison } = useChanges.getState();
  if (taskId === null || comparison === null) return;
  useChanges.setState({ loading: true });
  const result = await call('changes.list', { taskId, comparison });
  if (useChanges.getState().comparison !== comparison) return;
  useChanges.setState((s) =>
    result.ok
      ? { list: result.value, loading: false, error: null, revision: s.revision + 1 }
      : { loading: false, error: result.error },
  );
}

/** Another task is on screen: its changes are not these. */
export function forgetChanges(): void {
  useChanges.setState({ taskId: null, comparison: null, list: null, error: null, loading: false });
  useUi.setState((s) => (s.right?.kind === 'changes' ? { right: null } : s));
}

/** A restore cleared the point that is compared with: what the pane shows is no longer part of the task. */
export function leaveClearedChanges(view: TaskView): void {
  const { taskId, comparison } = useChanges.getState();
  if (comparison === null || taskId !== view.taskId) return;
  const ends =
    'at' in comparison ? [comparison.at] : [comparison.from, ...('to' in comparison ? [comparison.to] : [])];
  const inForce = ends.every((id) => {
    const row = checkpointById(view, id);
    return row !== undefined && isActiveCheckpoint(view, row);
  });
  if (!inForce) forgetChanges();
}
