// Runs, restores and what a crash leaves, on real folders and a real engine.
import { writeFileSync } from 'node:fs';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { TidemarkError } from '../../shared/errors';
import { activeRows, type CheckpointRow, checkpointRows, foldAll } from '../../shared/fold';
import { messagesOf } from '../agent/context';
import type { CheckpointEngine, Hold } from '../checkpoint/engine';
import type { Task } from './task';
import { type Harness, type HarnessOptions, openHarness, practice, promptOf } from './task-harness';

const open: Harness[] = [];
async function harness(o: HarnessOptions = {}): Promise<Harness> {
  const h = await openHarness(o);
  open.push(h);
  return h;
}
afterEach(async () => {
  for (const h of open.splice(0).reverse()) await h.close();
});

const read = (h: Harness, name: string): Promise<string> => readFile(path.join(h.folder, name), 'utf8');
const kinds = (task: Task): string[] => checkpointRows(task.view()).map((r) => r.kind);
function checkpoint(task: Task, kind: CheckpointRow['kind'], index = 0): CheckpointRow {
  const found = checkpointRows(task.view()).filter((r) => r.kind === kind)[index];
  if (found === undefined) throw new Error(`no ${kind}`);
  return found;
}
const all = { scope: null, whole: false, conflicts: null, fingerprint: null } as const;

/** An engine whose holds are changed by `change`. */
function withHolds(engine: CheckpointEngine, change: (hold: Hold) => Hold): CheckpointEngine {
  return { ...engine, hold: async (o) => change(await engine.hold(o)) };
}

describe('law 1: append, then publish', () => {
  test('what a listener gets is in the log already, in order and once', async () => {
    const h = await harness({ files: { 'a.txt': 'a' } });
    const task = await h.newTask();
    const log = path.join(task.folder, 'log.jsonl');
    const checks: Promise<boolean>[] = [];
    const seqs: number[] = [];
    task.listen((e) => {
      if (!('seq' in e)) return;
      seqs.push(e.seq);
      checks.push(readFile(log, 'utf8').then((text) => text.includes(`"seq":${e.seq},`)));
    });
    await h.run(task, 'create b.txt with "b"');
    expect(seqs).toEqual(seqs.map((_, i) => (seqs[0] ?? 0) + i));
    expect(await Promise.all(checks)).not.toContain(false);
    expect(foldAll(task.events())).toEqual({ ...task.view(), waiting: null });
  });
});

describe('compaction', () => {
  test('leaves a point without a snapshot; a rewind to it brings the messages back', async () => {
    const h = await harness({ files: { 'a.txt': 'a' } });
    const task = await h.newTask();
    await h.run(task, 'create b.txt with "b"');
    const asked = { id: 'practice', model: 'practice' };
    const before = messagesOf(task.view(), asked);
    expect(await h.run(task, '/compact')).toMatchObject({ outcome: 'completed' });
    expect(messagesOf(task.view(), asked)).toHaveLength(1);
    const point = checkpoint(task, 'compaction');
    expect(point.snapshotId).toBeNull();
    expect(kinds(task).filter((k) => k === 'run')).toEqual([]);
    const plan = await h.service.plan(task, { checkpointId: point.checkpointId, ...all });
    expect(plan).toMatchObject({ scope: 'task', files: [], prompt: null });
    const done = await h.service.restore(task, { checkpointId: point.checkpointId, ...all });
    expect(done).toMatchObject({ taskRestored: true, filesRestored: false });
    expect(messagesOf(task.view(), asked)).toEqual(before);
    expect(await read(h, 'b.txt')).toBe('b');
    await h.service.restore(task, { checkpointId: done.redoId, ...all });
    expect(messagesOf(task.view(), asked)).toHaveLength(1);
  });
});

