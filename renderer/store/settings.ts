// The settings as the main process keeps them, and the providers to choose from.
import { create } from 'zustand';
import type { Output, ProviderInfo } from '../../shared/ipc';
import type { Settings, SettingsPatch } from '../../shared/settings';
import { call } from '../bridge';
import { useTask } from './task';
import { attempt } from './toast';

type SettingsState = {
  readonly settings: Settings | null;
  readonly providers: readonly ProviderInfo[];
  /** what the next run of the task on screen would use */
  readonly model: Output<'providers.current'> | null;
};
export const useSettings = create<SettingsState>()(() => ({ settings: null, providers: [], model: null }));

export async function loadSettings(): Promise<void> {
  const [settings] = await Promise.all([attempt('settings.get', {}), loadProviders()]);
  if (settings !== null) takeSettings(settings);
}

export async function loadProviders(): Promise<void> {
  const listed = await attempt('providers.list', {});
  if (listed !== null) useSettings.setState({ providers: listed.providers });
}

export function takeSettings(settings: Settings): void {
  useSettings.setState({ settings });
  void loadModel();
}

/** A task keeps its model, and a variable beats the settings: only the main process knows which it is. */
export async function loadModel(): Promise<void> {
  const { taskId } = useTask.getState();
  const result = await call('providers.current', { taskId });
  if (useTask.getState().taskId === taskId) useSettings.setState({ model: result.ok ? result.value : null });
}

/** Changes only what is given. What the main process made of it is what shows. */
export async function saveSettings(patch: SettingsPatch): Promise<void> {
  const saved = await attempt('settings.set', { patch });
  if (saved !== null) takeSettings(saved);
}
