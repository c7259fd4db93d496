// OpenAI's chat completions for the tests' server: the stream of an answer, and what a request must be like.
import {
  argsOf,
  type ModelServer,
  type ModelServerOptions,
  type Protocol,
  piecesOf,
  type Recorded,
  type ScriptedAnswer,
  type StreamedAnswer,
  startModelServer,
  wordsOf,
} from './model-server';

export type { ScriptedAnswer, ScriptedCall } from './model-server';
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
export type RecordedRequest = Recorded<RecordedBody>;
export type ProviderServer = ModelServer<RecordedBody>;
export type ProviderServerOptions = ModelServerOptions;

export const OPENAI: Protocol<RecordedBody> = {
  keyOf: (headers) => headers.authorization?.replace(/^Bearer /, ''),
  list: (models) => ({ object: 'list', data: models }),
  events: (answer) => eventsOf(answer),
  faultIn: (body) => historyFault(body),
};

export const startProviderServer = (
  answers: readonly ScriptedAnswer[] = [],
  options: ProviderServerOptions = {},
): Promise<ProviderServer> => startModelServer(OPENAI, answers, options);

/** Text by words; calls side by side, as servers send them: first all names, then the arguments in small pieces. */
function eventsOf(answer: StreamedAnswer): readonly string[] {
  const calls = (answer.calls ?? []).map((call, index) => ({
    index,
    id: call.id ?? `call_${index}`,
    name: call.name,
    args: argsOf(call),
  }));
  const deltas = [
    { role: 'assistant', content: '' },
    ...wordsOf(answer.reasoning).map((text) => ({ reasoning_content: text })),
    ...wordsOf(answer.refusal).map((refusal) => ({ refusal })),
    ...wordsOf(answer.text).map((content) => ({ content })),
    ...calls.map(({ index, id, name }) => ({
      tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }],
    })),
    ...calls.flatMap(({ index, args }) =>
      piecesOf(args, answer.argsCutAt).map((piece) => ({
        tool_calls: [{ index, function: { arguments: piece } }],
      })),
    ),
  ];
  const events = deltas.map((delta) => chunk({ index: 0, delta, finish_reason: null }));
  if (answer.finish === null) return events;
  const { input, output, cached } = answer.usage ?? { input: 11, output: 7 };
  const usage = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
  };
  const finish = answer.finish ?? (calls.length > 0 ? 'tool_calls' : 'stop');
  return [...events, chunk({ index: 0, delta: {}, finish_reason: finish }, usage), 'data: [DONE]\n\n'];
}

function chunk(choice: unknown, usage?: unknown): string {
  const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'test-model' };
  return `data: ${JSON.stringify({ ...head, choices: [choice], usage })}\n\n`;
}

/** @throws Error when a call has not exactly one result directly after it, or a message stands where none may */
export function assertValidHistory(body: RecordedBody): void {
  const fault = historyFault(body);
  if (fault !== null) throw new Error(`${fault}\n${JSON.stringify(body.messages, null, 1)}`);
}

function historyFault({ messages: [first, ...messages] }: RecordedBody): string | null {
  if (first?.role !== 'system') return 'The history does not begin with the system message';
  if (messages[0]?.role !== 'user') return 'The conversation does not begin with the user';
  const used = new Set<string>();
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    const at = `(message ${index + 1})`;
    if (message.role === 'tool') {
      if (open[0] !== message.tool_call_id)
        return `The result of ${message.tool_call_id} has no call in its place ${at}`;
      open = open.slice(1);
      continue;
    }
    if (open.length > 0) return `The calls ${open.join(', ')} have no result ${at}`;
    const before = messages[index - 1]?.role;
    if (message.role === before) return `Two messages of ${before} in a row ${at}`;
    if (message.role === 'assistant') {
      const fault = callFault(message, used);
      if (fault !== null) return `${fault} ${at}`;
      open = (message.tool_calls ?? []).map((call) => call.id);
    } else if (message.role !== 'user') return `A message of role ${message.role} ${at}`;
  }
  if (open.length > 0) return `The calls ${open.join(', ')} have no result`;
  return messages.at(-1)?.role === 'assistant' ? 'The history ends with the model' : null;
}

function callFault({ content, tool_calls: calls = [] }: RecordedMessage, used: Set<string>): string | null {
  if (calls.length === 0 && (typeof content !== 'string' || content === '')) return 'An empty answer';
  for (const call of calls) {
    if (used.has(call.id)) return `The id ${call.id} is used twice`;
    if (call.id === '' || call.id.length > 40) return `The id "${call.id}" is too long or empty`;
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(call.function.name)) return `The name "${call.function.name}"`;
    used.add(call.id);
    try {
      JSON.parse(call.function.arguments);
    } catch {
      return `Arguments that are no JSON: ${call.function.arguments}`;
    }
  }
  return null;
}
