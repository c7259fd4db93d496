// A process of the engine's crash tests: does one capture, one restore or one clean-up, and kills itself just before the n-th change
// that it makes on disk, wherever that is. Not part of the product.
import fs from 'node:fs';
import { TidemarkError } from '../../shared/errors';
import type { SnapshotId } from '../../shared/ids';
import type { EngineOptions, OwnStep, Skipped } from './engine';
import { openEngine } from './open-engine';

export type CrashOrder = {
  readonly options: EngineOptions;
  /** 0: never */
  readonly dieBefore: number;
  readonly trailers: { readonly taskId: string; readonly runId: null; readonly kind: string };
  /** null: only a capture; "maintain": neither, garbage of any age is removed */
  readonly restore: { readonly target: SnapshotId; readonly steps: readonly OwnStep[] } | 'maintain' | null;
};

const order = JSON.parse(process.argv[2] ?? '') as CrashOrder;
const { signal } = new AbortController();
const { trailers } = order;
const engine = openEngine(order.options);
await engine.start({ signal });
const hold = await engine.hold({ signal });

let count = 0;

/** From here on the changes are counted. */
function countChanges(): void {
  const changing = [
    'renameSync',
    'unlinkSync',
    'mkdirSync',
    'rmdirSync',
    'rmSync',
    'writeSync',
    'openSync',
    'chmodSync',
    'fchmodSync',
    'symlinkSync',
    'writeFileSync',
  ] as const;
  for (const name of changing) {
    const real = fs[name] as (...args: unknown[]) => unknown;
    const counted = (...args: unknown[]): unknown => {
      const reads = name === 'openSync' && (typeof args[1] === 'number' || args[1] === 'r');
      // the lock has tests of its own, in which a process dies before each of its steps
      const skip = reads || String(args[0]).includes('tidemark.lock');
      if (!skip) count += 1;
      if (!skip && count === order.dieBefore) process.kill(process.pid, 'SIGKILL');
      return real(...args);
    };
    Object.assign(fs, { [name]: counted });
  }
}

async function obey(): Promise<readonly Skipped[]> {
  if (order.restore === null) {
    countChanges();
    return (await hold.capture({ signal, trailers })).skipped;
  }
  if (order.restore === 'maintain') {
    await hold.release();
    countChanges();
    await engine.maintain({ signal, safeAgeMs: 0 });
    return [];
  }
  const { target, steps } = order.restore;
  const redo = await hold.capture({ signal, trailers });
  const plan = await engine.plan(target, { kind: 'task', taskId: trailers.taskId, steps }, { signal });
  countChanges();
  await hold.apply(plan, { signal, trailers, redo: redo.id, note: 'the note' });
  await hold.acknowledge();
  return redo.skipped;
}

try {
  const skipped = await obey();
  fs.writeSync(1, JSON.stringify({ skipped }));
} catch (thrown) {
  if (!(thrown instanceof TidemarkError)) throw thrown;
  fs.writeSync(1, JSON.stringify({ code: thrown.code, paths: thrown.paths }));
}
await hold.release();
await engine.close();
