// Ollama's own protocol for the tests' server: the lines of an answer, and what a request must be like.
import {
  argsOf,
  type ModelServer,
  type ModelServerOptions,
  type Protocol,
  type ScriptedAnswer,
  type StreamedAnswer,
  startModelServer,
  wordsOf,
} from './model-server';

export type OllamaMessage = {
  readonly role: string;
  readonly content: string;
  readonly tool_name?: string;
  readonly tool_calls?: readonly {
    readonly function: { readonly name: string; readonly arguments: unknown };
  }[];
};
export type OllamaBody = {
  readonly model: string;
  readonly messages: readonly OllamaMessage[];
  readonly options?: { readonly num_ctx?: number };
};
export type OllamaServer = ModelServer<OllamaBody>;

export const OLLAMA: Protocol<OllamaBody> = {
  keyOf: (headers) => headers.authorization?.replace(/^Bearer /, ''),
  list: (models) => ({ models: models.map((m) => ({ name: m.id, model: m.id })) }),
  show: (model) => ({
    capabilities: ['completion', 'tools'],
    model_info: { 'general.architecture': 'test', 'test.context_length': model.context_length ?? 8192 },
  }),
  events: (answer) => linesOf(answer),
  faultIn: (body) => historyFault(body),
};

/** Its address has no version. */
export async function startOllamaServer(
  answers: readonly ScriptedAnswer[] = [],
  options: ModelServerOptions = {},
): Promise<OllamaServer> {
  const server = await startModelServer(OLLAMA, answers, options);
  return { ...server, baseUrl: server.baseUrl.replace('/v1', '') };
}

const line = (data: object): string => `${JSON.stringify({ model: 'm', ...data })}\n`;

/** Each call comes whole, in a line of its own. */
function linesOf(answer: StreamedAnswer): readonly string[] {
  const said = (message: object) => line({ message: { role: 'assistant', ...message }, done: false });
  const lines = [
    ...wordsOf(answer.reasoning).map((thinking) => said({ content: '', thinking })),
    ...wordsOf(answer.text).map((content) => said({ content })),
    ...(answer.calls ?? []).map((call) =>
      said({ content: '', tool_calls: [{ function: { name: call.name, arguments: parsed(argsOf(call)) } }] }),
    ),
  ];
  if (answer.finish === null) return lines;
  const { input, output } = answer.usage ?? { input: 11, output: 7 };
  const end = { done: true, done_reason: answer.finish ?? 'stop' };
  return [
    ...lines,
    line({
      message: { role: 'assistant', content: '' },
      ...end,
      prompt_eval_count: input,
      eval_count: output,
    }),
  ];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A model that wrote nonsense: it is handed on as the text that it is.
    return text;
  }
}

function historyFault({ messages: [first, ...messages] }: OllamaBody): string | null {
  if (first?.role !== 'system') return 'The history does not begin with the system message';
  let open: readonly string[] = [];
  let before = 'system';
  for (const [index, message] of messages.entries()) {
    const at = `(message ${index + 1})`;
    if (message.role === 'tool') {
      if (open[0] !== message.tool_name) return `A result of ${message.tool_name} without its call ${at}`;
      open = open.slice(1);
    } else {
      if (open.length > 0) return `The calls ${open.join(', ')} have no result ${at}`;
      if (message.role === before) return `Two messages of ${before} in a row ${at}`;
      const calls = message.tool_calls ?? [];
      if (message.role === 'assistant' && message.content === '' && calls.length === 0)
        return `An empty answer ${at}`;
      for (const call of calls) {
        const { arguments: args } = call.function;
        if (typeof args !== 'object' || args === null || Array.isArray(args))
          return `Arguments that are no object ${at}`;
      }
      open = calls.map((c) => c.function.name);
    }
    before = message.role;
  }
  if (open.length > 0) return `The calls ${open.join(', ')} have no result`;
  return before === 'assistant' ? 'The history ends with the model' : null;
}
