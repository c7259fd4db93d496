// Entry of the engine's worker thread (built as dist/app/engine-worker.cjs). Answers the calls of worker-host.ts with
// an engine in this thread. Owns: the thread's side of the messages, and the holds by number.
import { parentPort, workerData } from 'node:worker_threads';
import { TidemarkError } from '../../shared/errors';
import type { EngineOptions, Hold, OnProgress } from './engine';
import { openEngine } from './open-engine';
import type { Call, FromWorker, ToWorker } from './worker-protocol';
import { sendableError } from './worker-protocol';

type Method = (...args: unknown[]) => Promise<unknown>;

const engine = openEngine(workerData as EngineOptions);
const holds = new Map<number, Hold>();
const running = new Map<number, AbortController>();

function methodOf(call: Call): Method {
  const owner: unknown = call.hold === null ? engine : holds.get(call.hold);
  const method = (owner as Record<string, unknown> | undefined)?.[call.method];
  if (typeof method !== 'function')
    throw new TidemarkError('failed', `The engine has no ${call.method} here.`);
  return method as Method;
}

/** Puts the thread's own signal where the caller's was: in the last argument, when that is an object of options. */
function withOwn({ id, args }: Call, signal: AbortSignal): unknown[] {
  const last = args.at(-1);
  if (typeof last !== 'object' || last === null || !('signal' in last)) return [...args];
  const progress: OnProgress = (p) => parentPort?.postMessage({ id, progress: p } satisfies FromWorker);
  return [...args.slice(0, -1), { ...last, signal, ...('progress' in last ? { progress } : {}) }];
}

async function answer(call: Call): Promise<unknown> {
  const controller = new AbortController();
  running.set(call.id, controller);
  try {
    const value = await methodOf(call)(...withOwn(call, controller.signal));
    if (call.method === 'hold') {
      const hold = value as Hold;
      holds.set(call.id, hold);
      return hold.settled;
    }
    if (call.method === 'release' && call.hold !== null) holds.delete(call.hold);
    return value;
  } finally {
    running.delete(call.id);
  }
}

parentPort?.on('message', (message: ToWorker) => {
  if ('cancel' in message) {
    running.get(message.cancel)?.abort();
    return;
  }
  const { call } = message;
  const reply = (m: FromWorker): void => parentPort?.postMessage(m);
  answer(call).then(
    (value) => reply({ id: call.id, value }),
    (thrown: unknown) => reply({ id: call.id, error: sendableError(thrown) }),
  );
});
