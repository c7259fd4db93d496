// Folders that the user trusts: nothing in any other runs or widens a permission (SPEC 9).
// Owns: the meaning of the list. Does not own: the settings file (a port), asking.
// Invariant: real paths only, and exactly: a trusted folder says nothing about the ones inside or above it.
import { realpath } from 'node:fs/promises';
import type { Settings, SettingsPatch } from '../../shared/settings';

/** Where the list is kept; app/settings has it. */
export interface TrustStore {
  set(change: (now: Settings) => SettingsPatch): Promise<unknown>;
}

/** `root` is a real path. */
export const isTrusted = (settings: Settings, root: string): boolean => settings.trusted.includes(root);

export async function trust(store: TrustStore, folder: string): Promise<void> {
  const root = await realpath(folder);
  await store.set(({ trusted }) => (trusted.includes(root) ? {} : { trusted: [...trusted, root] }));
}

export async function distrust(store: TrustStore, root: string): Promise<void> {
  await store.set(({ trusted }) => ({ trusted: trusted.filter((t) => t !== root) }));
}