describe('law 2: no checkpoint, no write', () => {
  const failing = (times: number): HarnessOptions => {
    let left = times;
    return {
      files: { 'a.txt': 'a' },
      wrapEngine: (engine) =>
        withHolds(engine, (hold) => ({
          ...hold,
          capture: async (o) => {
            if (left-- > 0) throw new TidemarkError('disk-full', 'The disk is full.');
            return hold.capture(o);
          },
        })),
    };
  };

  test('nobody to ask: the run fails and nothing was written', async () => {
    const h = await harness(failing(99));
    const task = await h.newTask();
    const end = await h.run(task, 'create b.txt with "b"');
    expect(end).toMatchObject({ outcome: 'failed', error: { code: 'disk-full' } });
    expect(await readdir(h.folder)).toEqual(['a.txt']);
    expect(checkpointRows(task.view()).map((r) => r.failed?.code)).toContain('disk-full');
  });

  test('Retry: the next try protects, and only then is written', async () => {
    const asked: string[] = [];
    const h = await harness({
      ...failing(2),
      host: {
        onFailedCheckpoint: async (error) => {
          asked.push(error.code);
          return 'retry';
        },
      },
    });
    const task = await h.newTask();
    const end = await h.run(task, 'create b.txt with "b"');
    expect(end.outcome).toBe('completed');
    expect(asked).toEqual(['disk-full', 'disk-full']);
    await h.service.restore(task, {
      ...all,
      checkpointId: checkpointRows(task.view()).find((r) => r.kind === 'initial' && r.snapshotId !== null)
        ?.checkpointId as never,
    });
    expect(await readdir(h.folder)).toEqual(['a.txt']);
  });

  test('Continue without checkpoints: for this run, and the log says so', async () => {
    const h = await harness({ ...failing(99), host: { onFailedCheckpoint: async () => 'continue' } });
    const task = await h.newTask();
    const end = await h.run(task, 'create b.txt with "b"');
    expect(end.outcome).toBe('completed');
    expect(await read(h, 'b.txt')).toBe('b');
    expect(task.view().runs[0]?.unprotected).toBe(true);
  });

  test('Stop: the run is stopped and nothing was written', async () => {
    const h = await harness({ ...failing(99), host: { onFailedCheckpoint: async () => 'stop' } });
    const task = await h.newTask();
    expect((await h.run(task, 'create b.txt with "b"')).outcome).toBe('stopped');
    expect(await readdir(h.folder)).toEqual(['a.txt']);
  });

  test('checkpoints off: the agent works, and none is saved', async () => {
    const h = await harness({ files: { 'a.txt': 'a' } });
    await h.checkpoints.disable();
    const task = await h.newTask();
    expect((await h.run(task, 'create b.txt with "b"')).outcome).toBe('completed');
    expect(kinds(task)).toEqual([]);
    await h.checkpoints.enable();
    expect(h.checkpoints.state().state).toBe('ready');
  });
});

describe('law 3: one writer per workspace', () => {
  test('another task’s run waits, visibly, until the first has ended', async () => {
    const h = await harness({ files: { 'a.txt': 'a' } });
    const [first, second] = [await h.newTask(), await h.newTask()];
    const waits: (string | null)[] = [];
    second.listen((e) => {
      if (e.type === 'delta.waiting') waits.push(e.waiting);
    });
    const one = await h.service.start({
      task: first,
      prompt: promptOf('run `echo 1 > order.txt`'),
      mode: 'apply',
      provider: practice(),
    });
    const two = await h.service.start({
      task: second,
      prompt: promptOf('run `cat order.txt; echo 2 >> order.txt`'),
      mode: 'apply',
      provider: practice(),
    });
    await one.ended;
    await two.ended;
    expect(await read(h, 'order.txt')).toBe('1\n2\n');
    expect(waits[0]).toContain('Waiting for');
    expect(waits).toContain(null);
  });

  test('a task runs once at a time', async () => {
    const h = await harness();
    const task = await h.newTask();
    const one = await h.service.start({
      task,
      prompt: promptOf('run `sleep 30`'),
      mode: 'apply',
      provider: practice(),
    });
    await expect(
      h.service.start({ task, prompt: promptOf('hello'), mode: 'apply', provider: practice() }),
    ).rejects.toMatchObject({ code: 'workspace-busy' });
    await h.service.stop(task.id);
    expect((await one.ended).outcome).toBe('stopped');
  });
});

