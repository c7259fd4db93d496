import { symlink } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TidemarkError } from '../../shared/errors';
import { activeRows } from '../../shared/fold';
import { openProvider } from '../provider/registry';
import { type FakeTask, type FakeTaskOptions, openFakeTask } from '../testing/fake-ports';
import { assertValidHistory, type ProviderServer, startProviderServer } from '../testing/provider-server';
import { makeTempFolder, type TempFolder } from '../testing/temp-folder';
import { messagesOf } from './context';

let temp: TempFolder;
let server: ProviderServer;
let task: FakeTask;

const openTask = (more: Partial<FakeTaskOptions> = {}): FakeTask =>
  openFakeTask({
    workspace: temp.workspace,
    outputsFolder: temp.outputs,
    provider: openProvider({
      id: 'openai-compatible',
      model: 'test-model',
      baseUrl: server.baseUrl,
      headers: {},
      key: null,
      contextTokens: null,
    }),
    ...more,
  });

beforeEach(async () => {
  temp = await makeTempFolder();
  server = await startProviderServer();
  task = openTask();
});
afterEach(async () => {
  for (const { body } of server.requests) assertValidHistory(body);
  await server.close();
  await temp.remove();
});

const write = (path: string, content = path) => ({ name: 'write_file', args: { path, content } });
const DONE = { calls: [{ name: 'complete_task', args: { result: 'All done.' } }] };
const outcomes = () => task.facts('tool.finished').map((f) => f.outcome);
const texts = () => task.facts('tool.finished').map((f) => f.text);
/** The results that a request carries, in order. */
const resultsIn = (index: number) =>
  server.requests[index]?.body.messages.filter((m) => m.role === 'tool').map((m) => String(m.content)) ?? [];

describe('a run', () => {
  test('streams text and reasoning, runs parallel calls in order, and ends when the task is declared done', async () => {
    server.script(
      { text: 'I write two files.', reasoning: 'two files', calls: [write('a.txt'), write('b.txt')] },
      DONE,
    );
    const outcome = await task.prompt('go');
    expect(outcome).toEqual({ outcome: 'completed', error: null, text: 'All done.' });
    expect(await temp.text('b.txt')).toBe('b.txt');
    const streamed = task.deltas.flatMap((d) => (d.type === 'delta.text' ? [d.text] : []));
    expect(streamed.length).toBeGreaterThan(1);
    expect(streamed.join('')).toBe('I write two files.');
    expect(task.facts('message.completed')[0]).toMatchObject({ reasoning: 'two files', finish: 'tools' });
    expect(task.deltas.filter((d) => d.type === 'delta.call').map((d) => d.tool)).toEqual([
      'write_file',
      'write_file',
      'complete_task',
    ]);
    expect(task.order).toEqual([
      'task.created',
      'run.started',
      'message.completed',
      ...['a.txt', 'b.txt'].flatMap((p) => ['beforeChange', `protect ${p}`, 'tool.started', 'tool.finished']),
      'turnEnded a.txt b.txt',
      'message.completed',
      'tool.started',
      'tool.finished',
      'completed',
      'run.ended',
    ]);
  });

  test('ends with an answer that calls nothing', async () => {
    server.script({ text: 'Hello.' });
    expect(await task.prompt('hi')).toEqual({ outcome: 'completed', error: null, text: 'Hello.' });
    expect(task.order).not.toContain('completed');
  });

  test('what a model is sent is what the log says, however it was played', async () => {
    server.script(
      { calls: [write('a.txt'), { name: 'read_file', args: { path: 'gone' } }] },
      { text: 'So it is.' },
    );
    await task.prompt('go');
    server.script({ text: 'Yes.' });
    await task.prompt('really?');
    const sent = server.requests[2]?.body.messages.map((m) => m.role);
    expect(sent).toEqual(['system', 'user', 'assistant', 'tool', 'tool', 'assistant', 'user']);
    expect(resultsIn(2)).toEqual(resultsIn(1));
    expect(resultsIn(1)[1]).toContain('There is no file "gone"');
  });

  test('calls that only read run side by side and leave no checkpoint', async () => {
    await temp.put({ 'a.txt': 'A', 'b.txt': 'B' });
    const read = (path: string) => ({ name: 'read_file', args: { path } });
    server.script({ calls: [read('a.txt'), read('b.txt')] }, { text: 'ok' });
    await task.prompt('go');
    expect(resultsIn(1)).toEqual(['A', 'B']);
    const tools = task.order.filter((o) => o.startsWith('tool.'));
    expect(tools.slice(0, 2)).toEqual(['tool.started', 'tool.started']);
    expect(task.order.some((o) => o.startsWith('turnEnded') || o === 'beforeChange')).toBe(false);
  });

  test('Ask mode offers reading only; what is called all the same is an error', async () => {
    server.script({ calls: [write('a.txt')] }, { text: 'I may not.' });
    expect((await task.prompt('go', { mode: 'ask' })).outcome).toBe('completed');
    expect(server.requests[0]?.body.tools?.map((t) => t.function.name)).toEqual([
      'read_file',
      'list_files',
      'search_files',
      'ask_question',
    ]);
    expect(texts()[0]).toContain('There is no tool "write_file" here');
    await expect(temp.text('a.txt')).rejects.toThrow();
  });

  test('the task is not done while another call of the answer failed', async () => {
    server.script({ calls: [...DONE.calls, { name: 'delete_file', args: { path: 'gone' } }] }, DONE);
    await task.prompt('go');
    expect(outcomes()).toEqual(['error', 'error', 'ok']);
    expect(resultsIn(1)[0]).toContain('did not succeed');
    expect(task.order.filter((o) => o === 'completed')).toHaveLength(1);
  });
});

