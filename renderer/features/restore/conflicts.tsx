// Edits by hand that a restore would overwrite: nobody decides that but the user, file by file, or for all at once.
import { ChevronDown } from 'lucide-react';
import { RadioGroup } from 'radix-ui';
import { useId, useState } from 'react';
import type { Conflict, ConflictChoice } from '../../../shared/domain';
import { pathKey } from '../../../shared/rel-path';
import { cx } from '../../components/class-names';
import { chooseForConflicts, type RestoreFlow } from '../../store/restore';
import { ConflictSides } from './conflict-sides';
import styles from './conflicts.module.css';
import { conflictWords } from './plan-words';

const CHOICES: readonly { readonly value: ConflictChoice; readonly name: string; readonly text: string }[] = [
  { value: 'mine', name: 'Keep mine', text: 'The file stays as it is now' },
  { value: 'checkpoint', name: "Take the checkpoint's", text: 'Your edits stay in the redo point' },
];

export function Conflicts({ flow }: { readonly flow: RestoreFlow }) {
  const { conflicts, answers } = flow;
  const [unfolded, setUnfolded] = useState<string | null>(null);
  if (conflicts.length === 0) return null;
  const answerOf = (c: Conflict): ConflictChoice | null =>
    answers.find((a) => pathKey(a) === pathKey(c))?.choice ?? null;
  const [first] = conflicts;
  const shown = unfolded ?? (first === undefined ? '' : pathKey(first));
  const alike = new Set(conflicts.map(answerOf));
  const open = conflicts.filter((c) => answerOf(c) === null).length;
  return (
    <section className={styles.conflicts} aria-label="Conflicts">
      <header className={styles.head}>
        <p>
          <b>{conflictWords(conflicts.length)}</b>
          <span className={styles.reason} role="status">
            {open === 0 ? 'All are answered' : `${open} of ${conflicts.length} to answer`} · everything else
            merged by itself
          </span>
        </p>
        {conflicts.length < 2 ? null : (
          <div className={styles.all}>
            <span aria-hidden>For all of them</span>
            <Choice
              label="For all of them"
              value={alike.size === 1 ? ([...alike][0] ?? null) : null}
              disabled={flow.working === 'applying'}
              onChange={(choice) => chooseForConflicts(choice)}
            />
          </div>
        )}
      </header>
      <ul className={styles.files}>
        {conflicts.map((c) => (
          <Row
            key={pathKey(c)}
            flow={flow}
            conflict={c}
            answer={answerOf(c)}
            unfolded={pathKey(c) === shown}
            onUnfold={() => setUnfolded(pathKey(c) === shown ? '' : pathKey(c))}
          />
        ))}
      </ul>
    </section>
  );
}

type RowProps = {
  readonly flow: RestoreFlow;
  readonly conflict: Conflict;
  readonly answer: ConflictChoice | null;
  readonly unfolded: boolean;
  readonly onUnfold: () => void;
};

function Row({ flow, conflict, answer, unfolded, onUnfold }: RowProps) {
  const id = useId();
  return (
    <li className={styles.file}>
      <div className={styles.row}>
        <button
          type="button"
          className={styles.name}
          aria-expanded={unfolded}
          aria-controls={id}
          onClick={onUnfold}
        >
          <ChevronDown size={13} aria-hidden className={cx(styles.chevron, !unfolded && styles.folded)} />
          <code>{conflict.path}</code>
          <span className={styles.reason}>{conflict.reason}</span>
        </button>
        <Choice
          label={conflict.path}
          value={answer}
          disabled={flow.working === 'applying'}
          onChange={(choice) => chooseForConflicts(choice, conflict)}
        />
      </div>
      <div id={id}>{unfolded ? <ConflictSides flow={flow} path={conflict} /> : null}</div>
    </li>
  );
}

type ChoiceProps = {
  readonly label: string;
  readonly value: ConflictChoice | null;
  readonly disabled: boolean;
  readonly onChange: (choice: ConflictChoice) => void;
};

function Choice({ label, value, disabled, onChange }: ChoiceProps) {
  return (
    <RadioGroup.Root
      aria-label={label}
      value={value ?? ''}
      disabled={disabled}
      orientation="horizontal"
      className={styles.choices}
      onValueChange={(v) => onChange(v === 'mine' ? 'mine' : 'checkpoint')}
    >
      {CHOICES.map((c) => (
        <RadioGroup.Item key={c.value} value={c.value} title={c.text} className={styles.choice}>
          <span className={styles.radio} aria-hidden />
          {c.name}
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  );
}
