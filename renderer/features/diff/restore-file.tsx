import { useState } from 'react';
import type { Change } from '../../../shared/domain';
import { Button } from '../../components/button';
import { Dialog } from '../../components/dialog';
import { useChanges } from '../../store/changes';
import { isFolder, oldSideWords, shownPath } from './change-words';
import styles from './file-diff.module.css';
import { takeFileBack } from './take-back';

/** Takes one file back to the older side of the comparison. Lines by hand are asked about first. */
export function RestoreFile({ change }: { readonly change: Change }) {
  const [working, setWorking] = useState(false);
  const [asks, setAsks] = useState(false);
  const list = useChanges((s) => s.list);
  const taskId = useChanges((s) => s.taskId);
  if (list === null || taskId === null) return null;
  const restore = async (sure: boolean) => {
    setAsks(false);
    setWorking(true);
    setAsks((await takeFileBack(taskId, list, change, sure)) === 'asks');
    setWorking(false);
  };
  return (
    <>
      <Button
        look="quiet"
        size="sm"
        className={styles.restore}
        title={oldSideWords(list.comparison)}
        disabled={working}
        onClick={() => void restore(false)}
      >
        {isFolder(change) ? 'Restore folder' : 'Restore file'}
      </Button>
      {asks ? (
        <Dialog
          open
          title="Your edits would go too"
          description={`You have edited ${shownPath(change.path)} since the agent did. Taking it back takes your lines back too; Undo brings them back.`}
          onClose={() => setAsks(false)}
        >
          <footer className={styles.foot}>
            <Button onClick={() => setAsks(false)}>Keep Mine</Button>
            <Button look="danger" onClick={() => void restore(true)}>
              Restore File
            </Button>
          </footer>
        </Dialog>
      ) : null}
    </>
  );
}