describe('answers of which nothing may run', () => {
  test('fault 85: cut in the middle of arguments', async () => {
    server.script(
      { text: 'Writing.', calls: [write('a.txt'), write('b.txt', 'x'.repeat(100))], cutAfter: 12 },
      DONE,
    );
    expect((await task.prompt('go')).outcome).toBe('completed');
    expect(task.facts('message.completed')[0]?.finish).toBe('cut');
    expect(outcomes()).toEqual(['error', 'error', 'ok']);
    expect(resultsIn(1)).toHaveLength(2);
    await expect(temp.text('a.txt')).rejects.toThrow();
    expect(task.order.some((o) => o.startsWith('turnEnded'))).toBe(false);
  });

  test('fault 85: a stream that ends in good order, but without a reason', async () => {
    server.script({ calls: [write('a.txt')], finish: null }, DONE);
    expect((await task.prompt('go')).outcome).toBe('completed');
    expect(outcomes()).toEqual(['error', 'ok']);
    await expect(temp.text('a.txt')).rejects.toThrow();
  });

  test('fault 85: arguments that are no JSON stop the whole answer', async () => {
    server.script({ calls: [write('a.txt'), { name: 'write_file', args: '{"path":"b.md","cont' }] }, DONE);
    expect((await task.prompt('go')).outcome).toBe('completed');
    expect(outcomes()).toEqual(['error', 'error', 'ok']);
    expect(resultsIn(1)[1]).toContain('no valid JSON');
    await expect(temp.text('a.txt')).rejects.toThrow();
  });

  test('fault 86: a missing key is not an empty text', async () => {
    await temp.put({ 'a.txt': 'kept' });
    server.script({ calls: [{ name: 'write_file', args: { path: 'a.txt' } }] }, DONE);
    await task.prompt('go');
    expect(resultsIn(1)[0]).toContain('content');
    expect(await temp.text('a.txt')).toBe('kept');
  });

  test('cut at the length limit', async () => {
    server.script({ calls: [write('a.txt')], finish: 'length' }, { text: 'half', finish: 'length' }, DONE);
    expect((await task.prompt('go')).outcome).toBe('completed');
    expect(resultsIn(1)[0]).toContain('length limit');
    expect(server.requests[2]?.body.messages.at(-1)?.role).toBe('user');
    await expect(temp.text('a.txt')).rejects.toThrow();
  });

  test('again and again: the run ends', async () => {
    server.script(...Array.from({ length: 9 }, () => ({ calls: [{ name: 'write_file', args: '{' }] })));
    const outcome = await task.prompt('go');
    expect(outcome).toMatchObject({ outcome: 'failed', error: { code: 'provider-failed' } });
    expect(server.requests).toHaveLength(5);
  });

  test('fault 75: ids that come again make new rows and keep the old ones', async () => {
    const once = (path: string) => ({ calls: [{ ...write(path), id: 'Edit_0' }] });
    server.script(once('a.txt'), once('b.txt'), { text: 'ok' });
    await task.prompt('go');
    const rows = activeRows(task.view).filter((r) => r.type === 'tool');
    expect(rows.map((r) => (r.type === 'tool' ? [r.callId, r.state, r.text] : []))).toEqual([
      ['Edit_0', 'ok', 'Created a.txt.'],
      ['Edit_0', 'ok', 'Created b.txt.'],
    ]);
  });

  test('fault 75: the same id twice in one answer', async () => {
    server.script(
      {
        calls: [
          { ...write('a.txt'), id: 'x' },
          { ...write('b.txt'), id: 'x' },
        ],
      },
      DONE,
    );
    await task.prompt('go');
    expect(resultsIn(1)).toEqual(['Created a.txt.', 'Created b.txt.']);
  });
});

