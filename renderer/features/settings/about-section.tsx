import { useWorkspace } from '../../store/workspace';
import styles from './settings.module.css';

export function AboutSection() {
  const app = useWorkspace((s) => s.app);
  if (app === null) return null;
  return (
    <>
      <dl className={styles.facts}>
        <dt>Version</dt>
        <dd>Tidemark {app.version}</dd>
        <dt>Electron</dt>
        <dd>{app.electron}</dd>
        <dt>Your data</dt>
        <dd>
          <code>{app.home}</code>
        </dd>
      </dl>
      <p className={styles.help}>
        No telemetry. Tasks, checkpoints and settings stay in this folder on this machine; only what you send
        to a model leaves it.
      </p>
    </>
  );
}
