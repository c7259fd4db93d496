// The way to servers through the system's proxy: HTTPS_PROXY and NO_PROXY (SPEC 12).
// Owns: which addresses go through it. Does not own: the request. Node's own fetch takes no proxy from the environment.
import { ProviderError } from './provider';

type Env = Readonly<Record<string, string | undefined>>;

/** A fetch that goes through the proxy where it should; undefined when there is no proxy. */
export function proxyFetch(env: Env): typeof fetch | undefined {
  const proxy = (env.HTTPS_PROXY || env.https_proxy)?.trim();
  if (!proxy) return undefined;
  const uri = /^[a-z]+:\/\//i.test(proxy) ? proxy : `http://${proxy}`;
  const direct = env.NO_PROXY ?? env.no_proxy ?? '';
  let through: Promise<typeof fetch> | null = null;
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.protocol !== 'https:' || isDirect(url, direct)) return fetch(input, init);
    through ??= openProxy(uri);
    try {
      return await (await through)(input, init);
    } catch (cause) {
      if (init?.signal?.aborted) throw cause;
      throw new ProviderError(
        'provider-unreachable',
        `${url.host} cannot be reached through the proxy ${new URL(uri).host}.`,
        { cause, hint: 'Check HTTPS_PROXY, or name the server in NO_PROXY.', retryable: true },
      );
    }
  };
}

async function openProxy(uri: string): Promise<typeof fetch> {
  const undici = await import('undici');
  const dispatcher = new undici.ProxyAgent(uri);
  // The library's own types of a fetch are not the global ones; what the adapters use of them is the same.
  return ((input: string | URL, init: object) =>
    undici.fetch(input, { ...init, dispatcher })) as unknown as typeof fetch;
}

/** As most programs read NO_PROXY: names with their subdomains, with or without a port; "*" is everything. */
export function isDirect({ hostname, port }: URL, noProxy: string): boolean {
  const host = hostname.toLowerCase().replace(/^\[|\]$/g, '');
  if (host === 'localhost' || host === '::1' || host.startsWith('127.')) return true;
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true;
      const [, name = '', wanted] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry) ?? [];
      if (wanted !== undefined && wanted !== (port || '443')) return false;
      return host === name || host.endsWith(`.${name}`);
    });
}