describe('fault 87: waiting and trying again', () => {
  test.each([
    ['429', { status: 429 }],
    ['529', { status: 529 }],
    ['500', { status: 500 }],
    ['503', { status: 503 }],
    ['cut before anything came', { text: 'x', cutAfter: 0 }],
    ['cut in the text', { text: 'one two three', cutAfter: 2 }],
  ])('%s three times, then success', async (_, failure) => {
    server.script(failure, failure, failure, { text: 'Here I am.' });
    const outcome = await task.prompt('go');
    expect(outcome).toEqual({ outcome: 'completed', error: null, text: 'Here I am.' });
    expect(server.requests).toHaveLength(4);
    const waits = task.deltas.flatMap((d) => (d.type === 'delta.waiting' ? [d.waiting] : []));
    expect(waits.filter((w) => w?.includes('Trying again'))).toHaveLength(3);
    expect(waits.at(-1)).toBeNull();
  });

  test('the pause that the server asks for is kept', async () => {
    server.script({ status: 429, headers: { 'retry-after-ms': '40' } }, { text: 'ok' });
    const at = performance.now();
    await task.prompt('go', { patience: { firstWaitMs: 1 } });
    expect(performance.now() - at).toBeGreaterThanOrEqual(40);
  });

  test('a pause longer than we wait ends the run', async () => {
    server.script({ status: 429, headers: { 'retry-after': '3600' } });
    expect(await task.prompt('go')).toMatchObject({ outcome: 'failed', error: { code: 'provider-busy' } });
    expect(server.requests).toHaveLength(1);
  });

  test('it gives up, the prompt is sent once a try, and the work is kept', async () => {
    server.script({ calls: [write('a.txt')] }, ...Array.from({ length: 9 }, () => ({ status: 500 })));
    expect(await task.prompt('go')).toMatchObject({ outcome: 'failed', error: { code: 'provider-failed' } });
    expect(server.requests).toHaveLength(6);
    expect(server.requests.at(-1)?.body.messages.filter((m) => m.role === 'user')).toHaveLength(1);
    expect(await temp.text('a.txt')).toBe('a.txt');
  });

  test('each answer begins the count anew', async () => {
    const fails = Array.from({ length: 4 }, () => ({ status: 500 }));
    server.script(...fails, { calls: [write('a.txt')] }, ...fails, { text: 'ok' });
    expect((await task.prompt('go')).text).toBe('ok');
  });

  test('silence is given up and tried again', async () => {
    server.script({ text: 'one two', silentAfter: 0 }, { text: 'ok' });
    expect((await task.prompt('go', { patience: { silenceMs: 100 } })).text).toBe('ok');
  });

  test('Stop ends the wait', async () => {
    const stop = new AbortController();
    task = openTask({
      ports: { delta: (d) => d.type === 'delta.waiting' && d.waiting !== null && stop.abort() },
    });
    server.script({ status: 429, headers: { 'retry-after': '30' } });
    const patience = { longestWaitMs: 60_000 };
    expect((await task.prompt('go', { signal: stop.signal, patience })).outcome).toBe('stopped');
  });

  test.each([
    ['401', { status: 401, body: { error: { message: 'no' } } }, 'key-wrong'],
    [
      'fault 88: too long',
      { status: 400, body: { error: { message: 'maximum context length is 8 tokens' } } },
      'context-too-long',
    ],
    ['another refusal', { status: 400, body: { error: { message: 'bad' } } }, 'provider-failed'],
  ])('%s is not tried again', async (_, failure, code) => {
    server.script(failure, { text: 'never' });
    expect(await task.prompt('go')).toMatchObject({ outcome: 'failed', error: { code } });
    expect(server.requests).toHaveLength(1);
  });
});

