// Anthropic's own protocol: thinking that goes back signed, and a cache that has to be marked.
import type { LanguageModelV3, LanguageModelV3Prompt, SharedV3ProviderOptions } from '@ai-sdk/provider';
import type { Thinking } from '../../shared/domain';
import { factsOf } from './model-facts';
import type { ModelMessage, Provider } from './provider';
import { playStep, toolsOf } from './sdk';
import { promptOf } from './sdk-prompt';
import type { ModelServer } from './server';

const BUDGET_TOKENS = 8000;
/** The longest answer asked for; models have to be told one. */
const ANSWER_TOKENS = 32_000;
/** For a model that nobody knows: small enough for most. */
const UNKNOWN_ANSWER_TOKENS = 8192;

const CACHED: SharedV3ProviderOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } };

/** The library is loaded with the first step. */
export function openAnthropic(options: ModelServer): Provider {
  let model: Promise<LanguageModelV3> | null = null;
  const load = async (): Promise<LanguageModelV3> => {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return createAnthropic({
      name: options.id,
      baseURL: options.baseUrl,
      headers: { ...options.headers },
      apiKey: options.key ?? '',
      ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
    }).languageModel(options.model);
  };
  const { price, outputTokens } = factsOf(options.model);
  return {
    id: options.id,
    model: options.model,
    contextSize: options.contextSize,
    async *step(request) {
      model ??= load();
      const thinking = thinkingFor(options.model, request.messages);
      yield* playStep(await model, {
        options: {
          prompt: cacheMarked(promptOf(request, thinkingOptions)),
          tools: toolsOf(request.tools).map((t, i, all) =>
            i === all.length - 1 ? { ...t, providerOptions: CACHED } : t,
          ),
          maxOutputTokens: Math.min(outputTokens ?? UNKNOWN_ANSWER_TOKENS, ANSWER_TOKENS),
          abortSignal: request.signal,
          ...(thinking === null ? {} : { providerOptions: { anthropic: { thinking } } }),
        },
        server: options.name,
        price,
      });
    },
  };
}

const thinkingOptions = ({ signature, redacted }: Thinking): SharedV3ProviderOptions => ({
  anthropic: redacted === null ? { signature } : { redactedData: redacted },
});

/** Older models think within a budget, newer ones as much as they find right; other makers' models not by this. */
function thinkingFor(model: string, messages: readonly ModelMessage[]) {
  if (!model.startsWith('claude-') || /^claude-(instant|2|3-(?!7))/.test(model)) return null;
  if (!/^claude-(3-7|(opus|sonnet|haiku)-4(-[0-5](?!\d)|-20|$))/.test(model))
    return { type: 'adaptive' as const, display: 'summarized' as const };
  // With a budget an answer whose calls are being worked on has to begin with its thinking, which another model has
  // not left behind. Such a step is made without.
  const last = messages.findLast((m) => m.role === 'assistant');
  const unthought = last !== undefined && last.calls.length > 0 && last.thinking.length === 0;
  return unthought ? null : { type: 'enabled' as const, budgetTokens: BUDGET_TOKENS };
}

/** Marks the instructions and the two newest messages of the user's side: the next request finds the older one. */
function cacheMarked(prompt: LanguageModelV3Prompt): LanguageModelV3Prompt {
  const ours = prompt.flatMap((m, index) => (m.role === 'user' || m.role === 'tool' ? [index] : []));
  const marked = new Set([0, ...ours.slice(-2)]);
  return prompt.map((m, index) => (marked.has(index) ? { ...m, providerOptions: CACHED } : m));
}
