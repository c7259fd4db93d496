// The first screen: three ways to begin, and the folders that were open before.
import { X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { IconButton } from '../../components/button';
import { focusComposer, openSettings, useUi } from '../../store/ui';
import { forgetRecent, openFolder, useWorkspace } from '../../store/workspace';
import styles from './welcome.module.css';

export function Welcome() {
  const app = useWorkspace((s) => s.app);
  const opening = useWorkspace((s) => s.opening);
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus(), []);
  const command = app?.platform === 'darwin' ? '⌘' : 'Ctrl ';
  return (
    <main className={styles.screen}>
      <div className={styles.page}>
        <div className={styles.tide}>
          <h1 className={styles.title}>Tidemark</h1>
        </div>
        <p className={styles.claim}>A coding agent that can always be taken back.</p>
        <div className={styles.columns}>
          <div className={styles.ways}>
            <Way
              ref={first}
              main
              name="Try the sample project"
              text="No key, no network. See a change, compare it, take it back."
              keys="⏎"
              disabled={opening}
              onClick={() => void openFolder({ by: 'sample' })}
            />
            <Way
              name="Open a folder…"
              text="Or drop one here"
              keys={`${command}O`}
              disabled={opening}
              onClick={() => void openFolder({ by: 'choose' })}
            />
            <Way
              name="Connect a model"
              text="OpenAI, or any server that speaks its protocol"
              onClick={() => openSettings('models')}
            />
          </div>
          <Recents />
        </div>
        <p className={styles.note}>
          Before and after everything the agent does, a checkpoint is saved in a private store on this
          machine. Your own git repository is never touched.
        </p>
        <button
          type="button"
          className={styles.without}
          onClick={() => {
            useUi.setState({ withoutFolder: true });
            focusComposer();
          }}
        >
          Go on without a folder
        </button>
      </div>
    </main>
  );
}

type WayProps = {
  readonly name: string;
  readonly text: string;
  readonly keys?: string;
  readonly main?: boolean;
  readonly disabled?: boolean;
  readonly onClick: () => void;
  readonly ref?: React.Ref<HTMLButtonElement>;
};

function Way({ name, text, keys, main = false, disabled = false, onClick, ref }: WayProps) {
  return (
    <button
      ref={ref}
      type="button"
      aria-label={name}
      className={main ? `${styles.way} ${styles.main}` : styles.way}
      disabled={disabled}
      onClick={onClick}
    >
      <span className={styles.words}>
        <b>{name}</b>
        <small>{text}</small>
      </span>
      {keys === undefined ? null : <kbd className={styles.keys}>{keys}</kbd>}
    </button>
  );
}

function Recents() {
  const recents = useWorkspace((s) => s.app?.recents ?? NONE);
  if (recents.length === 0) return <div />;
  return (
    <section aria-labelledby="recent-title">
      <h2 id="recent-title" className={styles.recentTitle}>
        Recent
      </h2>
      <ul>
        {recents.map((r) => (
          <li key={r.key} className={styles.recent}>
            {r.gone ? (
              <>
                <span className={styles.gone}>{r.name} (folder is gone)</span>
                <IconButton label={`Forget ${r.name}`} onClick={() => void forgetRecent(r.key)}>
                  <X size={13} />
                </IconButton>
              </>
            ) : (
              <button
                type="button"
                className={styles.recentButton}
                onClick={() => void openFolder({ by: 'paths', paths: r.paths })}
              >
                <span className={styles.recentName}>{r.name}</span>
                <span className={styles.parent}>{r.parent}</span>
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

const NONE: NonNullable<ReturnType<typeof useWorkspace.getState>['app']>['recents'] = [];
