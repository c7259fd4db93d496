import { Button } from '../../components/button';
import { ErrorText, Notice } from '../../components/notice';
import { reloadTask, useTask } from '../../store/task';
import styles from './chat.module.css';
import { Feed } from './feed';
import type { RestoreSlot } from './marker';
import { NewTask } from './new-task';

/** The conversation, or what stands in its place. */
export function Chat({ restore }: { readonly restore: RestoreSlot }) {
  const taskId = useTask((s) => s.taskId);
  const error = useTask((s) => s.error);
  const empty = useTask((s) => s.view.rows.length === 0);
  const loading = useTask((s) => s.loading);
  if (error !== null)
    return (
      <div className={styles.error}>
        <Notice tone="error" actions={<Button onClick={reloadTask}>Retry</Button>}>
          <ErrorText error={error} />
        </Notice>
      </div>
    );
  if (empty) return loading ? <div className={styles.error} /> : <NewTask />;
  return <Feed key={taskId ?? 'new'} restore={restore} />;
}
