import { afterEach, describe, expect, test } from 'vitest';
import { type ProviderServer, startProviderServer } from '../testing/provider-server';
import { limitIn } from './context-size';
import { openProvider, type ProviderChoice } from './registry';

let server: ProviderServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

const open = (more: Partial<ProviderChoice> = {}) =>
  openProvider({
    id: 'openai-compatible',
    model: 'gpt-4o-mini',
    baseUrl: server?.baseUrl ?? 'http://127.0.0.1:9',
    headers: {},
    key: 'k',
    contextTokens: null,
    ...more,
  });
const request = {
  system: 's',
  messages: [{ role: 'user' as const, text: 'hi' }],
  tools: [],
  signal: new AbortController().signal,
};

describe('the size of a context', () => {
  test.each([
    ['the setting', { contextTokens: 1000 }, { tokens: 1000, from: 'setting' }],
    ['the server', {}, { tokens: 5000, from: 'server' }],
    ['the table', { model: 'gpt-4o' }, { tokens: 128_000, from: 'table' }],
    ['a guess', { model: 'other' }, { tokens: 32_768, from: 'unknown' }],
  ])('is by %s', async (_, more, size) => {
    server = await startProviderServer([], { models: [{ id: 'gpt-4o-mini', max_model_len: 5000 }] });
    expect(await open(more).contextSize()).toEqual(size);
  });

  test('is known without a server that answers', async () => {
    expect(await open({ model: 'gpt-4o' }).contextSize()).toEqual({ tokens: 128_000, from: 'table' });
  });

  test('is corrected by an error that names it, also against the setting', async () => {
    const message = "This model's maximum context length is 900 tokens. However, you requested 1200 tokens.";
    server = await startProviderServer([{ status: 400, body: { error: { message } } }]);
    const choice = { model: 'small', contextTokens: 4000 };
    const play = async () => {
      for await (const part of open(choice).step(request)) expect(part).toBeUndefined();
    };
    await expect(play()).rejects.toMatchObject({ code: 'context-too-long', retryable: false });
    expect(await open(choice).contextSize()).toEqual({ tokens: 900, from: 'error' });
  });
});

test.each([
  ['prompt is too long: 210312 tokens > 200000 maximum', 200_000],
  ["This model's maximum context length is 8,192 tokens", 8192],
  ['the request exceeds the available context size (4096 tokens)', 4096],
  ['the input of 9000 tokens is over the context window of 8000', 8000],
  ['too many tokens', null],
  ['context length exceeded', null],
])('%j names %s', (text, tokens) => {
  expect(limitIn(text)).toBe(tokens);
});
