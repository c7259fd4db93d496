// From what went wrong between here and a model's server to an error that says what to do.
// Owns: the mapping of statuses and network errors, and which of them may pass by themselves. Pure.
import { TidemarkError } from '../../shared/errors';
import { limitIn } from './context-size';
import { ProviderError } from './provider';

export type Refusal = {
  readonly status: number;
  readonly body: string;
  /** the Retry-After header, or retry-after-ms as seconds */
  readonly retryAfter: string | null;
};

/** How servers say that the prompt is too long; there is no common code for it. */
const TOO_LONG =
  /context.{0,40}(length|window|size)|too (long|large|many tokens)|maximum.{0,20}tokens|exceed.{0,40}(context|tokens|n_ctx)/i;

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);
const CUT = new Set([
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'ERR_STREAM_PREMATURE_CLOSE',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
]);

/** The error of an HTTP answer that is not a success. `server` is its name for people. */
export function errorOfStatus({ status, body, retryAfter }: Refusal, server: string): ProviderError {
  const said = messageIn(body);
  const told = said === '' ? '.' : `: ${said}`;
  if (status === 401 || status === 403)
    return new ProviderError('key-wrong', `${server} refused the key (${status})${told}`, {
      hint: 'Check the key in Settings, Models.',
    });
  if ((status === 400 || status === 413 || status === 422) && TOO_LONG.test(body))
    return new ProviderError('context-too-long', `The conversation does not fit the model${told}`, {
      hint: 'Compact the conversation (/compact), or rewind to an earlier point. Nothing was lost.',
      limitTokens: limitIn(body),
    });
  if (status === 429 || status === 503 || status === 529)
    return new ProviderError('provider-busy', `${server} is busy (${status})${told}`, {
      // A used-up quota does not come back by waiting a few seconds.
      retryable: !/insufficient_quota|billing/i.test(body),
      retryAfterMs: parseRetryAfter(retryAfter),
    });
  if (status === 408 || status === 409 || status >= 500)
    return new ProviderError('provider-failed', `${server} failed (${status})${told}`, {
      retryable: true,
      retryAfterMs: parseRetryAfter(retryAfter),
    });
  return new ProviderError('provider-failed', `${server} refused the request (${status})${told}`);
}

/** The error of something thrown by fetch or while a stream was read. Aborting becomes `cancelled`. */
export function errorOfThrown(thrown: unknown, server: string, signal: AbortSignal): TidemarkError {
  if (thrown instanceof TidemarkError) return thrown;
  if (signal.aborted) return new TidemarkError('cancelled', 'Stopped.', { cause: thrown });
  const codes = codesOf(thrown);
  const unreachable = codes.find((code) => UNREACHABLE.has(code));
  if (unreachable !== undefined)
    return new ProviderError('provider-unreachable', `${server} cannot be reached (${unreachable}).`, {
      cause: thrown,
      hint: 'Check the address in Settings, Models, and the network.',
      retryable: true,
    });
  if (
    codes.some((code) => CUT.has(code)) ||
    /terminated|socket hang up|fetch failed/i.test(messageOf(thrown))
  )
    return cutError(server, thrown);
  return new ProviderError('provider-failed', `${server} failed: ${messageOf(thrown)}`, { cause: thrown });
}

export const cutError = (server: string, cause?: unknown): ProviderError =>
  new ProviderError('stream-cut', `The answer of ${server} was cut off.`, { cause, retryable: true });

/** The model declined, or a filter of the server's did. `said`: its own words, if any. */
export const refusedError = (server: string, said = ''): ProviderError =>
  new ProviderError('refused', `${server} declined to answer${said === '' ? '.' : `: ${said}`}`, {
    hint: 'Nothing of it was carried out. Rewind to before the message, and ask in another way.',
  });

/** The error of a step on the AI SDK: of its call, or inside its stream. */
export function mapSdkError(error: unknown, server: string, signal: AbortSignal): Error {
  if (signal.aborted || error instanceof TidemarkError) return errorOfThrown(error, server, signal);
  const { statusCode, responseBody, responseHeaders, name } = error as {
    statusCode?: number;
    responseBody?: string;
    responseHeaders?: Record<string, string>;
    name?: string;
  };
  if (statusCode !== undefined && statusCode >= 400) {
    const ms = responseHeaders?.['retry-after-ms'];
    const retryAfter =
      ms === undefined ? (responseHeaders?.['retry-after'] ?? null) : String(Number(ms) / 1000);
    return errorOfStatus({ status: statusCode, body: responseBody ?? '', retryAfter }, server);
  }
  if (name === 'AI_InvalidResponseDataError') return cutError(server, error);
  if (name === 'AI_JSONParseError' || name === 'AI_TypeValidationError')
    return new ProviderError('provider-failed', `${server} sent something that is not its protocol.`, {
      cause: error,
      retryable: true,
    });
  if (error instanceof Error) return errorOfThrown(error, server, signal);
  return errorInStream(error, server);
}

/** An error object that came inside the stream, after the headers had promised success. */
function errorInStream(error: unknown, server: string): ProviderError {
  const { code, type, message } = (error ?? {}) as { code?: unknown; type?: unknown; message?: unknown };
  const said = typeof message === 'string' ? message : JSON.stringify(error);
  const status =
    typeof code === 'number'
      ? code
      : /overload|rate_limit/i.test(String(type))
        ? 529
        : /invalid_request/i.test(String(type))
          ? 400
          : 500;
  return errorOfStatus({ status, body: said, retryAfter: null }, server);
}

/** Milliseconds of a Retry-After header: seconds, or a date. null when there is none or it makes no sense. */
export function parseRetryAfter(value: string | null, now = Date.now()): number | null {
  if (value === null || value.trim() === '') return null;
  const seconds = Number(value);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - now;
  return Number.isFinite(ms) && ms >= 0 ? ms : null;
}

const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : JSON.stringify(thrown);

/** The code of an error and of all its causes. */
function codesOf(thrown: unknown): readonly string[] {
  const codes: string[] = [];
  let at = thrown;
  for (let depth = 0; depth < 5 && typeof at === 'object' && at !== null; depth++) {
    const { code, cause, errors } = at as { code?: unknown; cause?: unknown; errors?: unknown };
    if (typeof code === 'string') codes.push(code);
    at = cause ?? (Array.isArray(errors) ? errors[0] : undefined);
  }
  return codes;
}

/** The sentence in an error body, which is JSON with any of the common shapes, or plain text. */
function messageIn(body: string): string {
  try {
    const parsed = JSON.parse(body) as { error?: { message?: unknown } | string; message?: unknown } | null;
    const { error } = parsed ?? {};
    const found = typeof error === 'string' ? error : (error?.message ?? parsed?.message);
    return typeof found === 'string' ? found.slice(0, 500) : '';
  } catch {
    // A proxy's HTML page or bare text: the beginning says enough.
    return body
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim()
      .slice(0, 200);
  }
}
