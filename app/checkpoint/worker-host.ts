// The engine in a worker thread, behind the same interface: nothing of it can hold up the caller's thread.
// Owns: the thread, numbering of calls, cancelling by number. Invariant: when the thread dies, every waiting call fails;
// a next call starts a new thread, whose first hold settles whatever the old one left.
import { Worker } from 'node:worker_threads';
import { TidemarkError, throwIfAborted } from '../../shared/errors';
import type { CheckpointEngine, EngineOptions, Hold, OnProgress, Settled } from './engine';
import { type FromWorker, receivedError, type ToWorker } from './worker-protocol';

type Waiting = {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly progress?: OnProgress | undefined;
};

interface Thread {
  call(
    hold: number | null,
    method: string,
    args: readonly unknown[],
  ): { readonly id: number; readonly answer: Promise<unknown> };
  end(): Promise<void>;
  readonly dead: boolean;
}

function openThread(options: EngineOptions, workerFile: string): Thread {
  const worker = new Worker(workerFile, { workerData: options });
  const waiting = new Map<number, Waiting>();
  let next = 1;
  let dead: TidemarkError | null = null;
  const die = (cause: unknown): void => {
    dead ??= new TidemarkError('failed', 'The checkpoint engine stopped unexpectedly.', {
      cause,
      hint: 'Try again: it starts anew.',
    });
    for (const w of waiting.values()) w.reject(dead);
    waiting.clear();
  };
  worker.on('message', (m: FromWorker) => {
    const w = waiting.get(m.id);
    if ('progress' in m) {
      w?.progress?.(m.progress);
      return;
    }
    waiting.delete(m.id);
    if ('error' in m) w?.reject(receivedError(m.error));
    else w?.resolve(m.value);
  });
  worker.on('error', die);
  worker.on('exit', die);
  return {
    get dead() {
      return dead !== null;
    },
    call: (hold, method, args) => {
      const id = next++;
      const last = args.at(-1) as { signal?: unknown; progress?: OnProgress } | undefined;
      const signal = last?.signal instanceof AbortSignal ? last.signal : null;
      const progress = signal === null ? undefined : last?.progress;
      const kept = { signal: null, ...(progress === undefined ? {} : { progress: null }) };
      const sent = signal === null ? args : [...args.slice(0, -1), { ...last, ...kept }];
      let settled = (): void => undefined;
      const answer = new Promise<unknown>((resolve, reject) => {
        if (dead !== null) {
          reject(dead);
          return;
        }
        // a quick call would be done before the thread hears that it is not wanted
        if (signal !== null) throwIfAborted(signal);
        const cancel = (): void => worker.postMessage({ cancel: id } satisfies ToWorker);
        // A signal may outlive many calls: each takes its listener away again.
        const done = (): void => signal?.removeEventListener('abort', cancel);
        waiting.set(id, {
          resolve: (value) => {
            done();
            resolve(value);
          },
          reject: (error) => {
            done();
            reject(error);
          },
          progress,
        });
        worker.postMessage({ call: { id, hold, method, args: sent } } satisfies ToWorker);
        signal?.addEventListener('abort', cancel, { once: true });
        settled = () => signal?.removeEventListener('abort', cancel);
      }).finally(() => settled());
      return { id, answer };
    },
    end: async () => {
      await worker.terminate();
    },
  };
}

function holdOf(thread: Thread, id: number, settled: Settled | null): Hold {
  const send =
    <K extends Exclude<keyof Hold, 'settled'>>(method: K) =>
    (...args: Parameters<Hold[K]>): ReturnType<Hold[K]> =>
      thread.call(id, method, args).answer as ReturnType<Hold[K]>;
  return {
    settled,
    acknowledge: send('acknowledge'),
    capture: send('capture'),
    protect: send('protect'),
    apply: send('apply'),
    forget: send('forget'),
    letGoBefore: send('letGoBefore'),
    release: send('release'),
  };
}

/** Opens the engine in a thread of its own, made at the first call. */
export function openWorkerEngine(options: EngineOptions & { readonly workerFile: string }): CheckpointEngine {
  const { workerFile, ...engineOptions } = options;
  let thread: Thread | null = null;
  const live = (): Thread => {
    if (thread === null || thread.dead) thread = openThread(engineOptions, workerFile);
    return thread;
  };
  const send =
    <K extends Exclude<keyof CheckpointEngine, 'hold' | 'close'>>(method: K) =>
    (...args: Parameters<CheckpointEngine[K]>): ReturnType<CheckpointEngine[K]> =>
      live().call(null, method, args).answer as ReturnType<CheckpointEngine[K]>;
  return {
    start: send('start'),
    state: send('state'),
    changes: send('changes'),
    read: send('read'),
    content: send('content'),
    has: send('has'),
    leftOut: send('leftOut'),
    plan: send('plan'),
    maintain: send('maintain'),
    hold: async (o) => {
      const t = live();
      const { id, answer } = t.call(null, 'hold', [o]);
      return holdOf(t, id, (await answer) as Settled | null);
    },
    close: async () => {
      if (thread === null || thread.dead) return;
      await thread.call(null, 'close', []).answer;
      await thread.end();
    },
  };
}
