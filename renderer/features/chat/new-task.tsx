// What a task looks like before its first message.

import { draftKey, setDraft } from '../../store/drafts';
import { useSettings } from '../../store/settings';
import { useTask } from '../../store/task';
import { focusComposer } from '../../store/ui';
import { useWorkspace } from '../../store/workspace';
import styles from './new-task.module.css';

/** @param place goes before the names of files: the folder, where there are several */
const practice = (place: string): readonly string[] => [
  `create ${place}ideas.md with "Grow beans."`,
  `replace "beans" with "peas" in ${place}ideas.md`,
  'run `ls -la`',
];

export function NewTask() {
  const provider = useSettings((s) => s.model?.id);
  const taskId = useTask((s) => s.taskId);
  const info = useWorkspace((s) => s.info);
  const [first, ...more] = info?.roots ?? [];
  const examples = practice(first === undefined || more.length === 0 ? '' : `${first.name}/`);
  const use = (text: string) => {
    setDraft(draftKey(taskId), text);
    focusComposer();
  };
  return (
    <div className={styles.place}>
      <h2 className={styles.title}>What should change?</h2>
      {info?.checkpoints.state === 'off' ? (
        <p className={styles.text}>
          There are no checkpoints here: what the agent does cannot be taken back.
        </p>
      ) : (
        <p className={styles.text}>Whatever the agent does, you can compare it and take it back.</p>
      )}
      {provider === 'practice' ? (
        <section className={styles.practice} aria-label="Practice">
          <p className={styles.text}>Practice is no AI model. It obeys plain instructions such as:</p>
          <ul>
            {examples.map((p) => (
              <li key={p}>
                <button type="button" className={styles.example} onClick={() => use(p)}>
                  <code>{p}</code>
                </button>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
    </div>
  );
}
