import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { isDirect, proxyFetch } from './proxy';
import { openProvider } from './registry';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A proxy that lets nothing through and remembers where it was to connect to. */
async function startProxy(): Promise<{ url: string; wanted: string[]; credentials: unknown[] }> {
  const wanted: string[] = [];
  const credentials: unknown[] = [];
  const proxy = createServer();
  proxy.on('connect', (request, socket) => {
    wanted.push(request.url ?? '');
    credentials.push(request.headers['proxy-authorization']);
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  closing.push(() => proxy.close());
  return { url: `127.0.0.1:${(proxy.address() as AddressInfo).port}`, wanted, credentials };
}

test('without a proxy there is nothing to do', () => {
  expect(proxyFetch({})).toBeUndefined();
  expect(proxyFetch({ HTTPS_PROXY: ' ' })).toBeUndefined();
});

test.each([
  ['https://api.example.com/v1', '', false],
  ['https://api.example.com/v1', 'example.com', true],
  ['https://api.example.com/v1', '.example.com other', true],
  ['https://api.example.com/v1', '*.example.com', true],
  ['https://badexample.com/v1', 'example.com', false],
  ['https://api.example.com/v1', 'example.com:8443', false],
  ['https://api.example.com:8443/v1', 'other,example.com:8443', true],
  ['https://api.example.com/v1', '*', true],
  ['https://localhost/v1', '', true],
  ['https://[::1]/v1', '', true],
])('%s with NO_PROXY %j is reached directly: %s', (url, noProxy, direct) => {
  expect(isDirect(new URL(url), noProxy)).toBe(direct);
});

test('a provider goes through the proxy, with its credentials; a refusal names it', async () => {
  const proxy = await startProxy();
  const fetch = proxyFetch({ https_proxy: `http://me:secret@${proxy.url}` });
  const provider = openProvider({
    id: 'anthropic',
    model: 'claude-sonnet-4-5',
    baseUrl: null,
    headers: {},
    key: 'k',
    contextTokens: null,
    ...(fetch === undefined ? {} : { fetch }),
  });
  const { signal } = new AbortController();
  const step = async () => {
    for await (const part of provider.step({ system: 's', messages: [], tools: [], signal }))
      expect(part).toBeUndefined();
  };
  await expect(step()).rejects.toMatchObject({
    code: 'provider-unreachable',
    message: `api.anthropic.com cannot be reached through the proxy ${proxy.url}.`,
  });
  expect(proxy.wanted).toContain('api.anthropic.com:443');
  expect(proxy.credentials[0]).toBe(`Basic ${Buffer.from('me:secret').toString('base64')}`);
});

test('a server on this machine is reached without it', async () => {
  const proxy = await startProxy();
  const server = createServer((_, response) => response.end('here'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const response = await proxyFetch({ HTTPS_PROXY: proxy.url })?.(`http://127.0.0.1:${port}/`);
  expect(await response?.text()).toBe('here');
  expect(proxy.wanted).toEqual([]);
});
