// Which tasks wait for an answer, also those that are not on screen: followed from what is pushed of each.
import { create } from 'zustand';
import { askingCalls, LIMIT_CALL } from '../../shared/asking';
import type { TaskEvent } from '../../shared/events';
import type { TaskView } from '../../shared/fold';
import type { TaskId } from '../../shared/ids';
import type { Output } from '../../shared/ipc';

type AskingState = { readonly calls: Readonly<Record<string, readonly string[]>> };
export const useAsking = create<AskingState>()(() => ({ calls: {} }));

const set = (taskId: TaskId, next: readonly string[]): void =>
  useAsking.setState((s) => {
    const { [taskId]: _before, ...others } = s.calls;
    return { calls: next.length === 0 ? others : { ...others, [taskId]: next } };
  });

export function takeAsking(event: TaskEvent): void {
  const before = useAsking.getState().calls[event.taskId] ?? [];
  const without = (callId: string) => before.filter((id) => id !== callId);
  switch (event.type) {
    case 'approval.asked':
      set(event.taskId, [...before, event.request.callId]);
      return;
    case 'question.asked':
      set(event.taskId, [...before, event.question.callId]);
      return;
    case 'limit.reached':
      set(event.taskId, [...before, LIMIT_CALL]);
      return;
    case 'limit.answered':
      set(event.taskId, without(LIMIT_CALL));
      return;
    case 'approval.given':
    case 'question.answered':
    case 'tool.finished':
      if (before.length > 0) set(event.taskId, without(event.callId));
      return;
    case 'restore.completed':
      if (event.taskRestored && before.length > 0) set(event.taskId, []);
      return;
    case 'run.ended':
      if (before.length > 0) set(event.taskId, []);
  }
}

/** True when the run of the task on screen waits for an answer; its log says so for sure. */
export const isAsking = (view: TaskView): boolean => askingCalls(view).length > 0;

/** What asked before this window was loaded. What is known already came from newer events. */
export function takeAskedBefore(asking: Output<'tasks.list'>['asking']): void {
  const known = useAsking.getState().calls;
  for (const { taskId, calls } of asking) if (known[taskId] === undefined) set(taskId, calls);
}
