import { bytesOf } from '../../components/time';
import { countOf } from '../../store/restore-words';
import { useWorkspace } from '../../store/workspace';
import styles from './status-bar.module.css';

export function StatusBar() {
  const info = useWorkspace((s) => s.info);
  const state = info?.checkpoints;
  return (
    <footer className={styles.bar}>
      <span className={styles.folder}>{info?.path == null ? 'No folder open' : info.shown}</span>
      {state?.state === 'ready' ? (
        <>
          <span>Git {state.gitVersion}</span>
          <span className={styles.grow} />
          <span>
            Shadow store {bytesOf(state.storeBytes)} · {countOf(state.checkpoints, 'checkpoint')}
          </span>
        </>
      ) : null}
    </footer>
  );
}
