import { RadioGroup } from 'radix-ui';
import type { Conflict, ConflictChoice } from '../../../shared/domain';
import { chooseForConflicts } from '../../store/restore';
import styles from './conflicts.module.css';
import { conflictWords } from './plan-words';

type ConflictsProps = {
  readonly conflicts: readonly Conflict[];
  readonly choice: ConflictChoice | null;
  readonly disabled: boolean;
};

const CHOICES: readonly { readonly value: ConflictChoice; readonly name: string; readonly text: string }[] = [
  { value: 'mine', name: 'Keep mine', text: 'These files stay as they are now' },
  { value: 'checkpoint', name: "Take the checkpoint's", text: 'Your edits stay in the redo point' },
];

/** Edits by hand that a restore would overwrite: nobody decides that but the user. */
export function Conflicts({ conflicts, choice, disabled }: ConflictsProps) {
  if (conflicts.length === 0) return null;
  return (
    <section className={styles.conflicts} aria-label="Conflicts">
      <p>{conflictWords(conflicts.length)}</p>
      <ul className={styles.files}>
        {conflicts.map((c) => (
          <li key={`${c.path} ${c.pathBase64 ?? ''}`}>
            <code>{c.path}</code> <span className={styles.reason}>{c.reason}</span>
          </li>
        ))}
      </ul>
      <RadioGroup.Root
        aria-label="Where both changed the same lines"
        value={choice ?? ''}
        disabled={disabled}
        className={styles.choices}
        onValueChange={(v) => chooseForConflicts(v === 'mine' ? 'mine' : 'checkpoint')}
      >
        {CHOICES.map((c) => (
          <RadioGroup.Item key={c.value} value={c.value} aria-label={c.name} className={styles.choice}>
            <span className={styles.radio} />
            <span>
              <b>{c.name}</b>
              <small>{c.text}</small>
            </span>
          </RadioGroup.Item>
        ))}
      </RadioGroup.Root>
    </section>
  );
}
