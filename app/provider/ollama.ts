// Ollama by its own protocol. Its OpenAI-compatible one cannot be told how much context to keep, and then cuts the
// beginning of a long conversation away without a word.
// Owns: its messages, its lines, where it is. Does not own: retries, the loop.
import type { LanguageModelV3Prompt } from '@ai-sdk/provider';
import { z } from 'zod';
import { cutError, errorOfStatus, errorOfThrown } from './errors';
import type { ModelInfo } from './models';
import type { Provider, StepPart, StepRequest } from './provider';
import { ProviderError } from './provider';
import { toolsOf } from './sdk';
import { promptOf } from './sdk-prompt';
import type { ModelServer, Server } from './server';

export const OLLAMA_URL = 'http://127.0.0.1:11434';
/** More than this is asked for only by the setting: the memory that it takes grows with it. */
const MOST_CONTEXT_TOKENS = 32_768;

/** OLLAMA_HOST as Ollama's own tools read it: host, port, or both, with or without a scheme. */
export function ollamaUrl(host: string | undefined): string | null {
  const given = host?.trim().replace(/\/+$/, '');
  if (!given) return null;
  const [, scheme = 'http', rest = ''] = /^(?:(https?):\/\/)?(.*)$/i.exec(given) ?? [];
  const [, name = '', port] = /^(.*?)(?::(\d+))?$/.exec(rest) ?? [];
  // It is told to listen everywhere; it is found here.
  const reachable = name === '' || name === '0.0.0.0' ? '127.0.0.1' : name;
  return `${scheme.toLowerCase()}://${reachable}:${port ?? (scheme === 'https' ? '443' : '11434')}`;
}

const tagsSchema = z.object({ models: z.array(z.object({ name: z.string() })) });
const showSchema = z.object({ model_info: z.record(z.string(), z.unknown()).optional() });

/** The models that are there. @throws ProviderError provider-unreachable, provider-failed */
export async function listOllama(server: Server, signal: AbortSignal): Promise<readonly ModelInfo[]> {
  const parsed = tagsSchema.safeParse(await getJson(server, '/api/tags', undefined, signal));
  if (!parsed.success)
    throw new ProviderError('provider-failed', `${server.name} answers, but with no list of models.`);
  return parsed.data.models.map((m) => ({ id: m.name, contextTokens: null }));
}

/** How much context a model gets here, or null when Ollama does not say. */
export async function ollamaContext(
  server: Server,
  model: string,
  signal: AbortSignal,
): Promise<number | null> {
  const shown = showSchema.safeParse(await getJson(server, '/api/show', { model }, signal));
  const entry = Object.entries(shown.data?.model_info ?? {}).find(([key]) => key.endsWith('.context_length'));
  return typeof entry?.[1] === 'number' ? Math.min(entry[1], MOST_CONTEXT_TOKENS) : null;
}

async function getJson(server: Server, path: string, body: unknown, signal: AbortSignal): Promise<unknown> {
  const response = await request(server, path, body, signal);
  try {
    return (await response.json()) as unknown;
  } catch (error) {
    throw errorOfThrown(error, server.name, signal);
  }
}

async function request(server: Server, path: string, body: unknown, signal: AbortSignal): Promise<Response> {
  const headers = {
    ...(server.key === null ? {} : { authorization: `Bearer ${server.key}` }),
    'content-type': 'application/json',
    ...server.headers,
  };
  let response: Response;
  try {
    const post = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    response = await (server.fetch ?? fetch)(`${server.baseUrl}${path}`, { headers, signal, ...post });
    if (response.ok) return response;
    const said = await response.text();
    throw errorOfStatus({ status: response.status, body: said, retryAfter: null }, server.name);
  } catch (error) {
    throw errorOfThrown(error, server.name, signal);
  }
}

export function openOllama(options: ModelServer): Provider {
  return {
    id: options.id,
    model: options.model,
    contextSize: options.contextSize,
    step: (step) => playStep(options, step),
  };
}