describe('settings that the engine is made with', () => {
  test('another limit counts from the next run on; what it leaves out is named', async () => {
    const h = await harness({ files: { 'a.txt': 'a', 'big.txt': 'x'.repeat(2000) } });
    const task = await h.newTask();
    await h.run(task, 'create b.txt with "b"');
    h.settings.checkpoints.maxFileBytes = 1000;
    await writeFile(path.join(h.folder, 'huge.txt'), 'y'.repeat(3000));
    await h.run(task, 'create c.txt with "c"');
    const left = checkpointRows(task.view()).map((r) => r.skipped.map((s) => s.path));
    expect(left[0]).toEqual([]);
    expect(left.at(-1)).toContain('huge.txt');
  });
});

describe('another process in the same folder', () => {
  test('the run says whom it waits for, then goes on', async () => {
    const h = await harness({ files: { 'a.txt': 'a' } });
    const engine = await h.service.engine();
    const hold = await engine.hold({ signal: new AbortController().signal });
    const task = await h.newTask();
    const told = new Promise<string>((resolve) => {
      task.listen((e) => {
        if (e.type === 'delta.waiting' && e.waiting !== null) resolve(e.waiting);
      });
    });
    const { ended } = await h.service.start({
      task,
      prompt: promptOf('create b.txt with "b"'),
      mode: 'apply',
      provider: practice(),
    });
    expect(await told).not.toBe('');
    expect(await readdir(h.folder)).toEqual(['a.txt']);
    await hold.release();
    expect((await ended).outcome).toBe('completed');
  });

  test('with a bound on the wait: workspace-busy, nothing written', async () => {
    const h = await harness({ files: { 'a.txt': 'a' }, host: { waitMs: 600 } });
    const engine = await h.service.engine();
    const hold = await engine.hold({ signal: new AbortController().signal });
    const task = await h.newTask();
    expect(await h.run(task, 'create b.txt with "b"')).toMatchObject({
      outcome: 'failed',
      error: { code: 'workspace-busy' },
    });
    expect(await readdir(h.folder)).toEqual(['a.txt']);
    await hold.release();
  });
});

describe('law 4: plan, then apply', () => {
  test('a folder that moved after the dialog: plan-stale, nothing restored', async () => {
    const h = await harness({ files: { 'a.txt': 'a\n' } });
    const task = await h.newTask();
    await h.run(task, 'replace "a" with "b" in a.txt');
    const request = {
      checkpointId: checkpoint(task, 'initial').checkpointId,
      scope: 'all' as const,
      whole: false,
      conflicts: null,
    };
    const preview = await h.service.plan(task, request);
    expect(preview.files).toEqual([{ path: 'a.txt', action: 'revert', by: 'task' }]);
    await rm(path.join(h.folder, 'a.txt'));
    await expect(
      h.service.restore(task, { ...request, fingerprint: preview.fingerprint }),
    ).rejects.toMatchObject({ code: 'plan-stale' });
    expect(await readdir(h.folder)).toEqual([]);
    expect(task.view().restores).toEqual([]);
  });

  test('fault 108: a marker without a snapshot restores nothing in its place', async () => {
    const h = await harness({ files: { 'a.txt': 'a\n' } });
    const task = await h.newTask();
    await h.run(task, 'create b.txt with "b"');
    await task.append({
      type: 'checkpoint.failed',
      checkpointId: 'c_000000000000' as never,
      kind: 'turn',
      runId: null,
      error: { code: 'git-failed', message: 'No.' },
    });
    await expect(
      h.service.restore(task, { ...all, scope: 'files', checkpointId: 'c_000000000000' as never }),
    ).rejects.toMatchObject({ code: 'snapshot-missing' });
    expect(await read(h, 'b.txt')).toBe('b');
  });
});

