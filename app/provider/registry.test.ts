import { createServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type ProviderServer, startProviderServer } from '../testing/provider-server';
import { errorOfStatus, parseRetryAfter } from './errors';
import { availableProviders, checkProvider, listModels, openProvider, type ProviderChoice } from './registry';

let server: ProviderServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

const { signal } = new AbortController();
const choice = (more: Partial<ProviderChoice> = {}): ProviderChoice => ({
  id: 'openai-compatible',
  model: 'test-model',
  baseUrl: server?.baseUrl ?? 'http://127.0.0.1:9',
  headers: {},
  key: null,
  contextTokens: null,
  ...more,
});
const codeOf = (work: () => unknown): unknown => {
  try {
    work();
    return 'accepted';
  } catch (error) {
    return (error as { code: unknown }).code;
  }
};

/** An address at which nobody listens. */
async function deadUrl(): Promise<string> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/v1`;
}

describe('openProvider', () => {
  test('an unknown id comes with the list of those that are there', () => {
    expect(() => openProvider(choice({ id: 'nope' }))).toThrowError(
      /anthropic, openai, openai-compatible, ollama, practice/,
    );
    expect(availableProviders().map((p) => p.id)).toEqual([
      'anthropic',
      'openai',
      'openai-compatible',
      'ollama',
      'practice',
    ]);
  });

  test.each([
    [{ id: 'nope' }, 'provider-unknown'],
    [{ baseUrl: null }, 'usage'],
    [{ baseUrl: 'localhost:1' }, 'usage'],
    [{ model: null }, 'usage'],
    [{ id: 'openai', baseUrl: null }, 'key-missing'],
    [{ id: 'practice', model: null, baseUrl: null }, 'accepted'],
    [{ id: 'openai', baseUrl: null, key: 'k' }, 'accepted'],
  ])('%j is %s', (more, code) => {
    expect(codeOf(() => openProvider(choice(more)))).toBe(code);
  });

  test('key, headers and tool schemas reach the server', async () => {
    server = await startProviderServer([{ text: 'ok' }], { key: 'k1' });
    const provider = openProvider(choice({ key: 'k1', headers: { 'x-extra': 'yes' } }));
    const parts: string[] = [];
    const request = {
      system: 's',
      messages: [{ role: 'user' as const, text: 'hi' }],
      tools: [
        { name: 't', description: 'd', schema: z.object({ path: z.string(), lines: z.number().optional() }) },
      ],
      signal,
    };
    for await (const part of provider.step(request)) if (part.type !== 'alive') parts.push(part.type);
    expect(parts).toEqual(['text', 'finish']);
    expect(server.requests[0]?.headers['x-extra']).toBe('yes');
    expect(server.requests[0]?.body.tools?.[0]?.function.parameters).toMatchObject({
      type: 'object',
      required: ['path'],
    });
  });
});

describe('listModels and checkProvider', () => {
  test('sizes in the words of several servers', async () => {
    server = await startProviderServer([], {
      models: [
        { id: 'a', context_length: 1 },
        { id: 'b', max_model_len: 2 },
        { id: 'c', context_window: 3 },
        { id: 'd', context_length: null },
      ],
    });
    expect((await listModels(choice(), signal)).map((m) => m.contextTokens)).toEqual([1, 2, 3, null]);
  });

  test('a wrong key, an unreachable server and a missing model have words of their own', async () => {
    server = await startProviderServer([], { key: 'k1' });
    const check = (more: Partial<ProviderChoice>) => checkProvider(choice({ key: 'k1', ...more }), signal);
    expect(await check({})).toMatchObject({ ok: true });
    const wrong = await Promise.all([
      check({ key: 'k2' }),
      check({ baseUrl: await deadUrl() }),
      check({ model: 'other' }),
      check({ baseUrl: 'nonsense' }),
    ]);
    expect(wrong.map((w) => w.ok)).toEqual([false, false, false, false]);
    for (const [index, word] of [
      'refused the key',
      'cannot be reached',
      'no model "other"',
      'no web address',
    ].entries())
      expect(wrong[index]?.message).toContain(word);
  });
});

describe('errors', () => {
  test.each([
    [401, '', 'key-wrong', false],
    [403, '', 'key-wrong', false],
    [400, 'prompt is too long: 9 tokens', 'context-too-long', false],
    [400, "This model's maximum context length is 8192 tokens", 'context-too-long', false],
    [400, 'the request exceeds the available context size', 'context-too-long', false],
    [400, 'temperature is not supported', 'provider-failed', false],
    [404, 'model not found', 'provider-failed', false],
    [429, 'slow down', 'provider-busy', true],
    [429, '{"error":{"code":"insufficient_quota"}}', 'provider-busy', false],
    [500, '', 'provider-failed', true],
    [502, '<html>Bad gateway</html>', 'provider-failed', true],
    [503, '', 'provider-busy', true],
    [529, '', 'provider-busy', true],
  ])('%i %j is %s, to be tried again: %s', (status, body, code, retryable) => {
    expect(errorOfStatus({ status, body, retryAfter: null }, 'X')).toMatchObject({ code, retryable });
  });

  test('the words of the server are in the message, whatever their shape', () => {
    for (const body of [
      '{"error":{"message":"no luck"}}',
      '{"error":"no luck"}',
      '{"message":"no luck"}',
      'no luck',
    ])
      expect(errorOfStatus({ status: 500, body, retryAfter: null }, 'X').message).toBe(
        'X failed (500): no luck',
      );
  });

  test.each([
    ['7', 7000],
    ['0.5', 500],
    ['Thu, 01 Jan 1970 00:00:09 GMT', 8000],
    ['soon', null],
    ['-1', null],
    ['', null],
    [null, null],
  ])('Retry-After %j is %s ms', (value, ms) => {
    expect(parseRetryAfter(value, 1000)).toBe(ms);
  });
});
