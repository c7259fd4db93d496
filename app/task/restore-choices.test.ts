// What a person decides about a restore: file by file where edits by hand are at stake, files left out, lines returned
// to, messages edited. Through the task layer, with real tools and git.
import { afterEach, describe, expect, test } from 'vitest';
import { activeRows } from '../../shared/fold';
import { earlierLines, redoPoints } from '../../shared/lines';
import type { RestoreProgress } from '../checkpoint/engine';
import { type FaultBench, openFault } from '../testing/fault-bench';
import { practice, promptOf } from './task-harness';

const open: FaultBench[] = [];
async function bench(files: Readonly<Record<string, string>> = {}): Promise<FaultBench> {
  const b = await openFault(files);
  open.push(b);
  return b;
}
afterEach(async () => {
  for (const b of open.splice(0).reverse()) await b.close();
});
const prompts = (b: FaultBench): string[] =>
  activeRows(b.task.view()).flatMap((r) => (r.type === 'prompt' ? [r.prompt.text] : []));

describe('conflicts are chosen file by file', () => {
  const conflicting = async (): Promise<FaultBench> => {
    const b = await bench({ 'a.txt': '0\n', 'b.txt': '0\n', 'c.txt': '0\n' });
    await b.run(
      'replace "0" with "1" in a.txt\nreplace "0" with "1" in b.txt\nreplace "0" with "1" in c.txt',
    );
    b.put('a.txt', 'mine a\n');
    b.put('b.txt', 'mine b\n');
    return b;
  };

  test('mine here, the checkpoint’s there; the log says which, and Undo brings both back', async () => {
    const b = await conflicting();
    const answers = [
      { path: 'a.txt', choice: 'mine' },
      { path: 'b.txt', choice: 'checkpoint' },
    ] as const;
    const before = b.tree();
    const { redoId } = await b.restore(b.cp(0), { conflicts: answers });
    expect([b.text('a.txt'), b.text('b.txt'), b.text('c.txt')]).toEqual(['mine a\n', '0\n', '0\n']);
    const fact = b.task.events().findLast((e) => e.type === 'restore.completed');
    expect(fact).toMatchObject({ chosen: answers });
    await b.restore(redoId);
    expect(b.tree()).toEqual(before);
  });

  test('an answer for one leaves the other open, and nothing is restored', async () => {
    const b = await conflicting();
    const before = b.tree();
    const conflicts = [{ path: 'a.txt', choice: 'mine' }] as const;
    expect((await b.plan(b.cp(0), { conflicts })).conflicts.map((c) => c.path)).toEqual(['b.txt']);
    await expect(b.restore(b.cp(0), { conflicts })).rejects.toMatchObject({
      code: 'conflicts',
      paths: ['b.txt'],
    });
    expect(b.tree()).toEqual(before);
  });

  test('the three sides: as the task left it, as it is, as the checkpoint has it', async () => {
    const b = await conflicting();
    b.sh('rm b.txt');
    const request = { checkpointId: b.cp(0), scope: 'files', whole: false, conflicts: null } as const;
    const sides = async (name: string): Promise<unknown[]> => {
      const s = await b.h.service.sides(b.task, request, { path: name });
      return [s.base?.text ?? null, s.mine?.text ?? null, s.checkpoint?.text ?? null];
    };
    expect(await sides('a.txt')).toEqual(['1\n', 'mine a\n', '0\n']);
    expect(await sides('b.txt')).toEqual(['1\n', null, '0\n']);
    await expect(sides('c.txt')).rejects.toMatchObject({ code: 'usage' });
  });
});

test('files that are left out stay as they are, with what is below them, and are named', async () => {
  const b = await bench({ 'a.txt': '0\n', 'd/x.txt': '0\n' });
  await b.run('replace "0" with "1" in a.txt\nreplace "0" with "1" in d/x.txt\ncreate d/new/y.txt with "y"');
  const { files, notCovered } = await b.restore(b.cp(0), { without: [{ path: 'd' }] });
  expect([b.text('a.txt'), b.text('d/x.txt'), b.text('d/new/y.txt')]).toEqual(['0\n', '1\n', 'y']);
  expect(files.map((f) => f.path)).toEqual(['a.txt']);
  expect(notCovered.map((f) => f.path)).toEqual(expect.arrayContaining(['d/new/y.txt', 'd/x.txt']));
  await b.restore(b.cp(0));
  expect([b.text('d/x.txt'), b.has('d/new')]).toEqual(['0\n', false]);
});

