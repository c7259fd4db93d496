// Commands that go on after their call: the running ones of one workspace.
// Owns: starting and ending them, and their facts. Does not own: processes (tool/started-command), whose the changes are
// that they make (save-checkpoint).
// Invariants: each has its fact of starting before it is told of, and its fact of ending once nothing of it runs any
// more; none outlives the service.
import { setTimeout as delay } from 'node:timers/promises';
import { newItemId, type RunId, type TaskId } from '../../shared/ids';
import { markRunning } from '../log/running';
import { OutputCollector } from '../tool/command-output';
import { startCommand } from '../tool/started-command';
import type { BackgroundBegun, BackgroundStart } from '../tool/tool';
import { randomBytes } from './random';
import type { Task } from './task';

/** So long a command is watched before the agent is told that it runs: most that fail do so at once. */
const EARLY_MS = 1000;
/** How often what it prints comes to the screen, and how much of it each time at most. */
const SHOW_MS = 100;
const SHOW_MOST = 8000;
/** So much of its output stays in the log. */
const KEPT = 8000;

export type Living = { readonly taskId: TaskId; readonly runId: RunId; readonly backgroundId: string };

export type BackgroundOptions = BackgroundStart & {
  readonly task: Task;
  readonly runId: RunId;
  readonly callId: string;
  readonly env: Readonly<Record<string, string>>;
  readonly outputsFolder: string;
  readonly signal: AbortSignal;
};

export interface Background {
  start(o: BackgroundOptions): Promise<BackgroundBegun>;
  living(): readonly Living[];
  /** The end of what one has printed; null when it does not run. */
  output(backgroundId: string): string | null;
  /** Ends those, with all that they have started, within a second. Resolves when their facts are in the log. */
  stop(which: (command: Living) => boolean): Promise<void>;
}

type Entry = Living & { readonly collector: OutputCollector; readonly stop: () => Promise<void> };

/** @param onEnded called for each before its end is told; must not throw */
export function openBackground(onEnded: (task: Task) => Promise<void>): Background {
  const entries = new Map<string, Entry>();

  async function start(o: BackgroundOptions): Promise<BackgroundBegun> {
    const { task, runId, signal } = o;
    const backgroundId = newItemId('b', randomBytes);
    const collector = new OutputCollector(o.outputsFolder);
    await collector.open();
    const file = collector.keepAll();
    const screen = openScreen((text) =>
      task.delta({ type: 'delta.background', taskId: task.id, runId, backgroundId, text }),
    );
    const began = Date.now();
    const running = await startCommand({ ...o, output: (chunk) => screen.add(collector.add(chunk)) });
    const mark = await markRunning(task.folder);
    let how: 'exited' | 'stopped' = 'exited';

    const over = (async () => {
      const { code } = await running.exited;
      if (how === 'exited') await running.endLeft();
      else await running.end();
      screen.close();
      await collector.close();
      entries.delete(backgroundId);
      await task.append({
        type: 'background.ended',
        backgroundId,
        how,
        exitCode: code,
        ms: Date.now() - began,
        output: collector.recent(KEPT),
      });
      await onEnded(task);
      await mark.release();
      return { code };
    })();
    over.catch(() => undefined); // a log that cannot be written is told by whoever writes to it next
    const stop = async (): Promise<void> => {
      how = 'stopped';
      await running.end();
      await over;
    };
    entries.set(backgroundId, { taskId: task.id, runId, backgroundId, collector, stop });
    try {
      const { callId, command, folder } = o;
      await task.append({ type: 'background.started', runId, callId, backgroundId, command, folder, file });
    } catch (error) {
      await stop();
      throw error;
    }
    if (signal.aborted) await stop();
    const ended = await Promise.race([over, earlyEnd(signal)]);
    return { pid: running.pid, file, output: collector.recent(KEPT), ended };
  }

  return {
    start,
    living: () =>
      [...entries.values()].map(({ taskId, runId, backgroundId }) => ({ taskId, runId, backgroundId })),
    output: (id) => entries.get(id)?.collector.recent(SHOW_MOST) ?? null,
    async stop(which) {
      await Promise.all([...entries.values()].filter(which).map((entry) => entry.stop()));
    },
  };
}

/** null after a moment, or when nobody waits any more. */
function earlyEnd(signal: AbortSignal): Promise<null> {
  return delay(EARLY_MS, null, { signal, ref: false }).catch(() => null);
}

/** Shows what is printed in pieces: of a flood only the newest. */
function openScreen(show: (text: string) => void): { add(text: string): void; close(): void } {
  let waiting = '';
  let timer: NodeJS.Timeout | null = null;
  const flush = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (waiting !== '') show(waiting);
    waiting = '';
  };
  return {
    add(text) {
      waiting = (waiting + text).slice(-SHOW_MOST);
      timer ??= setTimeout(flush, SHOW_MS);
    },
    close: flush,
  };
}
