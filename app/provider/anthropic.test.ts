import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type AnthropicServer, startAnthropicServer } from '../testing/anthropic-server';
import type { ModelMessage, StepPart } from './provider';
import { checkProvider, listModels, openProvider } from './registry';

let server: AnthropicServer;
beforeEach(async () => {
  server = await startAnthropicServer([], { key: 'k', models: [{ id: 'm1', max_input_tokens: 5 }] });
});
afterEach(async () => {
  expect(server.faults).toEqual([]);
  await server.close();
});

const { signal } = new AbortController();
const choice = (more: object = {}) => ({
  id: 'anthropic',
  model: 'claude-sonnet-4-5',
  baseUrl: server.baseUrl,
  headers: {},
  key: 'k',
  contextTokens: null,
  ...more,
});
const tools = ['a', 'b'].map((name) => ({ name, description: name, schema: z.object({}) }));
const user = (text: string): ModelMessage => ({ role: 'user', text });

async function step(messages: readonly ModelMessage[], more: object = {}): Promise<readonly StepPart[]> {
  const parts: StepPart[] = [];
  const request = { system: 'be good', messages, tools, signal };
  for await (const part of openProvider(choice(more)).step(request)) parts.push(part);
  return parts.filter((p) => p.type !== 'alive');
}
const bodyOf = (index: number) => server.requests[index]?.body;

test('thinking comes as text and as a block that is sent back with its signature', async () => {
  server.script({ reasoning: 'first a', redacted: 'x', calls: [{ name: 'a', args: {} }] }, { text: 'ok' });
  const parts = await step([user('go')]);
  const thinking = parts.flatMap((p) => (p.type === 'thinking' ? [p.block] : []));
  expect(thinking).toMatchObject([{ text: 'first a', redacted: null }, { text: '' }]);
  expect(parts.map((p) => (p.type === 'reasoning' ? p.text : '')).join('')).toBe('first a');
  const calls = parts.flatMap((p) => (p.type === 'call' ? [p] : []));
  await step([
    user('go'),
    { role: 'assistant', text: '', thinking, calls },
    { role: 'results', results: calls.map((c) => ({ callId: c.callId, tool: c.tool, text: 'A', ok: true })) },
  ]);
  // The server has checked the signature.
  expect(bodyOf(1)?.messages[1]?.content.map((b) => b.type)).toEqual([
    'thinking',
    'redacted_thinking',
    'tool_use',
  ]);
  expect(bodyOf(1)?.thinking).toMatchObject({ type: 'enabled' });
});

test('where the calls that are worked on come without thinking, the step is made without', async () => {
  server.script({ text: 'ok' });
  const call = { callId: 'c', tool: 'a', input: {} };
  await step([
    user('go'),
    { role: 'assistant', text: '', thinking: [], calls: [call] },
    { role: 'results', results: [{ ...call, text: 'A', ok: true }] },
  ]);
  expect(bodyOf(0)?.thinking).toBeUndefined();
});

test.each([
  ['claude-opus-5-5', 'adaptive'],
  ['claude-sonnet-4-6', 'adaptive'],
  ['claude-opus-4-1-20250805', 'enabled'],
  ['claude-3-7-sonnet-latest', 'enabled'],
  ['claude-3-5-haiku-latest', undefined],
  ['glm-4.6', undefined],
])('%s thinks: %s', async (model, type) => {
  server.script({ text: 'ok' });
  await step([user('go')], { model });
  expect(bodyOf(0)?.thinking?.type).toBe(type);
});

test('the cache is marked at the instructions, the tools and the two newest messages of ours', async () => {
  server.script({ text: 'ok' });
  const said = (text: string): ModelMessage => ({ role: 'assistant', text, thinking: [], calls: [] });
  await step([user('1'), said('a'), user('2'), said('b'), user('3')]);
  const body = bodyOf(0);
  expect(body?.system?.map((s) => s.cache_control?.type)).toEqual(['ephemeral']);
  expect(body?.tools?.map((t) => t.cache_control?.type)).toEqual([undefined, 'ephemeral']);
  const marked = body?.messages.map((m) => m.content.some((c) => c.cache_control !== undefined));
  expect(marked).toEqual([false, false, true, false, true]);
});

test('the cost counts what came from the cache at its own price', async () => {
  server.script({ text: 'ok', usage: { input: 1000, output: 100, cached: 9000 } });
  const finish = (await step([user('go')])).at(-1);
  expect(finish).toMatchObject({
    type: 'finish',
    usage: { inputTokens: 10_000, outputTokens: 100, cacheReadTokens: 9000 },
  });
  const cost = finish?.type === 'finish' ? finish.usage.cost : null;
  expect(cost).toBeCloseTo((1000 * 3 + 9000 * 0.3 + 100 * 15) / 1e6, 8);
});

describe('the server', () => {
  test('is asked for its models with its own headers, and the address may lack its version', async () => {
    expect(await listModels(choice({ baseUrl: server.baseUrl.replace('/v1', '/') }), signal)).toEqual([
      { id: 'm1', contextTokens: 5 },
    ]);
    expect(await checkProvider(choice({ key: 'wrong', model: 'm1' }), signal)).toMatchObject({ ok: false });
  });

  test('says in the stream that it is overloaded', async () => {
    server.script({ status: 529, body: { type: 'error', error: { type: 'overloaded_error' } } });
    await expect(step([user('go')])).rejects.toMatchObject({ code: 'provider-busy', retryable: true });
  });

  test('is not asked without a key', () => {
    expect(() => openProvider(choice({ key: null }))).toThrowError(/ANTHROPIC_API_KEY|needs an API key/);
  });
});
