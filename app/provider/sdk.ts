// Plays a step on a model behind the AI SDK, by the interface that its providers implement.
// Owns: reading their stream and their errors. Does not own: retries, the loop, keys, a single protocol.
// The layer above that interface (streamText) is left out on purpose: it would bring its own loop, retries and
// validation, which are the agent's here, and swallow errors that have to be told apart.
import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from '@ai-sdk/provider';
import { z } from 'zod';
import type { Thinking, Usage } from '../../shared/domain';
import { cutError, mapSdkError, refusedError } from './errors';
import { costOf, type Price } from './model-facts';
import type { StepPart, ToolSpec } from './provider';

export type SdkStep = {
  readonly options: LanguageModelV3CallOptions & { readonly abortSignal: AbortSignal };
  /** the server's name for people */
  readonly server: string;
  readonly price: Price | null;
};

export const toolsOf = (tools: readonly ToolSpec[]): LanguageModelV3FunctionTool[] =>
  tools.map((t) => ({
    type: 'function',
    name: t.name,
    description: t.description,
    inputSchema: z.toJSONSchema(t.schema, { target: 'draft-7', io: 'input' }) as never,
  }));

/** @throws ProviderError, TidemarkError cancelled */
export async function* playStep(model: LanguageModelV3, step: SdkStep): AsyncGenerator<StepPart> {
  const { options, server } = step;
  const reader = new PartReader(step);
  try {
    const { stream } = await model.doStream({ ...options, includeRawChunks: true });
    for await (const part of readStream(stream)) yield* reader.read(part);
  } catch (error) {
    throw mapSdkError(error, server, options.abortSignal);
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

/** What of a raw event the library has no part for. */
const rawSchema = z.object({
  type: z.string().optional(),
  choices: z.array(z.object({ delta: z.object({ refusal: z.string().nullish() }).optional() })).optional(),
});

class PartReader {
  private readonly thinking = new Map<string, Thinking>();
  private refusal = '';

  constructor(private readonly step: SdkStep) {}

  /** @throws ProviderError for an error inside the stream, a refusal, and an end without a reason */
  read(part: LanguageModelV3StreamPart): readonly StepPart[] {
    switch (part.type) {
      case 'raw':
        return this.readRaw(part.rawValue);
      case 'text-delta':
        return [{ type: 'text', text: part.delta }];
      case 'reasoning-start':
      case 'reasoning-delta':
        return this.think(part.id, part.type === 'reasoning-delta' ? part.delta : '', part.providerMetadata);
      case 'reasoning-end':
        return this.endThinking(part.id);
      case 'tool-input-start':
        return [{ type: 'call-started', callId: part.id, tool: part.toolName }];
      case 'tool-call':
        return [
          { type: 'call', callId: part.toolCallId, tool: part.toolName, ...parseArguments(part.input) },
        ];
      case 'error':
        throw part.error;
      case 'finish':
        return [this.finish(part)];
      default:
        return [];
    }
  }

  private readRaw(value: unknown): readonly StepPart[] {
    const raw = rawSchema.safeParse(value);
    this.refusal += raw.data?.choices?.[0]?.delta?.refusal ?? '';
    return [{ type: 'alive', idle: raw.data?.type === 'ping' }];
  }

  private think(
    id: string,
    text: string,
    metadata: Extract<LanguageModelV3StreamPart, { type: 'reasoning-delta' }>['providerMetadata'],
  ): readonly StepPart[] {
    const { signature, redactedData } = metadata?.anthropic ?? {};
    const old = this.thinking.get(id) ?? { text: '', signature: null, redacted: null };
    this.thinking.set(id, {
      text: old.text + text,
      signature: typeof signature === 'string' ? signature : old.signature,
      redacted: typeof redactedData === 'string' ? redactedData : old.redacted,
    });
    return text === '' ? [] : [{ type: 'reasoning', text }];
  }

  /** A block without a signature is for people only: no server takes it back. */
  private endThinking(id: string): readonly StepPart[] {
    const block = this.thinking.get(id);
    const whole = block !== undefined && (block.signature !== null || block.redacted !== null);
    return whole ? [{ type: 'thinking', block }] : [];
  }

  private finish(part: Extract<LanguageModelV3StreamPart, { type: 'finish' }>): StepPart {
    const { unified, raw } = part.finishReason;
    if (unified === 'content-filter' || this.refusal !== '')
      throw refusedError(this.step.server, this.refusal);
    // Also a stream that just stops ends in a part of this type, with no reason of the server's in it.
    if (raw === undefined) throw cutError(this.step.server);
    const reason = unified === 'tool-calls' ? 'tools' : unified === 'length' ? 'length' : 'stop';
    return { type: 'finish', reason, usage: usageOf(part.usage, this.step.price) };
  }
}

function usageOf({ inputTokens, outputTokens }: LanguageModelV3Usage, price: Price | null): Usage {
  const usage = {
    inputTokens: inputTokens.total ?? 0,
    outputTokens: outputTokens.total ?? 0,
    ...(inputTokens.cacheRead ? { cacheReadTokens: inputTokens.cacheRead } : {}),
    ...(inputTokens.cacheWrite ? { cacheWriteTokens: inputTokens.cacheWrite } : {}),
  };
  return { ...usage, cost: costOf(usage, price) };
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
