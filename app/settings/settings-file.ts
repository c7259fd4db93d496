// settings.json: reading, changing and watching it.
// Owns: the present settings of this process. Does not own: names and defaults (shared/settings), keys (secrets).
// Invariants: the file is read again before each write, because another process writes too; it is not written before
// something is set; unknown keys and wrong values stay in it as the user wrote them.
import { type FSWatcher, watch } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { TidemarkError } from '../../shared/errors';
import { type Settings, type SettingsPatch, settingsSchema } from '../../shared/settings';
import { isObject, type JsonObject, readJson, setAside, writeJson } from './json-file';
import { merge, type Understood, understand } from './settings-value';

export interface SettingsFile {
  get(): Settings;
  /**
   * Changes what is given and writes it. A function gets the newest settings, also those another process has just set.
   * @throws usage when a value is not allowed; settings-failed, disk-full
   */
  set(patch: SettingsPatch | ((now: Settings) => SettingsPatch)): Promise<Settings>;
  /** True when the file has a usable value there, and not just the default. */
  hasExplicit(where: readonly string[]): boolean;
  /** What the user must hear: a damaged file, values that are not used. */
  notices(): readonly string[];
  /** Whoever changed them. @returns a function that ends it */
  onChange(listener: (settings: Settings) => void): () => void;
  /** Reads the file again, for when the system could not watch it. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

/** @throws settings-failed when the file is there and cannot be read */
export async function openSettings(file: string): Promise<SettingsFile> {
  const listeners = new Set<(settings: Settings) => void>();
  let brokenNotice: string[] = [];
  let now: Understood = understand({});
  let raw: JsonObject = {};
  let work: Promise<unknown> = Promise.resolve();

  function next<T>(step: () => Promise<T>): Promise<T> {
    const done = work.then(step);
    work = done.catch(() => undefined);
    return done;
  }

  function use(content: JsonObject): void {
    const before = JSON.stringify(now.settings);
    raw = content;
    now = understand(content);
    if (JSON.stringify(now.settings) === before) return;
    for (const listener of listeners) listener(now.settings);
  }

  async function load(whenDamaged: 'keep' | 'set-aside'): Promise<void> {
    const content = await readJson(file);
    if (content !== 'damaged') return use(content ?? {});
    // Seen by the watcher it may be half written by an editor: the settings stay until it is whole.
    if (whenDamaged === 'keep') return;
    const aside = await setAside(file);
    brokenNotice = [`settings.json could not be read. It was set aside as ${aside}; defaults are used.`];
  }

  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await load('set-aside');
  const refresh = (): Promise<void> => next(() => load('keep'));
  const watcher = watchFile(file, () => void refresh().catch(() => undefined)); // unreadable now: as before

  return {
    get: () => now.settings,
    set: (change) =>
      next(async () => {
        await load('set-aside');
        const patch = typeof change === 'function' ? change(now.settings) : change;
        const checked = settingsSchema.safeParse(merge(now.clean, patch));
        if (!checked.success) {
          const issue = checked.error.issues[0];
          const where = issue?.path.map(String).join('.') ?? '';
          throw new TidemarkError('usage', `The setting ${where} was not changed: ${issue?.message ?? ''}.`);
        }
        const content = { v: 1, ...merge(raw, patch) };
        await writeJson(file, content);
        use(content);
        return now.settings;
      }),
    hasExplicit(where) {
      let value: unknown = now.clean;
      for (const key of where) value = isObject(value) ? value[key] : undefined;
      return value !== undefined;
    },
    notices: () => [...brokenNotice, ...now.notices],
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    refresh,
    async close() {
      listeners.clear();
      watcher?.close();
      await next(async () => undefined);
    },
  };
}

/** Watches the folder: a file that is replaced whole cannot be watched itself. Null where the system cannot. */
function watchFile(file: string, changed: () => void): FSWatcher | null {
  const name = path.basename(file);
  try {
    const watcher = watch(path.dirname(file), { persistent: false }, (_, which) => {
      if (which === null || which === name) changed();
    });
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return null;
  }
}
