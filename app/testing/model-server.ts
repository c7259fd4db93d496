// A model's server for tests: real HTTP, answers from a script, as strict about what it is asked as the real ones.
// Owns: listening, the script, recording, and ways to break off. Does not own: a protocol (beside this file), what a
// model would say.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export type ScriptedCall = {
  readonly id?: string;
  readonly name: string;
  /** an object, or a string that is sent as it is, valid JSON or not */
  readonly args: Record<string, unknown> | string;
};

export type StreamedAnswer = {
  readonly text?: string;
  readonly reasoning?: string;
  /** thinking that the server keeps to itself (Anthropic) */
  readonly redacted?: string;
  /** words of a model that declines */
  readonly refusal?: string;
  readonly calls?: readonly ScriptedCall[];
  /** in the protocol's words; default: what fits the answer; null: the stream ends without one */
  readonly finish?: string | null;
  readonly usage?: { readonly input: number; readonly output: number; readonly cached?: number };
  /** where the arguments are cut in two; default: into pieces that no parser would like */
  readonly argsCutAt?: number;
  /** between two events */
  readonly paceMs?: number;
  /** breaks off after so many events */
  readonly cutAfter?: number;
  /** how; default: the connection is closed in the middle of the body */
  readonly cutBy?: 'close' | 'reset' | 'end';
  /** says nothing more after so many events, until the client leaves */
  readonly silentAfter?: number;
  /** this event is sent as broken JSON */
  readonly malformedAt?: number;
};

/** What the server does with one request. */
export type ScriptedAnswer =
  | StreamedAnswer
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    };

export type Protocol<Body> = {
  /** of the key */
  readonly keyOf: (headers: IncomingMessage['headers']) => string | undefined;
  readonly list: (models: readonly ListedModel[]) => unknown;
  /** what is told of one model (Ollama) */
  readonly show?: (model: ListedModel) => unknown;
  /** what an answer is made of, each part as it is sent */
  readonly events: (answer: StreamedAnswer, body: Body) => readonly string[];
  /** why a real server would refuse this request, or null */
  readonly faultIn: (body: Body) => string | null;
};
export type ListedModel = Record<string, unknown> & { readonly id: string };

export type Recorded<Body> = { readonly headers: IncomingMessage['headers']; readonly body: Body };

export type ModelServer<Body> = {
  /** with /v1 */
  readonly baseUrl: string;
  readonly requests: readonly Recorded<Body>[];
  /** why requests were refused as invalid; empty when all were right */
  readonly faults: readonly string[];
  /** Adds answers to the end of the script. */
  script(...answers: readonly ScriptedAnswer[]): void;
  /** Drops what is left of the script. */
  forget(): void;
  /** Settles when so many requests have come. */
  requested(count: number): Promise<void>;
  close(): Promise<void>;
};

export type ModelServerOptions = {
  readonly models?: readonly ListedModel[];
  /** refuses every other key */
  readonly key?: string;
};

export async function startModelServer<Body>(
  protocol: Protocol<Body>,
  answers: readonly ScriptedAnswer[] = [],
  options: ModelServerOptions = {},
): Promise<ModelServer<Body>> {
  const script = [...answers];
  const requests: Recorded<Body>[] = [];
  const faults: string[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error as Error));
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readBody(request);
    const { headers, url = '' } = request;
    if (options.key !== undefined && protocol.keyOf(headers) !== options.key)
      return sendJson(response, 401, { error: { message: 'Incorrect API key provided' } });
    const models = options.models ?? [{ id: 'test-model' }];
    if (/\/(models|api\/tags)(\?|$)/.test(url)) return sendJson(response, 200, protocol.list(models));
    if (url.endsWith('/api/show')) {
      const wanted = (JSON.parse(text) as { model: string }).model;
      const model = models.find((m) => m.id === wanted);
      if (model === undefined) return sendJson(response, 404, { error: `model '${wanted}' not found` });
      return sendJson(response, 200, protocol.show?.(model));
    }
    const body = JSON.parse(text) as Body;
    requests.push({ headers, body });
    for (const { count, resolve } of waiting) if (requests.length >= count) resolve();
    const fault = protocol.faultIn(body);
    if (fault !== null) {
      faults.push(fault);
      return sendJson(response, 400, { error: { type: 'invalid_request_error', message: fault } });
    }
    const answer = script.shift();
    if (answer === undefined) return sendJson(response, 418, { error: { message: 'The script has ended.' } });
    if ('status' in answer) return sendJson(response, answer.status, answer.body ?? {}, answer.headers);
    await stream(response, answer, protocol.events(answer, body));
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    faults,
    script: (...more) => {
      script.push(...more);
    },
    forget: () => {
      script.length = 0;
    },
    requested: (count) =>
      new Promise((resolve) => {
        waiting.push({ count, resolve });
        if (requests.length >= count) resolve();
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

async function stream(
  response: ServerResponse,
  answer: StreamedAnswer,
  events: readonly string[],
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  // Settles when it has left this process: what is cut later must have arrived.
  const send = (event: string): Promise<void> =>
    new Promise((resolve) => response.write(event, () => resolve()));
  for (const [index, event] of events.entries()) {
    if (index === answer.cutAfter) return breakOff(response, answer.cutBy ?? 'close');
    if (index === answer.silentAfter) return;
    if (answer.paceMs !== undefined) await delay(answer.paceMs);
    if (response.destroyed) return;
    await send(index === answer.malformedAt ? event.replace('{', '{{') : event);
  }
  response.end();
}

function breakOff(response: ServerResponse, by: 'close' | 'reset' | 'end'): void {
  if (by === 'end') response.end();
  else if (by === 'reset') response.socket?.resetAndDestroy();
  else response.destroy();
}

export const argsOf = (call: ScriptedCall): string =>
  typeof call.args === 'string' ? call.args : JSON.stringify(call.args);

/** Never where a parser would like it. */
export function piecesOf(text: string, cutAt: number | undefined): readonly string[] {
  if (cutAt === undefined) return text.match(/[\s\S]{1,7}/g) ?? [];
  return [text.slice(0, cutAt), text.slice(cutAt)];
}

export const wordsOf = (text: string | undefined): readonly string[] => text?.match(/\S+\s*|\s+/g) ?? [];
