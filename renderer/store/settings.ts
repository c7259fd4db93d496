// The settings as the main process keeps them, and the providers to choose from.
import { create } from 'zustand';
import type { ProviderInfo } from '../../shared/ipc';
import type { Settings, SettingsPatch } from '../../shared/settings';
import { attempt } from './toast';

type SettingsState = { readonly settings: Settings | null; readonly providers: readonly ProviderInfo[] };
export const useSettings = create<SettingsState>()(() => ({ settings: null, providers: [] }));

export async function loadSettings(): Promise<void> {
  const [settings] = await Promise.all([attempt('settings.get', {}), loadProviders()]);
  if (settings !== null) takeSettings(settings);
}

export async function loadProviders(): Promise<void> {
  const listed = await attempt('providers.list', {});
  if (listed !== null) useSettings.setState({ providers: listed.providers });
}

export const takeSettings = (settings: Settings): void => useSettings.setState({ settings });

/** Changes only what is given. What the main process made of it is what shows. */
export async function saveSettings(patch: SettingsPatch): Promise<void> {
  const saved = await attempt('settings.set', { patch });
  if (saved !== null) takeSettings(saved);
}
