// Which tasks wait for an answer, also those that are not on screen: followed from what is pushed of each.
import { create } from 'zustand';
import type { TaskEvent } from '../../shared/events';
import type { TaskView } from '../../shared/fold';
import type { TaskId } from '../../shared/ids';

type AskingState = { readonly calls: Readonly<Record<string, readonly string[]>> };
export const useAsking = create<AskingState>()(() => ({ calls: {} }));

const set = (taskId: TaskId, next: readonly string[]): void =>
  useAsking.setState((s) => {
    const { [taskId]: _before, ...others } = s.calls;
    return { calls: next.length === 0 ? others : { ...others, [taskId]: next } };
  });

export function takeAsking(event: TaskEvent): void {
  const before = useAsking.getState().calls[event.taskId] ?? [];
  if (event.type === 'approval.asked') set(event.taskId, [...before, event.request.callId]);
  else if (before.length === 0) return;
  else if (event.type === 'approval.given' || event.type === 'tool.finished')
    set(
      event.taskId,
      before.filter((id) => id !== event.callId),
    );
  else if (event.type === 'run.ended' || (event.type === 'restore.completed' && event.taskRestored))
    set(event.taskId, []);
}

/** True when the run of the task on screen waits for an answer; its log says so for sure. */
export const isAsking = (view: TaskView): boolean =>
  view.running !== null &&
  view.rows.some((r) => r.type === 'tool' && r.state === 'asking' && r.runId === view.running);
