// One open task: its log, the view computed from it, and those who listen.
// Owns: append, then publish (law 1). Does not own: runs, checkpoints.
// Invariants: listeners get every fact once and in order, whether this process or another one wrote it; the view is
// never ahead of the log, apart from fragments.
import type { Delta, Fact, TaskEvent } from '../../shared/events';
import { emptyView, fold, type TaskView } from '../../shared/fold';
import type { TaskId } from '../../shared/ids';
import { openTaskLog } from '../log/task-log';

export type TaskListener = (event: TaskEvent | Delta) => void;

export interface Task {
  readonly id: TaskId;
  readonly folder: string;
  view(): TaskView;
  events(): readonly TaskEvent[];
  /** What was wrong with the log when it was read; empty when nothing was. */
  readonly damage: readonly string[];
  append(fact: Fact): Promise<TaskEvent>;
  delta(delta: Delta): void;
  /** @returns a function that ends it */
  listen(listener: TaskListener): () => void;
  /** Takes in what other processes have appended. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

/** @throws task-unknown, too-new */
export async function openTask(folder: string, id: TaskId): Promise<Task> {
  const log = openTaskLog(folder, id);
  const first = await log.read();
  const events: TaskEvent[] = [];
  const listeners = new Set<TaskListener>();
  let view = emptyView;

  const take = (event: TaskEvent): void => {
    if (event.seq <= view.seq) return;
    events.push(event);
    view = fold(view, event);
    for (const listener of listeners) listener(event);
  };
  for (const event of first.events) take(event);
  const unfollow = log.follow(take);

  return {
    id,
    folder,
    damage: first.damaged.map((d) => d.message),
    view: () => view,
    events: () => events,
    async append(fact) {
      const event = await log.append(fact);
      // Another process may have appended in between: its facts come first.
      if (event.seq > view.seq + 1) for (const other of (await log.read()).events) take(other);
      take(event);
      return event;
    },
    delta(delta) {
      view = fold(view, delta);
      for (const listener of listeners) listener(delta);
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async refresh() {
      for (const event of (await log.read()).events) take(event);
    },
    async close() {
      unfollow();
      listeners.clear();
      await log.close();
    },
  };
}
