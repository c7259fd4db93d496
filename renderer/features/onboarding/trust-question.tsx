// A folder that is opened for the first time is asked about once; nothing in it runs before.
import { Button } from '../../components/button';
import { Dialog } from '../../components/dialog';
import { openFolder, trustFolder, useWorkspace } from '../../store/workspace';
import styles from './trust-question.module.css';

export function TrustQuestion() {
  const info = useWorkspace((s) => s.info);
  const opening = useWorkspace((s) => s.opening);
  if (info === null || info.path === null || info.trusted) return null;
  const several = info.roots.length > 1;
  return (
    <Dialog
      open
      closable={false}
      title={`Do you trust the files in ${info.name}?`}
      description={`The agent reads instructions in ${several ? 'these folders' : 'this folder'} and may run ${several ? 'their' : 'its'} commands, such as tests. Nothing in ${several ? 'them' : 'it'} runs before you say so.`}
      onClose={() => undefined}
    >
      {info.roots.map((r) => (
        <p key={r.path} className={styles.path}>
          <code>{r.path}</code>
        </p>
      ))}
      <footer className={styles.foot}>
        <Button disabled={opening} onClick={() => void openFolder({ by: 'choose' })}>
          Open Another Folder…
        </Button>
        <Button look="primary" disabled={opening} onClick={() => void trustFolder()}>
          {several ? 'Trust These Folders' : 'Trust This Folder'}
        </Button>
      </footer>
    </Dialog>
  );
}
