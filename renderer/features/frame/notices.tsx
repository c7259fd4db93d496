// Lines below the header that must be read: checkpoints that do not work here and why, and an Electron for trying out.
import { Button } from '../../components/button';
import { ErrorText, Notice } from '../../components/notice';
import { disableCheckpoints, openFolder, retryCheckpoints, useWorkspace } from '../../store/workspace';
import { noticeOf, SLOW_START } from './checkpoint-words';
import styles from './notices.module.css';

export function OldElectronBanner() {
  const old = useWorkspace((s) => s.app?.oldElectron === true);
  return old ? (
    <p role="status" className={styles.old}>
      old Electron, for trying out only
    </p>
  ) : null;
}

export function CheckpointNotice() {
  const state = useWorkspace((s) => s.info?.checkpoints);
  if (state === undefined) return null;
  const kind = noticeOf(state);
  if (kind === 'failed' && state.state === 'failed')
    return (
      <Notice
        flat
        tone="error"
        actions={
          <>
            <Button onClick={() => void retryCheckpoints()}>Retry Checkpoints</Button>
            <Button look="quiet" onClick={() => void disableCheckpoints()}>
              Disable Checkpoints
            </Button>
          </>
        }
      >
        <ErrorText error={state.error as Parameters<typeof ErrorText>[0]['error']} />
      </Notice>
    );
  if (kind === 'slow')
    return (
      <Notice
        flat
        actions={
          <Button look="quiet" onClick={() => void disableCheckpoints()}>
            Disable Checkpoints
          </Button>
        }
      >
        {SLOW_START}
      </Notice>
    );
  if (kind === null || state.state !== 'off') return null;
  return (
    <Notice flat actions={<Button onClick={() => void openFolder({ by: 'choose' })}>Open folder</Button>}>
      {state.message}
    </Notice>
  );
}
