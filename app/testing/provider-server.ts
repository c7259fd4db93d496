// A model's server for tests: real HTTP, OpenAI's chat completions as a stream, answers from a script.
// Owns: the protocol and recording what was asked. Does not own: what a model would say.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export type ScriptedCall = {
  readonly id?: string;
  readonly name: string;
  /** an object, or a string that is sent as it is, valid JSON or not */
  readonly args: Record<string, unknown> | string;
};

/** What the server does with one request. */
export type ScriptedAnswer =
  | {
      readonly text?: string;
      readonly reasoning?: string;
      readonly calls?: readonly ScriptedCall[];
      /** default: "tool_calls" with calls, else "stop"; null: the stream ends without one */
      readonly finish?: string | null;
      /** between two pieces */
      readonly paceMs?: number;
      /** ends the connection after so many pieces, without a finish reason */
      readonly cutAfter?: number;
      /** says nothing more after so many pieces, until the client leaves */
      readonly silentAfter?: number;
    }
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    };

export type RecordedMessage = {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { name: string; arguments: string };
  }[];
  readonly tool_call_id?: string;
};
export type RecordedBody = {
  readonly model: string;
  readonly messages: readonly RecordedMessage[];
  readonly tools?: readonly { readonly function: { readonly name: string; readonly parameters: unknown } }[];
};
export type RecordedRequest = { readonly headers: IncomingMessage['headers']; readonly body: RecordedBody };

export type ProviderServer = {
  /** with /v1 */
  readonly baseUrl: string;
  readonly requests: readonly RecordedRequest[];
  /** Adds answers to the end of the script. */
  script(...answers: readonly ScriptedAnswer[]): void;
  /** Settles when so many requests have come. */
  requested(count: number): Promise<void>;
  close(): Promise<void>;
};

export type ProviderServerOptions = {
  readonly models?: readonly (Record<string, unknown> & { readonly id: string })[];
  /** refuses every other key */
  readonly key?: string;
};

/** How arguments are cut up: never where a parser would like it. */
const PIECES = /[\s\S]{1,7}/g;

export async function startProviderServer(
  answers: readonly ScriptedAnswer[] = [],
  options: ProviderServerOptions = {},
): Promise<ProviderServer> {
  const script = [...answers];
  const requests: RecordedRequest[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error as Error));
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readBody(request);
    const { headers, url = '' } = request;
    if (options.key !== undefined && headers.authorization !== `Bearer ${options.key}`)
      return sendJson(response, 401, { error: { message: 'Incorrect API key provided' } });
    if (url.endsWith('/models'))
      return sendJson(response, 200, { object: 'list', data: options.models ?? [{ id: 'test-model' }] });
    requests.push({ headers, body: JSON.parse(text) as RecordedBody });
    for (const { count, resolve } of waiting) if (requests.length >= count) resolve();
    const answer = script.shift();
    if (answer === undefined) return sendJson(response, 418, { error: { message: 'The script has ended.' } });
    if ('status' in answer) return sendJson(response, answer.status, answer.body ?? {}, answer.headers);
    await stream(response, answer);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    script: (...more) => {
      script.push(...more);
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

type StreamedAnswer = Exclude<ScriptedAnswer, { status: number }>;

async function stream(response: ServerResponse, answer: StreamedAnswer): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  // Settles when it has left this process: what is cut later must have arrived.
  const chunk = (choice: unknown, usage?: unknown): Promise<void> => {
    const data = {
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'test-model',
      choices: [choice],
      usage,
    };
    return new Promise((resolve) => response.write(`data: ${JSON.stringify(data)}\n\n`, () => resolve()));
  };
  for (const [index, delta] of piecesOf(answer).entries()) {
    if (index === answer.cutAfter) {
      response.destroy();
      return;
    }
    if (index === answer.silentAfter) return;
    if (answer.paceMs !== undefined) await delay(answer.paceMs);
    if (response.destroyed) return;
    await chunk({ index: 0, delta, finish_reason: null });
  }
  if (answer.finish === null) {
    response.end();
    return;
  }
  const finish = answer.finish ?? ((answer.calls?.length ?? 0) > 0 ? 'tool_calls' : 'stop');
  await chunk(
    { index: 0, delta: {}, finish_reason: finish },
    { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
  );
  response.write('data: [DONE]\n\n');
  response.end();
}

/** Text by words; calls side by side, as servers send them: first all names, then the arguments in small pieces. */
function piecesOf(answer: StreamedAnswer): readonly unknown[] {
  const words = (text: string | undefined) => text?.match(/\S+\s*|\s+/g) ?? [];
  const calls = (answer.calls ?? []).map((call, index) => ({
    index,
    id: call.id ?? `call_${index}`,
    name: call.name,
    args: typeof call.args === 'string' ? call.args : JSON.stringify(call.args),
  }));
  return [
    { role: 'assistant', content: '' },
    ...words(answer.reasoning).map((text) => ({ reasoning_content: text })),
    ...words(answer.text).map((content) => ({ content })),
    ...calls.map(({ index, id, name }) => ({
      tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }],
    })),
    ...calls.flatMap(({ index, args }) =>
      (args.match(PIECES) ?? []).map((piece) => ({
        tool_calls: [{ index, function: { arguments: piece } }],
      })),
    ),
  ];
}

/** @throws Error when a call has not exactly one result directly after it, or a message stands where none may */
export function assertValidHistory(body: RecordedBody): void {
  const [first, ...messages] = body.messages;
  const fail = (why: string, index: number): never => {
    throw new Error(`${why} (message ${index + 1})\n${JSON.stringify(body.messages, null, 1)}`);
  };
  if (first?.role !== 'system') fail('The history does not begin with the system message', -1);
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      const at = open.indexOf(message.tool_call_id ?? '');
      if (at !== 0) fail(`The result of ${message.tool_call_id} has no call in its place`, index);
      open = open.slice(1);
      continue;
    }
    if (open.length > 0) fail(`The calls ${open.join(', ')} have no result`, index);
    if (message.role === 'assistant') {
      for (const call of message.tool_calls ?? []) {
        if (open.includes(call.id)) fail(`The id ${call.id} is used twice in one answer`, index);
        JSON.parse(call.function.arguments);
        open.push(call.id);
      }
    } else if (message.role !== 'user') fail(`A message of role ${message.role}`, index);
    if (message.role === 'user' && messages[index - 1]?.role === 'user')
      fail('Two user messages in a row', index);
  }
  if (open.length > 0) fail(`The calls ${open.join(', ')} have no result`, messages.length);
  if (messages.at(-1)?.role === 'assistant') fail('The history ends with the model', messages.length - 1);
}
