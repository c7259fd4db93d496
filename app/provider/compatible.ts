// Servers that speak OpenAI's chat completions.
import type { LanguageModelV3 } from '@ai-sdk/provider';
import { factsOf } from './model-facts';
import type { Provider } from './provider';
import { playStep, toolsOf } from './sdk';
import { promptOf } from './sdk-prompt';
import type { ModelServer } from './server';

/** The library is loaded with the first step. */
export function openCompatible(options: ModelServer): Provider {
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
  const { price } = factsOf(options.model);
  return {
    id: options.id,
    model: options.model,
    contextSize: options.contextSize,
    async *step(request) {
      model ??= load();
      yield* playStep(await model, {
        options: {
          prompt: promptOf(request),
          tools: toolsOf(request.tools),
          abortSignal: request.signal,
        },
        server: options.name,
        // A server of one's own may have any price.
        price: options.id === 'openai' ? price : null,
      });
    },
  };
}
