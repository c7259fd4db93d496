// The task on screen: its log folded to a view, kept whole.
// Invariants: facts are applied in the order of their numbers; when one is missing the log is asked for again, and what
// was pushed meanwhile comes after it; fragments never outlive the fact that they announce.
import { create } from 'zustand';
import type { ApprovalDecision, Mode, Prompt } from '../../shared/domain';
import type { Delta, TaskEvent } from '../../shared/events';
import { emptyView, fold, foldAll, type TaskView } from '../../shared/fold';
import type { TaskId } from '../../shared/ids';
import { call, type ErrorInfo } from '../bridge';
import { attempt } from './toast';

type TaskState = {
  /** null: a new task that has no message yet */
  readonly taskId: TaskId | null;
  readonly view: TaskView;
  readonly loading: boolean;
  readonly error: ErrorInfo | null;
  /** tasks whose run waits for an answer to a failed checkpoint */
  readonly unprotected: Readonly<Record<string, ErrorInfo>>;
};

const initial: TaskState = { taskId: null, view: emptyView, loading: false, error: null, unprotected: {} };
export const useTask = create<TaskState>()(() => initial);

type Item = TaskEvent | Delta;
let waiting: Item[] = [];
let timer: ReturnType<typeof setTimeout> | null = null;
const FLUSH_MS = 16;

/** Takes what was pushed; several come to the screen at once. */
export function takeItem(item: Item): void {
  waiting.push(item);
  if (timer === null) timer = setTimeout(flushItems, FLUSH_MS);
}

/** Applies what waits. While the log is being read, everything waits for it. */
export function flushItems(): void {
  timer = null;
  const { taskId, loading, view } = useTask.getState();
  if (loading) return;
  const items = waiting.filter((i) => i.taskId === taskId);
  waiting = [];
  let next = view;
  for (const [index, item] of items.entries()) {
    if ('seq' in item && item.seq > next.seq + 1) {
      waiting = items.slice(index);
      useTask.setState({ view: next });
      if (taskId !== null) void readLog(taskId);
      return;
    }
    next = fold(next, item);
  }
  if (next !== view) useTask.setState({ view: next });
}

async function readLog(taskId: TaskId): Promise<void> {
  useTask.setState({ loading: true, error: null });
  const result = await call('task.events', { taskId });
  if (useTask.getState().taskId !== taskId) return;
  if (!result.ok) {
    useTask.setState({ loading: false, error: result.error });
    return;
  }
  const read = foldAll(result.value.events);
  // A log with a hole would be asked for again for ever: beyond it only what follows on from it is applied.
  waiting = waiting.filter((i) => i.taskId === taskId && !('seq' in i && i.seq <= read.seq));
  const first = waiting.find((i) => 'seq' in i);
  if (first !== undefined && 'seq' in first && first.seq > read.seq + 1) waiting = [];
  useTask.setState({ view: read, loading: false });
  flushItems();
}

export function selectTask(taskId: TaskId | null): void {
  if (useTask.getState().taskId === taskId && taskId !== null) return;
  useTask.setState({ taskId, view: emptyView, loading: false, error: null });
  if (taskId !== null) void readLog(taskId);
}

/** Reads the log of the task on screen again. */
export function reloadTask(): void {
  const { taskId } = useTask.getState();
  if (taskId !== null) void readLog(taskId);
}

/** Starts a run; the first one makes the task. null: it did not begin, and the error says why. */
export async function sendPrompt(prompt: Prompt, mode: Mode): Promise<ErrorInfo | null> {
  const { taskId } = useTask.getState();
  const result = await call('task.prompt', { taskId, prompt, mode });
  if (!result.ok) return result.error;
  if (useTask.getState().taskId === taskId) selectTask(result.value.taskId);
  return null;
}

