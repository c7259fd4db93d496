// The loop against local servers that speak the protocols and refuse what the real ones would refuse.
// After whatever went wrong, the next request has to be valid, and nothing of a cut answer may have run.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openProvider } from '../provider/registry';
import { ANTHROPIC, startAnthropicServer } from '../testing/anthropic-server';
import { choppyFetch } from '../testing/choppy-fetch';
import { type FakeTask, openFakeTask } from '../testing/fake-ports';
import type { ModelServer, StreamedAnswer } from '../testing/model-server';
import { OLLAMA, startOllamaServer } from '../testing/ollama-server';
import { OPENAI, startProviderServer } from '../testing/provider-server';
import { makeTempFolder, type TempFolder } from '../testing/temp-folder';

const PROTOCOLS = [
  {
    id: 'openai-compatible',
    model: 'test-model',
    start: startProviderServer,
    eventsOf: (answer: StreamedAnswer) => OPENAI.events(answer, { model: 'm', messages: [] }),
  },
  {
    id: 'anthropic',
    model: 'claude-sonnet-4-5',
    start: startAnthropicServer,
    eventsOf: (answer: StreamedAnswer) =>
      ANTHROPIC.events(answer, { model: 'm', max_tokens: 1, messages: [] }),
  },
  {
    id: 'ollama',
    model: 'test-model',
    start: startOllamaServer,
    eventsOf: (answer: StreamedAnswer) => OLLAMA.events(answer, { model: 'm', messages: [] }),
  },
] as const;

const write = (path: string, content = path) => ({ name: 'write_file', args: { path, content } });
const DONE = { calls: [{ name: 'complete_task', args: { result: 'All done.' } }] };
/** Everything that an answer can hold. */
const FULL: StreamedAnswer = {
  reasoning: 'two files it is',
  text: 'I write them.',
  calls: [write('a.txt', 'é "x" \\ 漢 \u{1F30A}'), write('b.txt')],
};

