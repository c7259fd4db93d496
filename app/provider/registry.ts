// The providers that this build has, and how one is opened.
// Owns: their descriptions, what each needs. Does not own: which one a run uses, keys.

import { TidemarkError } from '../../shared/errors';
import type { ProviderId } from '../../shared/settings';
import { openAnthropic } from './anthropic';
import { openCompatible } from './compatible';
import { openContextSizes } from './context-size';
import { listModelsOf, type ModelInfo } from './models';
import { listOllama, OLLAMA_URL, ollamaContext, openOllama } from './ollama';
import { openPractice, PRACTICE_MODEL } from './practice';
import { type Provider, ProviderError } from './provider';
import type { ModelServer, Server } from './server';

export type ProviderDescription = {
  readonly id: ProviderId;
  /** as on screen */
  readonly name: string;
  readonly needsKey: boolean;
  readonly needsBaseUrl: boolean;
};

export type ProviderChoice = {
  readonly id: string;
  readonly model: string | null;
  readonly baseUrl: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly key: string | null | undefined;
  readonly contextTokens: number | null;
  /** for tests and proxies; default: the global one */
  readonly fetch?: typeof fetch;
};

/** Where a provider is when nothing else is said. */
const ADDRESSES: Readonly<Record<string, string>> = {
  anthropic: 'https://api.anthropic.com/v1',
  openai: 'https://api.openai.com/v1',
  ollama: OLLAMA_URL,
};
const VARIABLES: Readonly<Record<string, string>> = { anthropic: 'ANTHROPIC', openai: 'OPENAI' };

const PROVIDERS: readonly ProviderDescription[] = [
  { id: 'anthropic', name: 'Anthropic', needsKey: true, needsBaseUrl: false },
  { id: 'openai', name: 'OpenAI', needsKey: true, needsBaseUrl: false },
  { id: 'openai-compatible', name: 'OpenAI-compatible server', needsKey: false, needsBaseUrl: true },
  { id: 'ollama', name: 'Ollama (on this machine)', needsKey: false, needsBaseUrl: false },
  { id: 'practice', name: 'Practice (no AI)', needsKey: false, needsBaseUrl: false },
];

export const availableProviders = (): readonly ProviderDescription[] => PROVIDERS;

/** @throws TidemarkError provider-unknown, with the list */
export function describeProvider(id: string): ProviderDescription {
  const found = PROVIDERS.find((p) => p.id === id);
  if (found !== undefined) return found;
  const ids = PROVIDERS.map((p) => p.id).join(', ');
  throw new TidemarkError('provider-unknown', `There is no provider "${id}". These are available: ${ids}.`);
}

/** Opens nothing on the network. @throws TidemarkError provider-unknown, key-missing, usage (base URL or model missing) */
export function openProvider(choice: ProviderChoice): Provider {
  const { id } = describeProvider(choice.id);
  if (id === 'practice') return openPractice();
  const server = serverOf(choice);
  if (choice.model === null || choice.model === '')
    throw new TidemarkError('usage', `No model is chosen for ${server.name}.`, {
      hint: 'Choose one in Settings, Models, or give --model.',
    });
  const { model } = choice;
  const sizes = openContextSizes({
    model,
    baseUrl: server.baseUrl,
    setting: choice.contextTokens,
    ask: (signal) => askContext(id, server, model, signal),
  });
  return correcting(OPENERS[id]({ id, model, contextSize: sizes.get, ...server }), sizes.correct);
}

const OPENERS: Readonly<Record<Exclude<ProviderId, 'practice'>, (server: ModelServer) => Provider>> = {
  anthropic: openAnthropic,
  openai: openCompatible,
  'openai-compatible': openCompatible,
  ollama: openOllama,
};

async function askContext(
  id: ProviderId,
  server: Server,
  model: string,
  signal: AbortSignal,
): Promise<number | null> {
  if (id === 'ollama') return ollamaContext(server, model, signal);
  const models = await listOf(id, server, signal);
  return models.find((m) => m.id === model)?.contextTokens ?? null;
}

/** What a server says of its limit when it refuses a conversation is remembered. */
function correcting(provider: Provider, correct: (tokens: number) => void): Provider {
  return {
    ...provider,
    async *step(request) {
      try {
        yield* provider.step(request);
      } catch (error) {
        if (error instanceof ProviderError && error.limitTokens !== null) correct(error.limitTokens);
        throw error;
      }
    },
  };
}

/** The models that the server lists. @throws ProviderError key-wrong, provider-unreachable, provider-failed */
export async function listModels(choice: ProviderChoice, signal: AbortSignal): Promise<readonly ModelInfo[]> {
  if (describeProvider(choice.id).id === 'practice') return [{ id: PRACTICE_MODEL, contextTokens: null }];
  return listOf(describeProvider(choice.id).id, serverOf(choice), signal);
}

const listOf = (id: ProviderId, server: Server, signal: AbortSignal): Promise<readonly ModelInfo[]> =>
  id === 'ollama'
    ? listOllama(server, signal)
    : listModelsOf(server, id === 'anthropic' ? 'anthropic' : 'openai', signal);

export type ProviderCheck = { readonly ok: boolean; readonly message: string };

/** Asks the server whether address, key and model are right. Never throws for a wrong one. */
export async function checkProvider(choice: ProviderChoice, signal: AbortSignal): Promise<ProviderCheck> {
  try {
    const models = await listModels(choice, signal);
    const { name } = describeProvider(choice.id);
    if (choice.model !== null && models.length > 0 && !models.some((m) => m.id === choice.model))
      return { ok: false, message: `${name} answers, but has no model "${choice.model}".` };
    return {
      ok: true,
      message: `${name} answers${models.length === 0 ? '' : ` with ${models.length} ${models.length === 1 ? 'model' : 'models'}`}.`,
    };
  } catch (error) {
    // What the caller asked for is this message; stopping is the caller's own act.
    if (error instanceof TidemarkError && error.code !== 'cancelled')
      return { ok: false, message: error.message };
    throw error;
  }
}

function serverOf(choice: ProviderChoice): Server {
  const { id, name, needsKey } = describeProvider(choice.id);
  const baseUrl = choice.baseUrl || (ADDRESSES[id] ?? null);
  const variable = VARIABLES[id] ?? 'OPENAI';
  if (baseUrl === null) {
    throw new TidemarkError('usage', `${name} needs a base URL.`, {
      hint: `Set it in Settings, Models, or in ${variable}_BASE_URL.`,
    });
  }
  if (!URL_PATTERN.test(baseUrl))
    throw new TidemarkError(
      'usage',
      `"${baseUrl}" is no web address: it has to begin with http:// or https://.`,
    );
  const key = choice.key || null;
  if (needsKey && key === null)
    throw new TidemarkError('key-missing', `${name} needs an API key.`, {
      hint: `Set it in Settings, Models, or in ${variable}_API_KEY.`,
    });
  return { name, baseUrl: trimmed(baseUrl, id), key, headers: choice.headers, fetch: choice.fetch };
}

/** Anthropic's address is often given without the version, as its own tools want it. */
function trimmed(baseUrl: string, id: string): string {
  const bare = baseUrl.replace(/\/+$/, '');
  return id === 'anthropic' && !/\/v\d+$/.test(bare) ? `${bare}/v1` : bare;
}

const URL_PATTERN = /^https?:\/\/[^\s/]+/i;
