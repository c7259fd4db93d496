// The tasks of this folder: go on with one, begin a new one, delete one.
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { TaskSummary } from '../../../shared/domain';
import { Button, IconButton } from '../../components/button';
import { cx } from '../../components/class-names';
import { Dialog } from '../../components/dialog';
import { agoOf } from '../../components/time';
import { isAsking, useAsking } from '../../store/asking';
import { deleteTask, selectTask, useTask } from '../../store/task';
import { useWorkspace } from '../../store/workspace';
import styles from './task-list.module.css';

export function TaskList() {
  const tasks = useWorkspace((s) => s.tasks);
  const [deleting, setDeleting] = useState<TaskSummary | null>(null);
  if (tasks.length === 0) return <p className={styles.empty}>No tasks yet. Write a message to begin one.</p>;
  const newest = [...tasks].sort((a, b) => b.updatedAt.localeCompare(a.updatedAt));
  return (
    <>
      <ul className={styles.list} aria-label="Tasks">
        {newest.map((t) => (
          <TaskEntry key={t.id} task={t} onDelete={() => setDeleting(t)} />
        ))}
      </ul>
      {deleting === null ? null : <DeleteQuestion task={deleting} onClose={() => setDeleting(null)} />}
    </>
  );
}

function TaskEntry({ task, onDelete }: { readonly task: TaskSummary; readonly onDelete: () => void }) {
  const selected = useTask((s) => s.taskId === task.id);
  const asked = useAsking((s) => s.calls[task.id] !== undefined);
  const asks = useTask(
    (s) => s.unprotected[task.id] !== undefined || (s.view.taskId === task.id ? isAsking(s.view) : asked),
  );
  return (
    <li className={cx(styles.entry, selected && styles.selected)}>
      <button
        type="button"
        className={styles.open}
        aria-current={selected ? 'true' : undefined}
        onClick={() => selectTask(task.id)}
      >
        <span className={styles.title}>{task.title === '' ? 'Untitled task' : task.title}</span>
        <span className={styles.about}>
          {agoOf(task.updatedAt)}
          {task.state !== 'running' ? null : asks ? (
            <span className={styles.asks}>needs your answer</span>
          ) : (
            <span className={styles.running}>running</span>
          )}
          {task.state === 'interrupted' ? <span className={styles.interrupted}>interrupted</span> : null}
        </span>
      </button>
      <IconButton label={`Delete task ${task.title}`} className={styles.delete} onClick={onDelete}>
        <Trash2 size={13} />
      </IconButton>
    </li>
  );
}

function DeleteQuestion({ task, onClose }: { readonly task: TaskSummary; readonly onClose: () => void }) {
  return (
    <Dialog
      open
      title="Delete this task?"
      description={`“${task.title}”, its messages and its checkpoints are removed for good. The files in the folder stay as they are.`}
      onClose={onClose}
    >
      <footer className={styles.foot}>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          look="danger"
          onClick={() => {
            onClose();
            void deleteTask(task.id);
          }}
        >
          Delete
        </Button>
      </footer>
    </Dialog>
  );
}