/** Lets a message wait for the end of the run. null: it waits; else why it does not. */
export async function queuePrompt(prompt: Prompt, mode: Mode): Promise<ErrorInfo | null> {
  const { taskId } = useTask.getState();
  if (taskId === null) return null;
  const result = await call('queue.add', { taskId, prompt, mode });
  return result.ok ? null : result.error;
}

export async function changeQueued(queueId: string, text: string): Promise<void> {
  const { taskId } = useTask.getState();
  if (taskId !== null) await attempt('queue.change', { taskId, queueId, text });
}

export async function removeQueued(queueId: string): Promise<void> {
  const { taskId } = useTask.getState();
  if (taskId !== null) await attempt('queue.remove', { taskId, queueId });
}

export async function sendQueued(queueId: string): Promise<void> {
  const { taskId } = useTask.getState();
  if (taskId !== null) await attempt('queue.send', { taskId, queueId });
}

/** Takes all waiting messages out. @returns their texts, first in first */
export async function takeQueue(taskId: TaskId): Promise<readonly string[]> {
  const state = useTask.getState();
  if (state.taskId !== taskId) return [];
  const { queue } = state.view;
  const taken = await Promise.all(queue.map(({ queueId }) => attempt('queue.remove', { taskId, queueId })));
  return queue.filter((_, i) => taken[i] !== null).map((q) => q.prompt.text);
}

/** Makes the last answer again. */
export async function answerAgain(files: boolean): Promise<void> {
  const { taskId } = useTask.getState();
  if (taskId !== null) await attempt('task.again', { taskId, files });
}

export async function stopRun(): Promise<void> {
  const { taskId } = useTask.getState();
  if (taskId !== null) await attempt('task.stop', { taskId });
}

/** Does not wait for the next try. */
export async function retryNow(): Promise<void> {
  const { taskId } = useTask.getState();
  if (taskId !== null) await attempt('task.retry-now', { taskId });
}

export async function answerApproval(
  callId: string,
  decision: ApprovalDecision['decision'],
  reason: string | null,
): Promise<void> {
  const { taskId } = useTask.getState();
  if (taskId !== null) await attempt('task.approve', { taskId, callId, decision, reason });
}

export async function answerQuestion(callId: string, answer: string): Promise<void> {
  const { taskId } = useTask.getState();
  if (taskId !== null) await attempt('task.answer', { taskId, callId, answer });
}

export async function answerLimit(goOn: boolean): Promise<void> {
  const { taskId } = useTask.getState();
  if (taskId !== null) await attempt('task.go-on', { taskId, goOn });
}

export async function stopBackground(backgroundId: string): Promise<void> {
  const { taskId } = useTask.getState();
  if (taskId !== null) await attempt('background.stop', { taskId, backgroundId });
}

/** Asks for what a background command has printed: fragments from before the window looked are not in the view. */
export async function readBackground(backgroundId: string): Promise<void> {
  const { taskId } = useTask.getState();
  if (taskId === null) return;
  const read = await attempt('background.output', { taskId, backgroundId });
  const text = read?.text ?? null;
  if (text === null) return;
  useTask.setState(({ view }) => ({
    view: {
      ...view,
      background: view.background.map((b) =>
        b.backgroundId === backgroundId && b.ended === null ? { ...b, output: text } : b,
      ),
    },
  }));
}

export async function answerUnprotected(choice: 'retry' | 'continue' | 'stop'): Promise<void> {
  const { taskId } = useTask.getState();
  if (taskId !== null) await attempt('task.unprotected', { taskId, choice });
}

export function takeUnprotected(taskId: TaskId, error: ErrorInfo | null): void {
  useTask.setState((s) => {
    const { [taskId]: _answered, ...others } = s.unprotected;
    return { unprotected: error === null ? others : { ...others, [taskId]: error } };
  });
}

export async function deleteTask(taskId: TaskId): Promise<void> {
  const done = await attempt('task.delete', { taskId });
  if (done !== null && useTask.getState().taskId === taskId) selectTask(null);
}
