// A folder that is opened for the first time is asked about once; nothing in it runs before.
import { Button } from '../../components/button';
import { Dialog } from '../../components/dialog';
import { openFolder, trustFolder, useWorkspace } from '../../store/workspace';
import styles from './trust-question.module.css';

export function TrustQuestion() {
  const info = useWorkspace((s) => s.info);
  const opening = useWorkspace((s) => s.opening);
  if (info === null || info.path === null || info.trusted) return null;
  return (
    <Dialog
      open
      closable={false}
      title={`Do you trust the files in ${info.name}?`}
      description="The agent reads instructions in this folder and may run its commands, such as tests. Nothing in it runs before you say so."
      onClose={() => undefined}
    >
      <p className={styles.path}>
        <code>{info.path}</code>
      </p>
      <footer className={styles.foot}>
        <Button disabled={opening} onClick={() => void openFolder({ by: 'choose' })}>
          Open Another Folder…
        </Button>
        <Button look="primary" disabled={opening} onClick={() => void trustFolder()}>
          Trust This Folder
        </Button>
      </footer>
    </Dialog>
  );
}
