import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { relPathFromText as rel } from '../../shared/rel-path';
import { makeTempWorkspace } from '../testing/temp-workspace';
import { bundle, optionsOf } from './engine-bench';
import { openWorkerEngine } from './worker-host';

let built: Awaited<ReturnType<typeof bundle>>;
beforeAll(async () => {
  built = await bundle('engine-worker.ts', 'cjs');
});
afterAll(() => built.dispose());

const trailers = { taskId: 't_0123456789ab', runId: null, kind: 'turn' };

describe('the engine in a worker thread', () => {
  it('does the same as in process: holds, plans with choices, typed errors, cancelling', async () => {
    const w = makeTempWorkspace();
    const engine = openWorkerEngine({ ...optionsOf(w), workerFile: built.file });
    const { signal } = new AbortController();
    w.put('a.txt', 'one\n');
    expect((await engine.start({ signal })).snapshots).toBe(0);
    const hold = await engine.hold({ signal });
    expect(hold.settled).toBe(null);
    const { id: before } = await hold.capture({ signal, trailers, touched: [rel('a.txt')] });
    w.put('a.txt', 'two\n');
    const { id: after } = await hold.capture({ signal, trailers });
    w.put('a.txt', 'mine\n');
    const scope = { kind: 'task', taskId: trailers.taskId, steps: [{ before, after, only: null }] } as const;
    expect((await engine.plan(before, scope, { signal })).conflicts).toHaveLength(1);
    const choices = new Map([[rel('a.txt'), 'checkpoint']] as const);
    const redo = await hold.capture({ signal, trailers });
    const plan = await engine.plan(before, scope, { signal, choices });
    await hold.apply(plan, { signal, redo: redo.id, note: 'n', trailers });
    await hold.acknowledge();
    expect(w.text('a.txt')).toBe('one\n');
    expect(Buffer.from((await engine.read(redo.id, rel('a.txt'), { signal })) ?? []).toString()).toBe(
      'mine\n',
    );
    const stopped = new AbortController();
    stopped.abort();
    await expect(hold.capture({ signal: stopped.signal, trailers })).rejects.toMatchObject({
      code: 'cancelled',
    });
    await expect(engine.read('f'.repeat(40) as never, rel('a'), { signal })).rejects.toMatchObject({
      code: 'snapshot-missing',
    });
    await hold.release();
    await expect(hold.capture({ signal, trailers })).rejects.toMatchObject({ code: 'failed' });
    await engine.close();
    w.dispose();
  });

  it('fails every waiting call when the thread cannot be run', async () => {
    const w = makeTempWorkspace();
    const engine = openWorkerEngine({ ...optionsOf(w), workerFile: `${built.file}.not-there` });
    await expect(engine.start({ signal: new AbortController().signal })).rejects.toMatchObject({
      code: 'failed',
    });
    await engine.close();
    w.dispose();
  });
});
