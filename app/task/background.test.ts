import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { checkpointRows, livingBackground } from '../../shared/fold';
import { isRunning } from '../log/running';
import { listTasks } from '../log/task-index';
import type { Provider } from '../provider/provider';
import { scriptedProvider } from '../testing/scripted-provider';
import type { Task } from './task';
import { type Harness, openHarness, promptOf } from './task-harness';

let harness: Harness;
afterEach(() => harness.close());

const open = async (files: Readonly<Record<string, string>> = {}): Promise<Task> => {
  harness = await openHarness({ files });
  return harness.newTask();
};
const background = (command: string) => ({ tool: 'run_command', input: { command, background: true } });
const play = async (task: Task, ...turns: Parameters<typeof scriptedProvider>[0]) => {
  const provider: Provider = scriptedProvider(turns);
  const { ended } = await harness.service.start({ task, prompt: promptOf('go'), mode: 'apply', provider });
  return ended;
};
const at = (name: string) => path.join(harness.folder, name);
const text = (name: string) => readFile(at(name), 'utf8');
/** Settles when the task's background command has printed this. */
const printed = (task: Task, words: string) =>
  new Promise<void>((resolve) => {
    const look = () => {
      if (task.view().background.some((b) => b.output.includes(words))) resolve();
    };
    task.listen(look);
    look();
  });
const ended = (task: Task) =>
  new Promise<void>((resolve) => {
    const look = () => {
      if (livingBackground(task.view()).length === 0) resolve();
    };
    task.listen(look);
    look();
  });
const isAlive = async (pid: number) =>
  readFile(`/proc/${pid}/stat`, 'utf8').then(
    (stat) => !/\) Z /.test(stat),
    () => false,
  );
const pidOf = (task: Task) => Number(/process group (\d+)/.exec(toolText(task))?.[1]);
const toolText = (task: Task) => {
  const row = task.view().rows.findLast((r) => r.type === 'tool');
  return row?.type === 'tool' ? row.text : '';
};

describe('a command in the background', () => {
  test('goes on after its run, is listed with what it prints, and stops with all that it started', async () => {
    const task = await open();
    await play(task, [background('sleep 100 & echo ready; while :; do sleep 0.1; done')]);
    expect(task.view().running).toBeNull();
    expect(toolText(task)).toContain('It runs in the background');
    const [living] = livingBackground(task.view());
    expect(living).toMatchObject({ folder: '', ended: null });
    expect(harness.service.backgroundOutput(living?.backgroundId ?? '')).toBe('ready\n');
    expect(harness.service.busy()).toBe(true);
    expect(await isAlive(pidOf(task))).toBe(true);
    await harness.service.stopBackground(task.id, living?.backgroundId ?? '');
    expect(await isAlive(pidOf(task))).toBe(false);
    expect(task.view().background).toMatchObject([{ ended: { how: 'stopped' }, output: 'ready\n' }]);
    expect(await readFile(living?.file ?? '', 'utf8')).toBe('ready\n');
    expect(harness.service.busy()).toBe(false);
    expect(await isRunning(task.folder)).toBe(false);
  });

  test('that fails at once is an error with its output', async () => {
    const task = await open();
    await play(task, [background('echo no such server >&2; exit 3')]);
    const row = task.view().rows.find((r) => r.type === 'tool');
    expect(row).toMatchObject({ state: 'error' });
    expect(toolText(task)).toMatch(/exit code 3[\s\S]*no such server/);
    expect(task.view().background).toMatchObject([{ ended: { how: 'exited', exitCode: 3 } }]);
  });

  test('ends with Stop of its run, and with the service', async () => {
    const task = await open();
    const provider = scriptedProvider([
      [background('sleep 100')],
      [{ tool: 'run_command', input: { command: 'sleep 100' } }],
    ]);
    const { ended: over } = await harness.service.start({
      task,
      prompt: promptOf('go'),
      mode: 'apply',
      provider,
    });
    await new Promise<void>((resolve) => {
      task.listen((e) => {
        if (e.type === 'tool.started' && livingBackground(task.view()).length > 0) resolve();
      });
    });
    await harness.service.stop(task.id);
    expect((await over).outcome).toBe('stopped');
    expect(livingBackground(task.view())).toEqual([]);
    await play(task, [background('sleep 100')]);
    expect(livingBackground(task.view())).toHaveLength(1);
    await harness.service.close();
    expect(livingBackground(task.view())).toEqual([]);
    expect(task.view().background.map((b) => b.ended?.how)).toEqual(['stopped', 'stopped']);
  });

  test('ends before files are restored, and nothing of it lands afterwards', async () => {
    const task = await open({ 'a.txt': 'one' });
    await play(task, [
      background('echo begun; i=0; while :; do i=$((i+1)); echo $i > a.txt; sleep 0.02; done'),
    ]);
    await printed(task, 'begun');
    const [first] = checkpointRows(task.view());
    await harness.service.restore(task, {
      checkpointId: first?.checkpointId ?? ('' as never),
      scope: 'files',
      whole: false,
      conflicts: null,
      fingerprint: null,
    });
    expect(livingBackground(task.view())).toEqual([]);
    expect(await isAlive(pidOf(task))).toBe(false);
    expect(await text('a.txt')).toBe('one');
  });
});

