// Which provider and model a run uses: flag, variable, the task's last, settings; then Practice in the app (SPEC 12).
import { TidemarkError } from '../shared/errors';
import type { TaskView } from '../shared/fold';
import type { Provider } from './provider/provider';
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

/** @throws provider-missing, provider-unknown, key-missing */
export function chooseProvider(o: ChoiceInput): ChosenProvider {
  const { provider } = o.settings.get();
  const last = o.task?.runs.at(-1);
  const fromSettings = o.settings.hasExplicit(['provider', 'id']) ? provider.id : undefined;
  const id =
    o.flags.provider ??
    (o.env.TIDEMARK_PROVIDER || undefined) ??
    last?.provider ??
    fromSettings ??
    (o.practiceByDefault ? 'practice' : undefined);
  if (id === undefined) {
    throw new TidemarkError('provider-missing', 'No provider is chosen.', {
      hint: `Give --provider or set TIDEMARK_PROVIDER: ${availableProviders()
        .map((p) => p.id)
        .join(', ')}.`,
    });
  }
  const lastModel = last !== undefined && last.provider === id ? last.model : undefined;
  const settingsModel = provider.id === id ? (provider.model ?? undefined) : undefined;
  const model = o.flags.model ?? (o.env.TIDEMARK_MODEL || undefined) ?? lastModel ?? settingsModel ?? null;
  return openProvider({ ...providerSettings(id, o), model });
}

/** Everything about a provider but the choice of it: what settings, variables and key store say. */
export function providerSettings(
  id: string,
  o: Pick<ChoiceInput, 'settings' | 'secrets' | 'env'>,
): Parameters<typeof openProvider>[0] {
  const { provider } = o.settings.get();
  const mine = provider.id === id;
  return {
    id,
    model: mine ? provider.model : null,
    baseUrl: baseUrlVariable(id, o.env) || (mine ? provider.baseUrl : null),
    headers: mine ? provider.headers : {},
    key: o.secrets.keyFor(id, o.env),
    contextTokens: mine ? provider.contextTokens : null,
  };
}

function baseUrlVariable(id: string, env: ChoiceInput['env']): string | undefined {
  if (id === 'openai' || id === 'openai-compatible') return env.OPENAI_BASE_URL;
  return id === 'anthropic' ? env.ANTHROPIC_BASE_URL : undefined;
}