describe('law 5: every restore leaves a redo point', () => {
  test('fault 13: redo over several levels, after new messages too; a used redo point is not shown', async () => {
    const h = await harness({ files: { 'a.txt': '0\n' } });
    const task = await h.newTask();
    for (const n of [1, 2, 3]) await h.run(task, `replace "${n - 1}" with "${n}" in a.txt`);
    const target = checkpoint(task, 'turn', 0).checkpointId;
    const first = await h.service.restore(task, { ...all, checkpointId: target });
    expect(await read(h, 'a.txt')).toBe('1\n');
    expect(first.prompt?.text).toBe('replace "1" with "2" in a.txt');
    expect(activeRows(task.view()).filter((r) => r.type === 'prompt')).toHaveLength(1);
    await h.run(task, 'create new.txt with "line"');
    const back = await h.service.restore(task, { ...all, checkpointId: first.redoId });
    expect(await read(h, 'a.txt')).toBe('3\n');
    expect(await read(h, 'new.txt'), 'the redo brings back exactly what its restore changed').toBe('line');
    expect(activeRows(task.view()).filter((r) => r.type === 'prompt')).toHaveLength(3);
    await h.service.restore(task, { ...all, checkpointId: back.redoId });
    expect(await read(h, 'a.txt')).toBe('1\n');
    const shown = activeRows(task.view()).filter((r) => r.type === 'prompt');
    expect(shown.map((r) => r.type === 'prompt' && r.prompt.text)).toEqual([
      'replace "0" with "1" in a.txt',
      'create new.txt with "line"',
    ]);
  });

  test('fault 67: what was cleared stays cleared, after any later event and after a restart', async () => {
    const h = await harness({ files: { 'a.txt': '0\n' } });
    const task = await h.newTask();
    await h.run(task, 'create one.txt with "1"\nrun `echo 2 > two.txt`');
    await h.service.restore(task, { ...all, checkpointId: checkpoint(task, 'turn', 0).checkpointId });
    await task.append({ type: 'task.renamed', title: 'Renamed' });
    const tools = () => activeRows(task.view()).filter((r) => r.type === 'tool').length;
    expect(tools()).toBe(1);
    await h.run(task, 'create three.txt with "3"');
    const runs = activeRows(task.view())
      .filter((r) => r.type === 'tool')
      .map((r) => r.type === 'tool' && r.tool);
    expect(runs).toEqual(['write_file', 'write_file', 'complete_task']);
    expect(activeRows(foldAll(task.events())).length).toBe(activeRows(task.view()).length);
  });

  test('a failure while writing: the files are back, the task is restored, the error names the files', async () => {
    const h = await harness({
      files: { 'a.txt': 'a\n' },
      wrapEngine: (engine) =>
        withHolds(engine, (hold) => ({
          ...hold,
          apply: async () => {
            throw new TidemarkError('restore-failed', 'Not all files could be written.', {
              paths: ['a.txt'],
            });
          },
        })),
    });
    const task = await h.newTask();
    await h.run(task, 'replace "a" with "b" in a.txt');
    const outcome = await h.service.restore(task, {
      ...all,
      checkpointId: checkpoint(task, 'initial').checkpointId,
    });
    expect(outcome).toMatchObject({
      taskRestored: true,
      filesRestored: false,
      filesError: { code: 'restore-failed', paths: ['a.txt'] },
    });
    await expect(
      h.service.restore(task, {
        ...all,
        scope: 'files',
        checkpointId: checkpoint(task, 'initial').checkpointId,
      }),
    ).rejects.toMatchObject({ code: 'restore-failed' });
  });

  test('a crash between the files and the log: the next hold brings the fact into the log', async () => {
    const h = await harness({
      files: { 'a.txt': 'a\n' },
      wrapEngine: (engine) => withHolds(engine, (hold) => ({ ...hold, acknowledge: async () => undefined })),
    });
    const task = await h.newTask();
    await h.run(task, 'replace "a" with "b" in a.txt');
    const log = path.join(task.folder, 'log.jsonl');
    await h.service.restore(task, { ...all, checkpointId: checkpoint(task, 'initial').checkpointId });
    await h.service.close();
    await h.checkpoints.close();
    await task.close();
    // As if the process had died before the append: the last fact is not in the log, the journal is still there.
    const lines = (await readFile(log, 'utf8')).trim().split('\n');
    expect(lines.at(-1)).toContain('restore.completed');
    await writeFile(log, `${lines.slice(0, -1).join('\n')}\n`);
    const settled: string[] = [];
    const again = await harness({ at: h, host: { onSettled: (r) => settled.push(r.outcome) } });
    const reopened = await again.openTask(task.id);
    expect(reopened.view().restores).toHaveLength(0);
    await again.service.settle([task.id]);
    expect(settled).toEqual(['finished']);
    expect(reopened.view().restores).toHaveLength(1);
    expect(await read(h, 'a.txt')).toBe('a\n');
    const redo = reopened.view().restores[0]?.redo;
    await again.service.restore(reopened, { ...all, checkpointId: redo as never });
    expect(await read(h, 'a.txt')).toBe('b\n');
  });
});