describe.each(PROTOCOLS)('$id', ({ id, model, start, eventsOf }) => {
  let temp: TempFolder;
  let server: ModelServer<unknown>;

  beforeEach(async () => {
    temp = await makeTempFolder();
    server = await start();
  });
  afterEach(async () => {
    expect(server.faults).toEqual([]);
    await server.close();
    await temp.remove();
  });

  const providerFor = (fetch?: typeof globalThis.fetch) =>
    openProvider({
      id,
      model,
      baseUrl: server.baseUrl,
      headers: {},
      key: 'k',
      contextTokens: null,
      ...(fetch === undefined ? {} : { fetch }),
    });
  const openTask = (fetch?: typeof globalThis.fetch): FakeTask =>
    openFakeTask({ workspace: temp.workspace, outputsFolder: temp.outputs, provider: providerFor(fetch) });
  const started = (task: FakeTask) => task.facts('tool.started').length;

  /** Plays one answer without a loop and returns what was understood. */
  async function understood(answer: StreamedAnswer, fetch: typeof globalThis.fetch): Promise<unknown> {
    server.script(answer);
    const parts: unknown[] = [];
    const request = {
      system: 's',
      messages: [{ role: 'user' as const, text: 'hi' }],
      tools: [],
      signal: new AbortController().signal,
    };
    let text = '';
    for await (const part of providerFor(fetch).step(request)) {
      if (part.type === 'text') text += part.text;
      else if (part.type === 'call') parts.push({ tool: part.tool, input: part.input });
      else if (part.type === 'finish') parts.push(part.reason);
    }
    return [text, ...parts];
  }
  const FULL_UNDERSTOOD = [
    FULL.text,
    ...(FULL.calls ?? []).map((c) => ({ tool: c.name, input: c.args })),
    'tools',
  ];

  test('an answer is understood however its bytes arrive: cut at every byte', async () => {
    const size = Buffer.byteLength(eventsOf(FULL).join(''));
    for (let at = 0; at <= size + 40; at++) {
      expect(await understood(FULL, choppyFetch({ at })), `cut at ${at}`).toEqual(FULL_UNDERSTOOD);
    }
    expect(await understood(FULL, choppyFetch({ every: 1 }))).toEqual(FULL_UNDERSTOOD);
  }, 120_000);

  test('arguments may be cut at every character', async () => {
    const length = JSON.stringify(FULL.calls?.[0]?.args).length;
    for (let argsCutAt = 0; argsCutAt <= length; argsCutAt++) {
      expect(await understood({ ...FULL, argsCutAt }, fetch), `cut at ${argsCutAt}`).toEqual(FULL_UNDERSTOOD);
    }
  });

  test('parallel calls run once each, and every one has its result', async () => {
    const task = openTask();
    server.script(FULL, DONE);
    expect((await task.prompt('go')).outcome).toBe('completed');
    expect(await temp.text('a.txt')).toBe('é "x" \\ 漢 \u{1F30A}');
    expect(started(task)).toBe(3);
    expect(server.requests).toHaveLength(2);
  });

  const places = Array.from(
    { length: eventsOf(FULL).length - (id === 'openai-compatible' ? 2 : 1) },
    (_, n) => n,
  );
  describe.each(['close', 'reset', 'end'] as const)('cut by %s', (cutBy) => {
    test.each(places)('at event %i: nothing ran, and the run goes on', async (cutAfter) => {
      const task = openTask();
      server.script({ ...FULL, cutAfter, cutBy }, DONE);
      const outcome = await task.prompt('go');
      expect(outcome).toMatchObject({ outcome: 'completed', text: 'All done.' });
      await expect(temp.text('a.txt')).rejects.toThrow();
      expect(started(task)).toBe(1);
      // and with another prompt on top
      server.script({ text: 'Yes.' });
      expect((await task.prompt('really?')).outcome).toBe('completed');
    });
  });

  test.each(places)('a malformed event %i: nothing ran, and the run goes on', async (malformedAt) => {
    const task = openTask();
    server.script({ ...FULL, malformedAt }, DONE);
    expect(await task.prompt('go')).toMatchObject({ outcome: 'completed', text: 'All done.' });
    await expect(temp.text('a.txt')).rejects.toThrow();
    expect(started(task)).toBe(1);
  });

  // Each waits as long as a busy machine may be silent by itself: some places stand for all.
  test.each(places.filter((n) => n % 4 === 0))(
    'silence after event %i: given up, and the run goes on',
    async (silentAfter) => {
      const task = openTask();
      server.script({ ...FULL, silentAfter }, DONE);
      const outcome = await task.prompt('go', { patience: { silenceMs: 600 } });
      expect(outcome).toMatchObject({ outcome: 'completed', text: 'All done.' });
      await expect(temp.text('a.txt')).rejects.toThrow();
    },
  );

  test('a slow stream is waited for', async () => {
    const task = openTask();
    server.script({ ...FULL, paceMs: 15 }, DONE);
    expect((await task.prompt('go', { patience: { silenceMs: 5000 } })).outcome).toBe('completed');
    expect(started(task)).toBe(3);
  });

  test.each([408, 429, 500, 502, 503, 529])('%i is tried again', async (status) => {
    const task = openTask();
    server.script({ status, headers: { 'retry-after': '0' }, body: { error: { message: 'later' } } }, DONE);
    expect((await task.prompt('go')).outcome).toBe('completed');
    expect(server.requests).toHaveLength(2);
  });

  test('an answer that stands whole in the log after Stop in the middle of it is valid to go on from', async () => {
    for (const silentAfter of places) {
      const task = openTask();
      const controller = new AbortController();
      server.script({ ...FULL, silentAfter });
      const before = server.requests.length;
      const run = task.prompt('go', { signal: controller.signal });
      await server.requested(before + 1);
      if (silentAfter > 5) await task.delta('delta.reasoning');
      controller.abort();
      expect((await run).outcome).toBe('stopped');
      server.script({ text: 'Going on.' });
      expect((await task.prompt('go on')).outcome).toBe('completed');
    }
  });

  test('ids that come again, that no server takes, or that are missing', async () => {
    const task = openTask();
    const call = (callId: string, path: string) => ({ ...write(path), id: callId });
    server.script(
      { calls: [call('Edit_0', 'a'), call('functions.edit:1', 'b')] },
      { calls: [call('Edit_0', 'c'), call('x'.repeat(90), 'd')] },
      { calls: [call('call_3', 'e'), call('Edit_0', 'f')] },
      DONE,
    );
    expect((await task.prompt('go')).outcome).toBe('completed');
    expect(await Promise.all([...'abcdef'].map((f) => temp.text(f)))).toEqual([...'abcdef']);
  });

  test('invalid arguments and names: error results, and the run goes on', async () => {
    const task = openTask();
    server.script(
      { calls: [{ name: 'write_file', args: '{"path": "a.txt", "content": ' }, write('b.txt')] },
      { calls: [{ name: 'no such tool!', args: {} }] },
      { calls: [{ name: 'write_file', args: '[1]' }] },
      DONE,
    );
    expect((await task.prompt('go')).outcome).toBe('completed');
    expect(started(task)).toBe(1);
  });

  test('an answer of white space is not sent back', async () => {
    const task = openTask();
    server.script({ text: '\n\n', calls: [write('a.txt')] }, { text: 'ok ' });
    expect((await task.prompt('go')).outcome).toBe('completed');
    server.script({ text: 'Yes.' });
    expect((await task.prompt('more')).outcome).toBe('completed');
  });

  test('the length limit: nothing ran, and the run goes on', async () => {
    const task = openTask();
    const finish = id === 'anthropic' ? 'max_tokens' : 'length';
    server.script({ ...FULL, finish }, DONE);
    expect((await task.prompt('go')).outcome).toBe('completed');
    expect(started(task)).toBe(1);
  });

  // Ollama's protocol has no word for a refusal
  if (id === 'ollama') return;
  test('a refusal ends the run with the words for it; what follows is valid', async () => {
    const task = openTask();
    server.script({ refusal: 'I cannot help with that.' });
    expect(await task.prompt('go')).toMatchObject({ outcome: 'failed', error: { code: 'refused' } });
    expect(server.requests).toHaveLength(1);
    server.script({ text: 'Gladly.' });
    expect((await task.prompt('something else')).outcome).toBe('completed');
  });
});
