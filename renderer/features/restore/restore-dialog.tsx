// The question before a restore: the dry run's list, what is at stake, and one button.
import { LoaderCircle } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../components/button';
import { Dialog } from '../../components/dialog';
import { ErrorText, Notice } from '../../components/notice';
import {
  applyRestore,
  cancelRestore,
  type RestoreFlow,
  retryRestore,
  retryWithout,
  useRestore,
} from '../../store/restore';
import { useTask } from '../../store/task';
import { Conflicts } from './conflicts';
import { NotCovered, PlannedFiles } from './plan-list';
import { handEditWords, planText, planTitle, progressWords } from './plan-words';
import styles from './restore-dialog.module.css';

export function RestoreDialog() {
  const flow = useRestore((s) => s.flow);
  return (
    <>
      {flow?.dialog === true ? <Question flow={flow} /> : null}
      {flow?.dialog === false ? <Progress flow={flow} /> : null}
    </>
  );
}

function Question({ flow }: { readonly flow: RestoreFlow }) {
  const running = useTask((s) => s.view.running !== null);
  const { request, preview, working, error } = flow;
  const confirm = useRef<HTMLButtonElement>(null);
  const open = preview !== null && preview.conflicts.length > 0;
  const ready = preview !== null && working === null && error === null && !open;
  const waits = (ready && flow.conflicts.length === 0) || (error !== null && working === null);
  useEffect(() => {
    if (waits) confirm.current?.focus();
  }, [waits]);
  return (
    <Dialog
      open
      title={flow.partly ? 'The task was restored, the files were not' : planTitle(request)}
      description={flow.partly ? 'The files are as they were before.' : planText(request, preview)}
      closable={working !== 'applying'}
      broad={flow.conflicts.length > 0}
      onClose={cancelRestore}
    >
      <div className={styles.body}>
        {flow.stale ? <Notice>Files changed in the meantime, so this is a new list.</Notice> : null}
        {preview === null && working === 'planning' ? (
          <p className={styles.looking}>Looking at the files…</p>
        ) : null}
        {preview === null || flow.partly ? null : (
          <>
            {request.scope === 'task' || (preview.files.length === 0 && flow.conflicts.length > 0) ? null : (
              <PlannedFiles files={preview.files} />
            )}
            {preview.handEdits.length === 0 ? null : <Notice>{handEditWords(preview.handEdits)}</Notice>}
            <Conflicts flow={flow} />
            <NotCovered left={preview.notCovered} />
          </>
        )}
        {error === null ? null : (
          <Notice tone="error">
            <ErrorText error={error} />
          </Notice>
        )}
      </div>
      {flow.partly ? null : (
        <p className={styles.fine}>
          {running ? 'The running agent is stopped first. ' : ''}A redo point is saved first, so this can be
          undone.
          {request.scope === 'task' ? '' : ' Text not yet saved in other programs is not seen.'}
        </p>
      )}
      {flow.working === 'applying' ? <FilesDone flow={flow} /> : null}
      <footer className={styles.foot}>
        <Button onClick={cancelRestore} disabled={working === 'applying'}>
          {flow.partly ? 'Close' : 'Cancel'}
        </Button>
        {error === null ? (
          <Button ref={confirm} look="primary" disabled={!ready} onClick={() => void applyRestore()}>
            {working === 'applying' ? (
              <>
                <LoaderCircle size={13} className={styles.spin} aria-hidden /> Restoring…
              </>
            ) : (
              'Restore'
            )}
          </Button>
        ) : (
          <>
            {error.code === 'restore-failed' && (error.paths ?? []).length > 0 ? (
              <Button disabled={working !== null} onClick={retryWithout}>
                Retry without these files
              </Button>
            ) : null}
            <Button ref={confirm} look="primary" disabled={working !== null} onClick={retryRestore}>
              Retry
            </Button>
          </>
        )}
      </footer>
    </Dialog>
  );
}

/** How far it is, once there is enough of it to be counted. */
function FilesDone({ flow }: { readonly flow: RestoreFlow }) {
  const { progress } = flow;
  if (progress === null) return null;
  const words = progressWords(progress);
  return (
    <div className={styles.done}>
      <progress value={progress.done} max={progress.total} aria-label={words} />
      <span>{words}</span>
    </div>
  );
}

const PATIENCE_MS = 400;

/** Says that a restore goes on, but only when it takes long enough to wonder. */
function Progress({ flow }: { readonly flow: RestoreFlow }) {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  return shown ? (
    <p role="status" className={styles.progress}>
      <LoaderCircle size={13} className={styles.spin} aria-hidden />
      {flow.progress === null ? 'Restoring…' : progressWords(flow.progress)}
    </p>
  ) : null;
}