describe('a run that was cut off', () => {
  test('is closed at the next open, and what it had done can be taken back', async () => {
    const h = await harness({ files: { 'a.txt': 'a\n' } });
    const task = await h.newTask();
    const { runId } = await h.service.start({
      task,
      prompt: promptOf('run `echo x > made.txt; sleep 600`'),
      mode: 'apply',
      provider: practice(),
    });
    await new Promise<void>((resolve) => {
      const off = task.listen((e) => {
        if (e.type === 'tool.started') {
          off();
          resolve();
        }
      });
    });
    while (!(await stat(path.join(h.folder, 'made.txt')).catch(() => null)))
      await new Promise((r) => setImmediate(r));
    // The log as a dying process leaves it: without what comes after Stop.
    const cut = await readFile(path.join(task.folder, 'log.jsonl'), 'utf8');
    await h.service.close();
    await h.checkpoints.close();
    await task.close();
    await writeFile(path.join(task.folder, 'log.jsonl'), cut);
    const again = await harness({ at: h });
    const reopened = await again.openTask(task.id);
    expect(reopened.view().running).toBe(runId);
    await again.service.settle([task.id]);
    expect(reopened.view().running).toBeNull();
    expect(reopened.view().runs[0]?.outcome).toBe('interrupted');
    expect(kinds(reopened)).toEqual(['initial', 'turn']);
    await again.service.restore(reopened, {
      ...all,
      checkpointId: checkpoint(reopened, 'initial').checkpointId,
    });
    expect(await readdir(h.folder)).toEqual(['a.txt']);
  });
});

