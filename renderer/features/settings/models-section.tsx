import { type RefObject, useEffect, useId, useRef, useState } from 'react';
import type { ProviderInfo } from '../../../shared/ipc';
import type { Settings } from '../../../shared/settings';
import { call } from '../../bridge';
import { Button } from '../../components/button';
import { loadProviders, saveSettings, useSettings } from '../../store/settings';
import { attempt } from '../../store/toast';
import { useWorkspace } from '../../store/workspace';
import styles from './settings.module.css';
import { TextSetting } from './text-setting';

export function ModelsSection() {
  const settings = useSettings((s) => s.settings);
  const providers = useSettings((s) => s.providers);
  const fixedBy = useSettings((s) => s.model?.fixedBy ?? null);
  const id = useId();
  if (settings === null) return null;
  const provider = providers.find((p) => p.id === settings.provider.id);
  const choose = (next: string) => {
    const chosen = providers.find((p) => p.id === next);
    // Another provider has other models and another address.
    if (chosen !== undefined) void saveSettings({ provider: { id: chosen.id, model: null, baseUrl: null } });
  };
  return (
    <>
      <div className={styles.row}>
        <label htmlFor={id} className={styles.label}>
          Provider
        </label>
        <div className={styles.line}>
          <select
            id={id}
            className={styles.select}
            value={settings.provider.id}
            onChange={(e) => choose(e.target.value)}
          >
            {providers.map((p) => (
              <option key={p.id} value={p.id}>
                {p.name}
              </option>
            ))}
          </select>
        </div>
        {fixedBy === null ? null : (
          <p className={styles.help}>
            For this start {fixedBy} decides; what is chosen here counts from the next one.
          </p>
        )}
        {settings.provider.id === 'practice' ? (
          <p className={styles.help}>
            No AI model: it obeys plain instructions such as “create notes.txt with "hello"”. It needs no key
            and no network.
          </p>
        ) : null}
      </div>
      {provider === undefined || provider.id === 'practice' ? null : (
        <ProviderFields key={provider.id} provider={provider} settings={settings} />
      )}
    </>
  );
}

type FieldsProps = { readonly provider: ProviderInfo; readonly settings: Settings };

function ProviderFields({ provider, settings }: FieldsProps) {
  const [found, setFound] = useState<readonly string[]>([]);
  const models = found;
  // A field that is left is saved, and a click on Check is what leaves it: the check waits for that.
  const saving = useRef<Promise<unknown>>(Promise.resolve());
  const saveTyped = useRef<SaveTyped>(nothingTyped);
  const save = (part: Partial<Settings['provider']>) => {
    saving.current = Promise.all([saving.current, saveSettings({ provider: part })]);
  };
  return (
    <>
      <TextSetting
        label="Model"
        value={settings.provider.model ?? ''}
        placeholder={models[0] ?? 'The name that the server uses'}
        suggestions={models}
        onSave={(model) => save({ model: model === '' ? null : model })}
      />
      <TextSetting
        label="Base URL"
        help={
          provider.needsBaseUrl ? 'The address of the server, up to /v1.' : 'Only for a server of your own.'
        }
        value={settings.provider.baseUrl ?? ''}
        placeholder={provider.needsBaseUrl ? 'http://localhost:1234/v1' : ''}
        onSave={(baseUrl) => save({ baseUrl: baseUrl === '' ? null : baseUrl })}
      />
      {provider.id === 'ollama' ? null : <KeyField provider={provider} saveTyped={saveTyped} />}
      <Check
        provider={provider}
        onModels={(found) => {
          setFound(found);
          // One that is there is better than none.
          if (provider.id === 'ollama' && settings.provider.model === null && found[0] !== undefined)
            save({ model: found[0] });
        }}
        before={async () => {
          await saving.current;
          return saveTyped.current();
        }}
      />
    </>
  );
}

/** Saves a key that is typed and not saved yet. @returns false when it could not be saved */
type SaveTyped = () => Promise<boolean>;
const nothingTyped: SaveTyped = async () => true;
type KeyFieldProps = { readonly provider: ProviderInfo; readonly saveTyped: RefObject<SaveTyped> };

function KeyField({ provider, saveTyped }: KeyFieldProps) {
  const keyStore = useWorkspace((s) => s.app?.keyStore ?? true);
  const [key, setKey] = useState('');
  const id = useId();
  const save = async (next: string) => {
    const saved = await attempt('providers.set-key', { provider: provider.id, key: next });
    if (saved === null) return false;
    setKey('');
    await loadProviders();
    return true;
  };
  useEffect(() => {
    saveTyped.current = key.trim() === '' ? nothingTyped : () => save(key);
  });
  const state = {
    store: "A key is saved, encrypted by the system's key store. It is never shown again.",
    variable: 'A key comes from an environment variable.',
    none: `${provider.needsKey ? 'No key yet.' : 'No key; only some servers want one.'}${keyStore ? " It will be saved by the system's key store and never shown again." : ''}`,
  }[provider.keyFrom];
  return (
    <form
      className={styles.row}
      onSubmit={(e) => {
        e.preventDefault();
        void save(key);
      }}
    >
      <label htmlFor={id} className={styles.label}>
        API key
      </label>
      <p className={styles.help}>
        {keyStore
          ? state
          : `${state} This system has no key store, so a key cannot be saved; use an environment variable.`}
      </p>
      <div className={styles.line}>
        <input
          id={id}
          type="password"
          autoComplete="off"
          className={styles.input}
          value={key}
          disabled={!keyStore}
          placeholder={provider.hasKey ? 'Type a new key to replace it' : ''}
          onChange={(e) => setKey(e.target.value)}
        />
        <Button type="submit" disabled={!keyStore || key.trim() === ''}>
          Save Key
        </Button>
        {provider.keyFrom === 'store' ? (
          <Button look="quiet" onClick={() => void save('')}>
            Remove Key
          </Button>
        ) : null}
      </div>
    </form>
  );
}

type CheckState = { readonly ok: boolean; readonly message: string } | 'checking' | null;
type CheckProps = {
  readonly provider: ProviderInfo;
  readonly onModels: (models: readonly string[]) => void;
  /** saves what stands in the fields; false: it could not */
  readonly before: () => Promise<boolean>;
};

function Check({ provider, onModels, before }: CheckProps) {
  const [state, setState] = useState<CheckState>(null);
  const shown = useRef(onModels);
  shown.current = onModels;
  // What runs on this machine is found without being asked for.
  useEffect(() => {
    if (provider.id !== 'ollama') return;
    let gone = false;
    void call('providers.check', { provider: provider.id }).then((result) => {
      if (gone || !result.ok) return;
      shown.current(result.value.models);
      setState(result.value);
    });
    return () => {
      gone = true;
    };
  }, [provider.id]);
  const check = async () => {
    setState('checking');
    if (!(await before())) return setState(null);
    const result = await call('providers.check', { provider: provider.id });
    if (result.ok) onModels(result.value.models);
    setState(result.ok ? result.value : { ok: false, message: result.error.message });
  };
  return (
    <div className={styles.result}>
      <Button disabled={state === 'checking'} onClick={() => void check()}>
        Check
      </Button>
      <span
        role="status"
        className={state === null || state === 'checking' ? '' : state.ok ? styles.good : styles.bad}
      >
        {state === 'checking' ? 'Asking the server…' : (state?.message ?? '')}
      </span>
    </div>
  );
}
