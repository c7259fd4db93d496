// Which provider and model a run uses: flag, variable, the task's last, settings; then Practice in the app (SPEC 12).
import { TidemarkError } from '../shared/errors';
import type { TaskView } from '../shared/fold';
import { ollamaUrl } from './provider/ollama';
import type { Provider } from './provider/provider';
import { proxyFetch } from './provider/proxy';
import { availableProviders, openProvider } from './provider/registry';
import type { Secrets } from './settings/secrets';
import type { SettingsFile } from './settings/settings-file';

export type ProviderFlags = { readonly provider?: string | undefined; readonly model?: string | undefined };

export type ChoiceInput = {
  readonly flags: ProviderFlags;
  readonly task: TaskView | null;
  readonly settings: SettingsFile;
  readonly secrets: Secrets;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly practiceByDefault: boolean;
};

export type ChosenProvider = Provider;

export type Choice = {
  readonly id: string;
  readonly model: string | null;
  /** the variable that has decided, before settings and the task's last */
  readonly fixedBy: 'TIDEMARK_PROVIDER' | 'TIDEMARK_MODEL' | null;
};

/** Which provider and model it would be, without opening it. @throws provider-missing */
export function chooseIds(o: ChoiceInput): Choice {
  const { provider } = o.settings.get();
  const last = o.task?.runs.at(-1);
  const variable = o.env.TIDEMARK_PROVIDER || undefined;
  const fromSettings = o.settings.hasExplicit(['provider', 'id']) ? provider.id : undefined;
  const id =
    o.flags.provider ??
    variable ??
    last?.provider ??
    fromSettings ??
    (o.practiceByDefault ? 'practice' : undefined);
  if (id === undefined) {
    const ids = availableProviders().map((p) => p.id);
    throw new TidemarkError('provider-missing', 'No provider is chosen.', {
      hint: `Give --provider or set TIDEMARK_PROVIDER: ${ids.join(', ')}.`,
    });
  }
  const lastModel = last !== undefined && last.provider === id ? last.model : undefined;
  const settingsModel = provider.id === id ? (provider.model ?? undefined) : undefined;
  const modelVariable = o.env.TIDEMARK_MODEL || undefined;
  return {
    id,
    model: o.flags.model ?? modelVariable ?? lastModel ?? settingsModel ?? null,
    fixedBy:
      o.flags.provider === undefined && variable !== undefined
        ? 'TIDEMARK_PROVIDER'
        : o.flags.model === undefined && modelVariable !== undefined
          ? 'TIDEMARK_MODEL'
          : null,
  };
}

/** @throws provider-missing, provider-unknown, key-missing, usage (base URL or model missing) */
export function chooseProvider(o: ChoiceInput): ChosenProvider {
  const { id, model } = chooseIds(o);
  return openProvider({ ...providerSettings(id, o), model });
}

/** Everything about a provider but the choice of it: what settings, variables and key store say. */
export function providerSettings(
  id: string,
  o: Pick<ChoiceInput, 'settings' | 'secrets' | 'env'>,
): Parameters<typeof openProvider>[0] {
  const { provider } = o.settings.get();
  const mine = provider.id === id;
  const fetch = proxyFetch(o.env);
  return {
    id,
    model: mine ? provider.model : null,
    baseUrl: baseUrlVariable(id, o.env) || (mine ? provider.baseUrl : null),
    headers: mine ? provider.headers : {},
    key: o.secrets.keyFor(id, o.env),
    contextTokens: mine ? provider.contextTokens : null,
    ...(fetch === undefined ? {} : { fetch }),
  };
}

function baseUrlVariable(id: string, env: ChoiceInput['env']): string | undefined {
  if (id === 'openai' || id === 'openai-compatible') return env.OPENAI_BASE_URL;
  if (id === 'ollama') return ollamaUrl(env.OLLAMA_HOST) ?? undefined;
  return id === 'anthropic' ? env.ANTHROPIC_BASE_URL : undefined;
}