describe('what changes while it lives belongs to the run', () => {
  test('also between runs, and is taken back with it', async () => {
    const task = await open({ 'a.txt': 'one', go: '' });
    await play(task, [
      background('while [ -e go ]; do sleep 0.05; done; echo two > a.txt; echo new > b.txt'),
    ]);
    const [first] = checkpointRows(task.view());
    await rm(at('go'));
    await ended(task);
    await play(task, []);
    expect(checkpointRows(task.view()).filter((r) => r.files > 0)).toMatchObject([{ own: 'task', files: 3 }]);
    await harness.service.restore(task, {
      checkpointId: first?.checkpointId ?? ('' as never),
      scope: 'files',
      whole: false,
      conflicts: null,
      fingerprint: null,
    });
    expect(await text('a.txt')).toBe('one');
    await expect(text('b.txt')).rejects.toThrow();
  });

  test('once it has ended and a snapshot holds that, changes by hand are the user’s again', async () => {
    const task = await open({ 'a.txt': 'one' });
    await play(task, [background('echo two > a.txt')]);
    await ended(task);
    await play(task, []);
    await writeFile(at('a.txt'), 'by hand');
    await play(task, []);
    expect(checkpointRows(task.view()).findLast((r) => r.kind === 'run')).toMatchObject({
      own: 'user',
      files: 1,
    });
  });
});

test('a crash: the task is cut, and settling ends what still runs', async () => {
  const task = await open();
  await play(task, [background('sleep 100')]);
  const pid = pidOf(task);
  expect(await listTasks(harness.home)).toMatchObject([{ state: 'idle' }]);
  // The same log, read by a Tidemark that finds nobody who has the command: the fact of its end is missing.
  const lost = { ...task.view().background[0], backgroundId: 'b_lost' };
  await harness.service.stopBackground(task.id, task.view().background[0]?.backgroundId ?? '');
  expect(await isAlive(pid)).toBe(false);
  const { runId, callId = '', command = '', folder = '', file = '', backgroundId } = lost;
  if (runId === undefined) throw new Error('no run');
  await task.append({ type: 'background.started', runId, callId, command, folder, file, backgroundId });
  expect(await listTasks(harness.home)).toMatchObject([{ state: 'interrupted' }]);
  await harness.service.settle([task.id]);
  expect(task.view().background.at(-1)?.ended?.how).toBe('lost');
  expect(await listTasks(harness.home)).toMatchObject([{ state: 'idle' }]);
});