test('progress is told in files, to the last one', async () => {
  const b = await bench(Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`f${i}.txt`, 'old\n'])));
  await b.run('run `for f in f*.txt; do echo new > $f; done; echo more > more.txt`');
  const told: RestoreProgress[] = [];
  await b.h.service.restore(b.task, {
    checkpointId: b.cp(0),
    scope: 'files',
    whole: false,
    conflicts: null,
    fingerprint: null,
    progress: (p) => told.push(p),
  });
  expect(told.findLast((p) => p.phase === 'prepare')).toMatchObject({ done: 40, total: 40 });
  expect(told.at(-1)).toEqual({ phase: 'move', done: 41, total: 41 });
});

describe('lines that were left', () => {
  test('each is listed once, and returned to after new messages with its files and without the newer ones', async () => {
    const b = await bench({ 'a.txt': '0\n' });
    await b.run('replace "0" with "1" in a.txt');
    await b.run('create second.txt with "2"');
    const first = b.tree();
    await b.restore(b.before(1), { scope: 'all' });
    await b.run('create other.txt with "x"');
    const second = b.tree();
    const [line, ...none] = earlierLines(b.task.view());
    expect(none).toEqual([]);
    expect(line).toMatchObject({ prompt: { text: 'replace "0" with "1" in a.txt' } });
    expect(line?.messages).toBeGreaterThanOrEqual(4);

    const back = line?.redo.checkpointId ?? b.cp(0);
    await b.restore(back, { scope: 'all', line: true });
    expect(b.tree()).toEqual(first);
    expect(prompts(b)).toEqual(['replace "0" with "1" in a.txt', 'create second.txt with "2"']);
    const again = earlierLines(b.task.view());
    expect(again.map((l) => l.prompt.text)).toEqual(['create other.txt with "x"']);
    expect(redoPoints(b.task.view())).toHaveLength(2);

    await b.restore(again[0]?.redo.checkpointId ?? b.cp(0), { scope: 'all', line: true });
    expect(b.tree()).toEqual(second);
    expect(prompts(b)).toEqual(['create other.txt with "x"']);
  });

  test('a redo without it brings back exactly what its restore changed', async () => {
    const b = await bench({ 'a.txt': '0\n' });
    await b.run('replace "0" with "1" in a.txt');
    const { redoId } = await b.restore(b.before(1), { scope: 'all' });
    await b.run('create other.txt with "x"');
    await b.restore(redoId, { scope: null });
    expect([b.text('a.txt'), b.has('other.txt')]).toEqual(['1\n', true]);
  });

  test('a line cut within a run is told by that run’s message', async () => {
    const b = await bench({ 'a.txt': '0\n' });
    await b.run('replace "0" with "1" in a.txt\nrun `true`\nrun `echo 2 > a.txt`');
    const turn = b.points().find((r) => r.kind === 'turn');
    await b.restore(turn?.checkpointId ?? b.cp(0), { scope: 'task' });
    const [line] = earlierLines(b.task.view());
    expect(line?.prompt.text).toContain('replace "0"');
  });
});

describe('the point before a sent message', () => {
  test('is its own checkpoint; without one a point without files is made, once', async () => {
    const b = await bench({ 'a.txt': '0\n' });
    await b.run('replace "0" with "1" in a.txt');
    const [apply] = b.task.view().runs;
    const ask = await b.h.service.start({
      task: b.task,
      prompt: promptOf('read a.txt'),
      mode: 'ask',
      provider: practice(),
    });
    await ask.ended;
    if (apply === undefined) throw new Error('no run');
    expect(await b.h.service.pointBefore(b.task, apply.runId)).toEqual({
      checkpointId: b.before(1),
      files: true,
    });
    const made = await b.h.service.pointBefore(b.task, ask.runId);
    expect(made.files).toBe(false);
    expect(await b.h.service.pointBefore(b.task, ask.runId)).toEqual(made);
    const outcome = await b.restore(made.checkpointId, { scope: 'task' });
    expect(outcome).toMatchObject({ taskRestored: true, filesRestored: false });
    expect(prompts(b)).toEqual(['replace "0" with "1" in a.txt']);
    await expect(b.h.service.pointBefore(b.task, ask.runId)).rejects.toMatchObject({ code: 'usage' });
  });
});
