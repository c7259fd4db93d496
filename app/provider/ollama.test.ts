import { afterEach, beforeEach, expect, test } from 'vitest';
import { type OllamaServer, startOllamaServer } from '../testing/ollama-server';
import { ollamaUrl } from './ollama';
import { checkProvider, listModels, openProvider, type ProviderChoice } from './registry';

let server: OllamaServer;
beforeEach(async () => {
  server = await startOllamaServer([], {
    models: [{ id: 'qwen3:8b' }, { id: 'big', context_length: 131_072 }],
  });
});
afterEach(() => server.close());

const { signal } = new AbortController();
const choice = (more: Partial<ProviderChoice> = {}): ProviderChoice => ({
  id: 'ollama',
  model: 'qwen3:8b',
  baseUrl: server.baseUrl,
  headers: {},
  key: null,
  contextTokens: null,
  ...more,
});

test.each([
  [undefined, null],
  ['', null],
  ['127.0.0.1:11434', 'http://127.0.0.1:11434'],
  ['0.0.0.0', 'http://127.0.0.1:11434'],
  [':8000', 'http://127.0.0.1:8000'],
  ['box', 'http://box:11434'],
  ['http://box:1/', 'http://box:1'],
  ['https://box', 'https://box:443'],
])('OLLAMA_HOST %j is %s', (host, url) => {
  expect(ollamaUrl(host)).toBe(url);
});

test('its models are listed; what is wrong is said', async () => {
  expect((await listModels(choice(), signal)).map((m) => m.id)).toEqual(['qwen3:8b', 'big']);
  expect(await checkProvider(choice({ model: 'none' }), signal)).toMatchObject({ ok: false });
});

test('the context is what the model has, within what a machine can take; a setting decides', async () => {
  const size = (more: Partial<ProviderChoice>) => openProvider(choice(more)).contextSize();
  expect(await size({})).toEqual({ tokens: 8192, from: 'server' });
  expect(await size({ model: 'big' })).toEqual({ tokens: 32_768, from: 'server' });
  expect(await size({ model: 'big', contextTokens: 100_000 })).toEqual({ tokens: 100_000, from: 'setting' });
});

test('it is told how much context to keep', async () => {
  server.script({ text: 'ok' });
  const request = { system: 's', messages: [{ role: 'user' as const, text: 'hi' }], tools: [], signal };
  const parts: unknown[] = [];
  for await (const part of openProvider(choice()).step(request)) parts.push(part);
  expect(parts.at(-1)).toMatchObject({ type: 'finish', usage: { inputTokens: 11, cost: 0 } });
  expect(server.requests[0]?.body.options?.num_ctx).toBe(8192);
});