describe('fault 74: Stop and reject', () => {
  test('stopped in the text: what came is kept, and the next request is valid', async () => {
    const stop = new AbortController();
    task = openTask();
    server.script({ text: 'one two three', calls: [write('a.txt')], silentAfter: 5 });
    const running = task.prompt('go', { signal: stop.signal });
    await task.delta('delta.call');
    const at = performance.now();
    stop.abort();
    expect(await running).toMatchObject({ outcome: 'stopped', error: null });
    expect(performance.now() - at).toBeLessThan(1000);
    expect(task.facts('message.completed')[0]).toMatchObject({ text: 'one two three', finish: 'stopped' });
    expect(outcomes()).toEqual(['cancelled']);
    server.script({ text: 'ok' });
    expect((await task.prompt('go on')).outcome).toBe('completed');
  });

  test('stopped during a command: it ends, the rest does not run, the turn is saved', async () => {
    const stop = new AbortController();
    task = openTask();
    server.script({
      calls: [
        write('a.txt'),
        { name: 'run_command', args: { command: 'echo started; sleep 60' } },
        write('b.txt'),
      ],
    });
    const running = task.prompt('go', { signal: stop.signal });
    await task.delta('delta.output');
    const at = performance.now();
    stop.abort();
    expect((await running).outcome).toBe('stopped');
    expect(performance.now() - at).toBeLessThan(1500);
    expect(outcomes()).toEqual(['ok', 'cancelled', 'cancelled']);
    expect(task.order).toContain('turnEnded (command) a.txt');
    await expect(temp.text('b.txt')).rejects.toThrow();
    server.script({ text: 'ok' });
    await task.prompt('go on');
    expect(resultsIn(1)).toHaveLength(3);
  });

  test('one of two calls rejected, with a reason', async () => {
    task = openTask({
      approval: { auto: { read: true, edit: false, command: false, web: false, browser: false, mcp: false } },
      decide: ({ title }) =>
        title.includes('b.txt')
          ? { decision: 'reject', reason: 'not b' }
          : { decision: 'approve', reason: null },
    });
    server.script({ calls: [write('a.txt'), write('b.txt')] }, { text: 'ok' });
    await task.prompt('go');
    expect(outcomes()).toEqual(['ok', 'rejected']);
    expect(resultsIn(1)[1]).toContain('not b');
    expect(task.facts('approval.asked')[0]?.request).toMatchObject({
      tool: 'write_file',
      title: 'Create a.txt',
      detailKind: 'diff',
      always: 'category:edit',
    });
    expect(task.order).toContain('turnEnded a.txt');
  });

  test('Always allow asks once', async () => {
    let asked = 0;
    task = openTask({
      approval: { auto: { read: true, edit: false, command: false, web: false, browser: false, mcp: false } },
      decide: () => {
        asked++;
        return { decision: 'always', reason: null };
      },
    });
    server.script({ calls: [write('a.txt'), write('b.txt')] }, { text: 'ok' });
    await task.prompt('go');
    expect([asked, await temp.text('b.txt')]).toEqual([1, 'b.txt']);
  });

  test('a denied command is refused without a card', async () => {
    task = openTask({ approval: { deny: ['rm'] } });
    await temp.put({ 'a.txt': 'kept' });
    server.script({ calls: [{ name: 'run_command', args: { command: 'ls; rm a.txt' } }] }, { text: 'ok' });
    await task.prompt('go');
    expect(outcomes()).toEqual(['rejected']);
    expect(await temp.text('a.txt')).toBe('kept');
    expect(task.facts('approval.asked')).toEqual([]);
  });
});

describe('law 2: no checkpoint, no write', () => {
  const refuse = async () => {
    throw new TidemarkError('checkpoint-failed', 'The checkpoint could not be saved.');
  };

  test.each([
    ['beforeChange', { beforeChange: refuse }],
    ['protect', { protect: refuse }],
  ])('%s fails: nothing is written and the run ends', async (_, ports) => {
    task = openTask({ ports });
    server.script({ calls: [write('a.txt'), write('b.txt')] });
    expect(await task.prompt('go')).toMatchObject({
      outcome: 'failed',
      error: { code: 'checkpoint-failed' },
    });
    expect(outcomes()).toEqual(['error', 'cancelled']);
    await expect(temp.text('a.txt')).rejects.toThrow();
    expect(messagesOf(task.view, { id: 'openai-compatible', model: 'test-model' }).at(-1)?.role).toBe(
      'results',
    );
  });

  test('the log fails after a tool has changed something: the turn is saved all the same', async () => {
    const saved: string[] = [];
    const inner = openTask();
    task = openTask({
      ports: {
        emit: async (fact) => {
          if (fact.type === 'tool.finished') throw new TidemarkError('disk-full', 'The disk is full.');
          inner.append(fact);
        },
        turnEnded: async ({ touched }) => {
          saved.push(...touched);
        },
      },
    });
    server.script({ calls: [write('a.txt')] });
    expect(await task.prompt('go')).toMatchObject({ outcome: 'failed', error: { code: 'disk-full' } });
    expect(saved).toEqual(['a.txt']);
  });

  test('what was approved is what is changed: a path that moved meanwhile is refused', async () => {
    await temp.put({ 'real/a.txt': 'kept' });
    task = openTask({
      approval: { auto: { read: true, edit: false, command: false, web: false, browser: false, mcp: false } },
      decide: async () => {
        await symlink('real', `${temp.root}/d`);
        return { decision: 'approve', reason: null };
      },
    });
    server.script({ calls: [write('d/a.txt', 'x')] }, { text: 'ok' });
    await task.prompt('go');
    expect(texts()[0]).toContain('moved while the approval was awaited');
    expect(await temp.text('real/a.txt')).toBe('kept');
  });
});
