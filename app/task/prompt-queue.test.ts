import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TidemarkError } from '../../shared/errors';
import { activeRows } from '../../shared/fold';
import type { Provider } from '../provider/provider';
import { scriptedProvider } from '../testing/scripted-provider';
import { answerAgain } from './answer-again';
import { openPromptQueue, type PromptQueue } from './prompt-queue';
import { openTask, type Task } from './task';
import { type Harness, openHarness, practice, promptOf } from './task-harness';

let harness: Harness;
let queue: PromptQueue;
let task: Task;
beforeEach(async () => {
  harness = await openHarness();
  queue = openPromptQueue(harness.service);
  task = await harness.newTask();
});
afterEach(() => harness.close());

const waiting = () => task.view().queue.map((q) => q.prompt.text);
const prompts = () => task.view().runs.map((r) => r.prompt.text);
const text = (name: string) => readFile(path.join(harness.folder, name), 'utf8');
const until = (is: () => boolean) =>
  new Promise<void>((resolve) => {
    const look = () => {
      if (is()) resolve();
    };
    task.listen(look);
    look();
  });
const add = (words: string, provider: () => Provider = practice) =>
  queue.add({ task, prompt: promptOf(words), mode: 'apply', provider });
/** A run that goes on until it is let go or stopped. */
async function begin(): Promise<{ letGo: () => void; ended: Promise<unknown> }> {
  let letGo = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const inner = scriptedProvider([]);
  const provider: Provider = {
    ...inner,
    async *step(request) {
      await Promise.race([gate, new Promise((r) => request.signal.addEventListener('abort', r))]);
      yield* inner.step(request);
    },
  };
  const { ended } = await queue.start({ task, prompt: promptOf('first'), mode: 'apply', provider });
  return { letGo, ended };
}

describe('messages that wait', () => {
  test('are sent one after the other, in their order, once runs have completed', async () => {
    const run = await begin();
    await add('create a.txt with "a"');
    await add('replace "a" with "b" in a.txt');
    expect(waiting()).toHaveLength(2);
    run.letGo();
    await until(() => task.view().runs.length === 3 && task.view().running === null);
    expect(prompts()).toEqual(['first', 'create a.txt with "a"', 'replace "a" with "b" in a.txt']);
    expect(await text('a.txt')).toBe('b');
    expect(waiting()).toEqual([]);
  });

  test('can be changed and taken out; what is gone is said', async () => {
    const run = await begin();
    await add('one');
    await add('two');
    const [one, two] = task.view().queue.map((q) => q.queueId);
    await queue.change(task, one ?? '', 'create a.txt with "changed"');
    await queue.remove(task, two ?? '');
    await expect(queue.change(task, two ?? '', 'x')).rejects.toMatchObject({ code: 'usage' });
    run.letGo();
    await until(() => task.view().runs.length === 2 && task.view().running === null);
    expect(await text('a.txt')).toBe('changed');
  });

  test('stay after Stop, until one is sent by hand', async () => {
    const run = await begin();
    await add('create a.txt with "a"');
    await harness.service.stop(task.id);
    await run.ended;
    expect(waiting()).toEqual(['create a.txt with "a"']);
    await queue.sendNow(task, task.view().queue[0]?.queueId ?? '', practice);
    await until(() => task.view().running === null);
    expect(waiting()).toEqual([]);
    expect(await text('a.txt')).toBe('a');
  });

  test('sent now: the run is stopped, the others go on waiting for the end of this one', async () => {
    await begin();
    await add('create a.txt with "a"');
    await add('create b.txt with "b"');
    await queue.sendNow(task, task.view().queue[1]?.queueId ?? '', practice);
    await until(() => task.view().runs.length === 3 && task.view().running === null);
    expect(prompts()).toEqual(['first', 'create b.txt with "b"', 'create a.txt with "a"']);
    expect(task.view().runs[0]?.outcome).toBe('stopped');
  });

  test('are not lost in a crash: the log has them, and nothing is sent by itself afterwards', async () => {
    const run = await begin();
    await add('create a.txt with "a"');
    const other = await openTask(task.folder, task.id);
    expect(other.view().queue.map((q) => q.prompt.text)).toEqual(['create a.txt with "a"']);
    await other.close();
    const fresh = openPromptQueue(harness.service);
    await harness.service.stop(task.id);
    await run.ended;
    const { ended } = await fresh.start({
      task,
      prompt: promptOf('x'),
      mode: 'apply',
      provider: scriptedProvider([]),
    });
    await ended;
    expect(waiting()).toHaveLength(1);
  });

  test('one whose provider cannot be had goes on waiting', async () => {
    const run = await begin();
    await add('go', () => {
      throw new TidemarkError('key-missing', 'There is no key.');
    });
    run.letGo();
    await run.ended;
    expect(waiting()).toEqual(['go']);
    const [only] = task.view().queue;
    const none = () => {
      throw new TidemarkError('key-missing', 'There is no key.');
    };
    await expect(queue.sendNow(task, only?.queueId ?? '', none)).rejects.toMatchObject({
      code: 'key-missing',
    });
    expect(waiting()).toEqual(['go']);
  });

  test('without a run a message is sent at once', async () => {
    await add('create a.txt with "a"');
    await until(() => task.view().runs.length === 1 && task.view().running === null);
    expect(waiting()).toEqual([]);
  });
});

describe('the last answer made again', () => {
  const again = async (files: boolean, provider = practice()) => {
    await answerAgain(harness.service, task, { provider, files });
    await until(() => task.view().running === null);
  };
  const shownPrompts = () =>
    activeRows(task.view()).flatMap((r) => (r.type === 'prompt' ? [r.prompt.text] : []));

  test('with the files as they were: the same message, once on the line, and a way back', async () => {
    await harness.run(task, 'create a.txt with "a"');
    await harness.run(task, 'replace "a" with "b" in a.txt');
    await again(true);
    expect(await text('a.txt')).toBe('b');
    expect(shownPrompts()).toEqual(['create a.txt with "a"', 'replace "a" with "b" in a.txt']);
    expect(task.view().runs).toHaveLength(3);
    expect(task.view().restores).toMatchObject([{ scope: 'all', taskRestored: true, filesRestored: true }]);
  });

  test('with the files as they are', async () => {
    await harness.run(task, 'create a.txt with "a"');
    await again(false, scriptedProvider([]));
    expect(await text('a.txt')).toBe('a');
    expect(shownPrompts()).toEqual(['create a.txt with "a"']);
    expect(task.view().restores).toMatchObject([{ scope: 'task', filesRestored: false }]);
  });

  test('in Ask mode, where there is no checkpoint', async () => {
    const ask = { task, prompt: promptOf('what?'), mode: 'ask' as const };
    const { ended } = await harness.service.start({ ...ask, provider: scriptedProvider([]) });
    await ended;
    await again(true, scriptedProvider([]));
    expect(shownPrompts()).toEqual(['what?']);
    expect(task.view().runs).toHaveLength(2);
  });

  test('not while the task runs, and not without a message', async () => {
    await expect(again(false)).rejects.toMatchObject({ code: 'usage' });
    const run = await begin();
    await expect(again(false)).rejects.toMatchObject({ code: 'workspace-busy' });
    run.letGo();
    await run.ended;
  });
});