const lineSchema = z.object({
  error: z.string().optional(),
  message: z
    .object({
      content: z.string().nullish(),
      thinking: z.string().nullish(),
      tool_calls: z
        .array(z.object({ function: z.object({ name: z.string(), arguments: z.unknown() }) }))
        .nullish(),
    })
    .optional(),
  done: z.boolean().optional(),
  done_reason: z.string().optional(),
  prompt_eval_count: z.number().optional(),
  eval_count: z.number().optional(),
});
type Line = z.infer<typeof lineSchema>;

async function* playStep(server: ModelServer, step: StepRequest): AsyncGenerator<StepPart> {
  const { tokens } = await server.contextSize();
  const body = {
    model: server.model,
    messages: promptOf(step).flatMap(messagesFor),
    tools: toolsOf(step.tools).map(({ name, description, inputSchema }) => ({
      type: 'function',
      function: { name, description, parameters: inputSchema },
    })),
    stream: true,
    options: { num_ctx: tokens },
  };
  const response = await request(server, '/api/chat', body, step.signal);
  let calls = 0;
  for await (const text of linesOf(response, server, step.signal)) {
    const line = parseLine(text, server);
    for (const part of partsOf(line)) {
      if (part.type === 'call') yield { ...part, callId: `call_${++calls}` };
      else yield part;
    }
    if (line.done) {
      yield { type: 'finish', reason: reasonOf(line, calls), usage: usageOf(line) };
      return;
    }
  }
  throw cutError(server.name);
}

function parseLine(text: string, server: Server): Line {
  let parsed: ReturnType<typeof lineSchema.safeParse>;
  try {
    parsed = lineSchema.safeParse(JSON.parse(text));
  } catch (cause) {
    throw new ProviderError('provider-failed', `${server.name} sent something that is not its protocol.`, {
      cause,
      retryable: true,
    });
  }
  if (!parsed.success)
    throw new ProviderError('provider-failed', `${server.name} sent something that is not its protocol.`, {
      retryable: true,
    });
  if (parsed.data.error !== undefined)
    throw errorOfStatus({ status: 500, body: parsed.data.error, retryAfter: null }, server.name);
  return parsed.data;
}

/** Arguments come whole. */
function partsOf({ message }: Line): readonly StepPart[] {
  const parts: StepPart[] = [];
  if (message?.thinking) parts.push({ type: 'reasoning', text: message.thinking });
  if (message?.content) parts.push({ type: 'text', text: message.content });
  for (const call of message?.tool_calls ?? []) {
    const { name, arguments: input } = call.function;
    parts.push({ type: 'call', callId: '', tool: name, input: input ?? {}, error: null });
  }
  return parts;
}

const reasonOf = (line: Line, calls: number): 'stop' | 'tools' | 'length' =>
  line.done_reason === 'length' ? 'length' : calls > 0 ? 'tools' : 'stop';

const usageOf = (line: Line) => ({
  inputTokens: line.prompt_eval_count ?? 0,
  outputTokens: line.eval_count ?? 0,
  cost: 0,
});

/** It knows no ids: results follow in the order of their calls. */
function messagesFor(message: LanguageModelV3Prompt[number]): readonly object[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: message.content }];
    case 'tool':
      return message.content.flatMap((r) =>
        r.type === 'tool-result' && 'value' in r.output
          ? [{ role: 'tool', content: r.output.value, tool_name: r.toolName }]
          : [],
      );
    default: {
      const content = message.content.map((p) => (p.type === 'text' ? p.text : '')).join('');
      const calls = message.content.flatMap((p) =>
        p.type === 'tool-call' ? [{ function: { name: p.toolName, arguments: p.input } }] : [],
      );
      return [{ role: message.role, content, ...(calls.length === 0 ? {} : { tool_calls: calls }) }];
    }
  }
}

async function* linesOf(response: Response, server: Server, signal: AbortSignal): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) throw cutError(server.name);
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const lines = `${rest}${value}`.split('\n');
      rest = lines.pop() ?? '';
      yield* lines.filter((line) => line.trim() !== '');
    }
    if (rest.trim() !== '') yield rest;
  } catch (error) {
    throw errorOfThrown(error, server.name, signal);
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
