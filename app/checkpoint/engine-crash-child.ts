// A process of the engine's crash tests: does one capture or one restore, and kills itself just before the n-th change
// that it makes on disk, wherever that is. Not part of the product.
import fs from 'node:fs';
import type { SnapshotId } from '../../shared/ids';
import type { EngineOptions, OwnStep } from './engine';
import { openEngine } from './open-engine';

export type CrashOrder = {
  readonly options: EngineOptions;
  /** 0: never */
  readonly dieBefore: number;
  readonly trailers: { readonly taskId: string; readonly runId: null; readonly kind: string };
  /** null: only a capture */
  readonly restore: { readonly target: SnapshotId; readonly steps: readonly OwnStep[] } | null;
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
      if (!reads) count += 1;
      if (count === order.dieBefore) process.kill(process.pid, 'SIGKILL');
      return real(...args);
    };
    Object.assign(fs, { [name]: counted });
  }
}

if (order.restore === null) {
  countChanges();
  await hold.capture({ signal, trailers });
} else {
  const { target, steps } = order.restore;
  const redo = await hold.capture({ signal, trailers });
  const plan = await engine.plan(target, { kind: 'task', taskId: trailers.taskId, steps }, { signal });
  countChanges();
  await hold.apply(plan, { signal, trailers, redo: redo.id, note: 'the note' });
  await hold.acknowledge();
}
fs.writeSync(1, `${count}\n`);
await hold.release();
await engine.close();
