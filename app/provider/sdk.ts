// The adapter to models behind the AI SDK: one step at a time, by the interface that its providers implement.
// Owns: turning our messages into theirs and their stream into ours. Does not own: retries, the loop, keys.
// The layer above that interface (streamText) is left out on purpose: it would bring its own loop, retries and
// validation, which are the agent's here, and swallow errors that have to be told apart.
import type { LanguageModelV3, LanguageModelV3Prompt, LanguageModelV3StreamPart } from '@ai-sdk/provider';
import { z } from 'zod';
import { cutError, errorOfStatus, errorOfThrown } from './errors';
import type { ModelMessage, Provider, StepPart, StepRequest } from './provider';
import { ProviderError } from './provider';
import type { Server } from './server';

export type CompatibleOptions = Server & {
  readonly id: string;
  readonly model: string;
  readonly contextTokens: number;
};

/** A server that speaks OpenAI's chat completions. The library is loaded with the first step. */
export function openCompatible(options: CompatibleOptions): Provider {
  let model: Promise<LanguageModelV3> | null = null;
  const load = async (): Promise<LanguageModelV3> => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    return createOpenAICompatible({
      name: options.id,
      baseURL: options.baseUrl,
      headers: { ...options.headers },
      includeUsage: true,
      ...(options.key === null ? {} : { apiKey: options.key }),
      ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
    }).chatModel(options.model);
  };
  return {
    id: options.id,
    model: options.model,
    contextTokens: options.contextTokens,
    async *step(request) {
      model ??= load();
      yield* playStep(await model, request, options.name);
    },
  };
}

async function* playStep(
  model: LanguageModelV3,
  request: StepRequest,
  server: string,
): AsyncGenerator<StepPart> {
  try {
    const { stream } = await model.doStream({
      prompt: promptOf(request),
      tools: request.tools.map((t) => ({
        type: 'function',
        name: t.name,
        description: t.description,
        inputSchema: z.toJSONSchema(t.schema, { target: 'draft-7', io: 'input' }) as never,
      })),
      abortSignal: request.signal,
    });
    for await (const part of readStream(stream)) {
      const ours = partOf(part, server);
      if (ours !== null) yield ours;
    }
  } catch (error) {
    throw mapError(error, server, request.signal);
  }
}

/** Web streams cannot be iterated everywhere; leaving early cancels the request. */
async function* readStream<T>(stream: ReadableStream<T>): AsyncGenerator<T> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** @throws ProviderError for an error inside the stream, and for an end without a reason */
function partOf(part: LanguageModelV3StreamPart, server: string): StepPart | null {
  switch (part.type) {
    case 'text-delta':
      return { type: 'text', text: part.delta };
    case 'reasoning-delta':
      return { type: 'reasoning', text: part.delta };
    case 'tool-input-start':
      return { type: 'call-started', callId: part.id, tool: part.toolName };
    case 'tool-call':
      return { type: 'call', callId: part.toolCallId, tool: part.toolName, ...parseArguments(part.input) };
    case 'error':
      throw part.error;
    case 'finish': {
      // Also a stream that just stops ends in a part of this type, with no reason of the server's in it.
      if (part.finishReason.raw === undefined) throw cutError(server);
      const usage = {
        inputTokens: part.usage.inputTokens.total ?? 0,
        outputTokens: part.usage.outputTokens.total ?? 0,
        cost: null,
      };
      const { unified } = part.finishReason;
      const reason = unified === 'tool-calls' ? 'tools' : unified === 'length' ? 'length' : 'stop';
      return { type: 'finish', reason, usage };
    }
    default:
      return null;
  }
}

/** Servers send no arguments at all for a tool that has only optional ones. */
function parseArguments(text: string): { input: unknown; error: string | null } {
  if (text.trim() === '') return { input: {}, error: null };
  try {
    return { input: JSON.parse(text) as unknown, error: null };
  } catch (error) {
    return { input: null, error: `The arguments are no valid JSON: ${(error as Error).message}` };
  }
}

function mapError(error: unknown, server: string, signal: AbortSignal): Error {
  if (signal.aborted) return errorOfThrown(error, server, signal);
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
  const status = typeof code === 'number' ? code : /overload|rate_limit/i.test(String(type)) ? 529 : 500;
  return errorOfStatus(
    { status, body: typeof message === 'string' ? message : JSON.stringify(error), retryAfter: null },
    server,
  );
}

function promptOf(request: StepRequest): LanguageModelV3Prompt {
  const prompt: LanguageModelV3Prompt = [{ role: 'system', content: request.system }];
  for (const message of request.messages) addMessage(prompt, message);
  return prompt;
}

function addMessage(prompt: LanguageModelV3Prompt, message: ModelMessage): void {
  const last = prompt.at(-1);
  if (message.role === 'user') {
    // Several servers insist on taking turns.
    if (last?.role === 'user') last.content.push({ type: 'text', text: `\n\n${message.text}` });
    else prompt.push({ role: 'user', content: [{ type: 'text', text: message.text }] });
  } else if (message.role === 'assistant') {
    const text = message.text === '' ? [] : [{ type: 'text' as const, text: message.text }];
    const calls = message.calls.map((c) => ({
      type: 'tool-call' as const,
      toolCallId: c.callId,
      toolName: c.tool,
      input: c.input ?? {},
    }));
    prompt.push({ role: 'assistant', content: [...text, ...calls] });
  } else {
    prompt.push({
      role: 'tool',
      content: message.results.map((r) => ({
        type: 'tool-result' as const,
        toolCallId: r.callId,
        toolName: r.tool,
        output: { type: r.ok ? ('text' as const) : ('error-text' as const), value: r.text },
      })),
    });
  }
}
