import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { contextFill } from '../../shared/fold';
import { openPractice } from '../provider/practice';
import { openProvider } from '../provider/registry';
import { type AnthropicServer, startAnthropicServer } from '../testing/anthropic-server';
import { type FakeTask, openFakeTask } from '../testing/fake-ports';
import { makeTempFolder, type TempFolder } from '../testing/temp-folder';
import { transcriptOf } from './compaction';
import { messagesOf } from './context';

const ASKED = { id: 'anthropic', model: 'claude-sonnet-4-5' };
let temp: TempFolder;
let server: AnthropicServer;
let task: FakeTask;

const open = (contextTokens: number) =>
  openFakeTask({
    workspace: temp.workspace,
    outputsFolder: temp.outputs,
    provider: openProvider({ ...ASKED, baseUrl: server.baseUrl, headers: {}, key: 'k', contextTokens }),
  });
beforeEach(async () => {
  temp = await makeTempFolder();
  server = await startAnthropicServer();
  task = open(1000);
});
afterEach(async () => {
  expect(server.faults).toEqual([]);
  await server.close();
  await temp.remove();
});

const write = (path: string) => ({ name: 'write_file', args: { path, content: path } });
const used = (input: number) => ({ usage: { input, output: 0 } });
const SUMMARY = { text: 'They want a garden. a.txt is made.' };
const sentText = (index: number) => JSON.stringify(server.requests[index]?.body.messages);

describe('a conversation that is nearly full', () => {
  test('is compacted before the next request, in the middle of a run too', async () => {
    server.script({ text: 'I plant.', calls: [write('a.txt')], reasoning: 'hm', ...used(790) }, SUMMARY, {
      text: 'All is planted.',
      ...used(100),
    });
    expect(await task.prompt('make a garden')).toMatchObject({
      outcome: 'completed',
      text: 'All is planted.',
    });
    expect(server.requests[1]?.body.tools ?? []).toEqual([]);
    expect(sentText(1)).toContain('make a garden');
    expect(sentText(1)).toContain('write_file');
    expect(server.requests[2]?.body.messages).toHaveLength(1);
    expect(sentText(2)).toContain('a.txt is made');
    expect(sentText(2)).toContain('make a garden');
    expect(sentText(2)).not.toContain('I plant.');
    const { order } = task;
    expect(order.indexOf('compactionPoint')).toBeGreaterThan(order.indexOf('turnEnded a.txt'));
    expect(order[order.indexOf('compactionPoint') + 1]).toBe('context.compacted');
    expect(task.facts('context.compacted')[0]).toMatchObject({ why: 'full', summary: SUMMARY.text });
    expect(contextFill(task.view)).toMatchObject({ tokens: 100, size: { tokens: 1000 } });
  });

  test('goes on from the summary with the next prompt', async () => {
    server.script({ text: 'Much was said.', ...used(900) });
    await task.prompt('first');
    server.script(SUMMARY, { text: 'Fine.', ...used(50) });
    await task.prompt('second');
    server.script({ text: 'Still fine.', ...used(60) });
    await task.prompt('third');
    const last = server.requests.at(-1)?.body.messages.map((m) => m.role);
    expect(last).toEqual(['user', 'assistant', 'user']);
    expect(sentText(3)).not.toContain('Much was said.');
    expect(sentText(3)).toContain('a.txt is made');
    expect(sentText(3)).toContain('second');
  });

  test('is not compacted again as long as nothing was added, however small the context', async () => {
    task = open(10);
    server.script({ text: 'one', calls: [write('a.txt')] }, SUMMARY, { text: 'two' });
    expect((await task.prompt('go')).outcome).toBe('completed');
    expect(task.facts('context.compacted')).toHaveLength(1);
  });
});

describe('/compact', () => {
  test('sums up and does nothing else; what is to be kept in mind is said', async () => {
    server.script({ text: 'Red it is.', ...used(100) });
    await task.prompt('choose a colour');
    server.script(SUMMARY);
    const outcome = await task.prompt('/compact the colours');
    expect(outcome).toMatchObject({ outcome: 'completed', text: expect.stringContaining('compacted') });
    expect(sentText(1)).toContain('above all: the colours');
    server.script({ text: 'Yes.' });
    await task.prompt('go on');
    expect(sentText(2)).toContain('a.txt is made');
    expect(sentText(2)).not.toContain('/compact');
    expect(sentText(2)).not.toContain('choose a colour');
  });

  test('has nothing to do in an empty conversation', async () => {
    expect((await task.prompt('/compact')).text).toContain('nothing to compact');
    expect(server.requests).toHaveLength(0);
  });

  test('that fails changes nothing, and is no question to the model later', async () => {
    server.script({ text: 'Red it is.' });
    await task.prompt('choose a colour');
    server.script({ status: 400, body: { error: { message: 'no' } } });
    expect((await task.prompt('/compact')).outcome).toBe('failed');
    expect(task.facts('context.compacted')).toEqual([]);
    expect(task.order).not.toContain('compactionPoint');
    expect(messagesOf(task.view, ASKED).map((m) => m.role)).toEqual(['user', 'assistant']);
  });

  test('what was cut off is no summary: it is asked for again', async () => {
    server.script({ text: 'Red it is.' });
    await task.prompt('choose a colour');
    server.script({ text: 'They want half a', cutAfter: 4 }, SUMMARY);
    expect((await task.prompt('/compact')).outcome).toBe('completed');
    expect(task.facts('context.compacted')[0]?.summary).toBe(SUMMARY.text);
  });

  test('sends less of a conversation that does not fit even so', async () => {
    task = open(100_000);
    await temp.put({ 'big.txt': 'word '.repeat(8000) });
    server.script({ calls: [{ name: 'read_file', args: { path: 'big.txt' } }] }, { text: 'Long.' });
    await task.prompt('read it');
    const tooLong = { status: 400, body: { error: { message: 'prompt is too long' } } };
    server.script(tooLong, tooLong, tooLong, SUMMARY);
    expect((await task.prompt('/compact')).outcome).toBe('completed');
    const lengths = server.requests.slice(2).map((_, i) => sentText(i + 2).length);
    expect(lengths).toEqual([...lengths].sort((a, b) => b - a));
    expect(new Set(lengths).size).toBe(lengths.length);
  });

  test('works with Practice, which names the instructions', async () => {
    const practice = openFakeTask({
      workspace: temp.workspace,
      outputsFolder: temp.outputs,
      provider: openPractice(),
    });
    await practice.prompt('create a.txt with "1"');
    await practice.prompt('/compact');
    expect(practice.facts('context.compacted')[0]?.summary).toContain('- create a.txt with "1"');
    expect((await practice.prompt('create b.txt with "2"')).outcome).toBe('completed');
    expect(await temp.text('b.txt')).toBe('2');
  });
});

test('a transcript keeps to its length and leaves out what is oldest, but for the first message', () => {
  const said = (n: number) => ({ role: 'user' as const, text: `message ${n} ${'x'.repeat(100)}` });
  const all = Array.from({ length: 50 }, (_, n) => said(n));
  const text = transcriptOf(all, 1000);
  expect(text.length).toBeLessThan(1100);
  expect(text).toContain('message 0 ');
  expect(text).toContain('message 49 ');
  expect(text).not.toContain('message 20 ');
});