describe('restores and who changed what', () => {
  test('fault 36: a restore runs nothing again', async () => {
    const h = await harness({ files: { 'a.txt': 'a\n' } });
    const task = await h.newTask();
    await h.run(task, 'run `echo x >> count.txt`');
    await h.service.restore(task, { ...all, checkpointId: checkpoint(task, 'initial').checkpointId });
    expect(await readdir(h.folder)).toEqual(['a.txt']);
    expect(h.service.running()).toEqual([]);
  });

  test('fault 66: restore points are turns, whatever the number of calls', async () => {
    const h = await harness({ files: { 'a.txt': 'a\n' } });
    const task = await h.newTask();
    await h.run(task, 'create 1.txt with "1"\ncreate 2.txt with "2"\ncreate 3.txt with "3"');
    expect(kinds(task)).toEqual(['initial', 'turn', 'completion']);
  });

  test('an edit by hand beside a turn that only edited other paths is not the task’s', async () => {
    const h = await harness({ files: { 'a.txt': 'a\n', 'mine.txt': 'old\n' } });
    const task = await h.newTask();
    let wrote = false;
    task.listen((e) => {
      if (e.type === 'tool.started' && !wrote) {
        wrote = true;
        writeFileSync(path.join(h.folder, 'mine.txt'), 'by hand\n');
      }
    });
    await h.run(task, 'replace "a" with "b" in a.txt');
    await h.service.restore(task, { ...all, checkpointId: checkpoint(task, 'initial').checkpointId });
    expect(await read(h, 'a.txt')).toBe('a\n');
    expect(await read(h, 'mine.txt')).toBe('by hand\n');
  });

  test('one file alone, whoever changed it', async () => {
    const h = await harness({ files: { 'a.txt': 'a\n', 'b.txt': 'b\n' } });
    const task = await h.newTask();
    await h.run(task, 'replace "a" with "A" in a.txt');
    await writeFile(path.join(h.folder, 'b.txt'), 'by hand\n');
    const initial = checkpoint(task, 'initial').checkpointId;
    const outcome = await h.service.restore(task, {
      checkpointId: initial,
      scope: 'files',
      whole: false,
      conflicts: 'checkpoint',
      only: [{ path: 'b.txt' }],
      fingerprint: null,
    });
    expect(await read(h, 'b.txt')).toBe('b\n');
    expect(await read(h, 'a.txt')).toBe('A\n');
    await h.service.restore(task, { ...all, checkpointId: outcome.redoId });
    expect(await read(h, 'b.txt')).toBe('by hand\n');
  });

  test('the whole workspace: every captured file, and undo brings all of it back', async () => {
    const h = await harness({ files: { 'a.txt': 'a\n', 'b.txt': 'b\n' } });
    const task = await h.newTask();
    await h.run(task, 'replace "a" with "A" in a.txt');
    await writeFile(path.join(h.folder, 'b.txt'), 'by hand\n');
    const initial = checkpoint(task, 'initial').checkpointId;
    const request = {
      checkpointId: initial,
      scope: 'files' as const,
      whole: true,
      conflicts: 'checkpoint' as const,
    };
    const preview = await h.service.plan(task, request);
    expect(preview.files.map((f) => [f.path, f.by])).toEqual([
      ['a.txt', 'task'],
      ['b.txt', 'other'],
    ]);
    const outcome = await h.service.restore(task, { ...request, fingerprint: preview.fingerprint });
    expect([await read(h, 'a.txt'), await read(h, 'b.txt')]).toEqual(['a\n', 'b\n']);
    await h.service.restore(task, { ...all, checkpointId: outcome.redoId });
    expect([await read(h, 'a.txt'), await read(h, 'b.txt')]).toEqual(['A\n', 'by hand\n']);
  });

  test('a whole restore that was taken back leaves a file made by hand the user’s', async () => {
    const h = await harness({ files: { 'a.txt': 'a\n' } });
    const task = await h.newTask();
    await h.run(task, 'create agent.txt with "x"');
    await writeFile(path.join(h.folder, 'mine.txt'), 'mine\n');
    const initial = checkpoint(task, 'initial').checkpointId;
    const gone = await h.service.restore(task, {
      checkpointId: initial,
      scope: 'files',
      whole: true,
      conflicts: 'checkpoint',
      fingerprint: null,
    });
    expect(await readdir(h.folder)).toEqual(['a.txt']);
    const back = await h.service.restore(task, { ...all, checkpointId: gone.redoId });
    expect((await readdir(h.folder)).sort()).toEqual(['a.txt', 'agent.txt', 'mine.txt']);
    const again = await h.service.restore(task, { ...all, checkpointId: back.redoId });
    expect(await readdir(h.folder), 'taking the taking back').toEqual(['a.txt']);
    await h.service.restore(task, { ...all, checkpointId: again.redoId });
    await h.service.restore(task, { ...all, checkpointId: initial });
    expect((await readdir(h.folder)).sort()).toEqual(['a.txt', 'mine.txt']);
  });

  test('what the agent did without checkpoints is not called a hand edit later', async () => {
    const h = await harness({ files: { 'a.txt': 'a\n' } });
    const task = await h.newTask();
    await h.run(task, 'create one.txt with "1"');
    await h.checkpoints.disable();
    await h.run(task, 'create unprotected.txt with "x"');
    await writeFile(path.join(h.folder, 'mine.txt'), 'mine\n');
    await h.checkpoints.enable();
    await h.run(task, 'create two.txt with "2"');
    const row = checkpoint(task, 'run', 0);
    expect(row).toMatchObject({ own: 'paths', ownPaths: [{ path: 'unprotected.txt' }] });
    await h.service.restore(task, { ...all, checkpointId: checkpoint(task, 'initial').checkpointId });
    expect((await readdir(h.folder)).sort()).toEqual(['a.txt', 'mine.txt']);
  });

  test('deleting a task gives its snapshots up and leaves other tasks’ alone', async () => {
    const h = await harness({ files: { 'a.txt': 'a\n' } });
    const [one, two] = [await h.newTask(), await h.newTask()];
    await h.run(one, 'create 1.txt with "1"');
    await h.run(two, 'create 2.txt with "2"');
    await h.service.forget(one.id);
    await h.service.restore(two, { ...all, checkpointId: checkpoint(two, 'initial').checkpointId });
    expect((await readdir(h.folder)).sort()).toEqual(['1.txt', 'a.txt']);
  });
});
