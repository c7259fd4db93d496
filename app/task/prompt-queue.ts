// Messages typed during a run: they wait in the log, and are sent one after the other when runs have completed.
// Owns: their order and when one is sent. Does not own: runs (service).
// Invariants: a message is in the log before it counts as waiting, and waits until the fact of its run's start, so a
// crash neither loses one nor sends it twice; after a run that was stopped or failed nothing is sent by itself.
import type { Mode, Prompt } from '../../shared/domain';
import { TidemarkError } from '../../shared/errors';
import { newItemId, type RunId, type TaskId } from '../../shared/ids';
import type { Provider } from '../provider/provider';
import { randomBytes } from './random';
import type { RunEnd, RunStart, TaskService } from './service';
import type { Task } from './task';

/** Opens the provider when the message is sent: the user may choose another until then. @throws as runtime.provider */
export type ProviderOf = () => Provider;

export interface PromptQueue {
  /** Starts a run, after which waiting messages are sent. @throws as TaskService.start */
  start(run: RunStart): Promise<{ runId: RunId; ended: Promise<RunEnd> }>;
  /** Lets a message wait; when no run goes on any more it is sent at once. */
  add(o: { task: Task; prompt: Prompt; mode: Mode; provider: ProviderOf }): Promise<void>;
  /** @throws usage when it does not wait any more */
  change(task: Task, queueId: string, text: string): Promise<void>;
  remove(task: Task, queueId: string): Promise<void>;
  /** Stops the task's run, if one goes on, and sends this message. @throws usage, and as TaskService.start */
  sendNow(task: Task, queueId: string, provider: ProviderOf): Promise<void>;
}

export function openPromptQueue(service: Pick<TaskService, 'start' | 'stop' | 'running'>): PromptQueue {
  /** of the messages that were queued by this process: others wait for a word after a restart */
  const providers = new Map<string, ProviderOf>();
  /** tasks whose next run is being chosen by hand */
  const held = new Set<TaskId>();

  async function start(run: RunStart): ReturnType<TaskService['start']> {
    const started = await service.start(run);
    started.ended.then(
      (end) => {
        if (end.outcome === 'completed') return sendNext(run.task);
      },
      () => undefined, // its log cannot be written: neither could the next one's
    );
    return started;
  }

  async function sendNext(task: Task): Promise<void> {
    const [next] = task.view().queue;
    if (next === undefined || held.has(task.id)) return;
    const provider = providers.get(next.queueId);
    if (provider === undefined) return;
    try {
      await send(task, next.queueId, provider);
    } catch {
      // It goes on waiting, and says why when it is sent by hand.
    }
  }

  async function send(task: Task, queueId: string, provider: ProviderOf): Promise<void> {
    const { prompt, mode } = find(task, queueId);
    await start({ task, prompt, mode, provider: provider(), queueId });
    providers.delete(queueId);
  }

  const isRunning = (task: Task): boolean => service.running().some((r) => r.taskId === task.id);

  return {
    start,
    async add({ task, prompt, mode, provider }) {
      const queueId = newItemId('q', randomBytes);
      providers.set(queueId, provider);
      await task.append({ type: 'prompt.queued', queueId, prompt, mode });
      if (!isRunning(task)) await sendNext(task);
    },
    async change(task, queueId, text) {
      const { prompt } = find(task, queueId);
      await task.append({ type: 'prompt.changed', queueId, prompt: { ...prompt, text } });
    },
    async remove(task, queueId) {
      find(task, queueId);
      providers.delete(queueId);
      await task.append({ type: 'prompt.unqueued', queueId });
    },
    async sendNow(task, queueId, provider) {
      find(task, queueId);
      held.add(task.id);
      try {
        await service.stop(task.id);
        await send(task, queueId, provider);
      } finally {
        held.delete(task.id);
      }
    },
  };
}

function find(task: Task, queueId: string): { readonly prompt: Prompt; readonly mode: Mode } {
  const found = task.view().queue.find((q) => q.queueId === queueId);
  if (found === undefined) throw new TidemarkError('usage', 'This message does not wait any more.');
  return found;
}
