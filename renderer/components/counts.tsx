import styles from './counts.module.css';

type CountsProps = { readonly added: number | null; readonly removed: number | null };

/** "+6 −11", in colour and in words. Nothing where lines are not counted (binary). */
export function Counts({ added, removed }: CountsProps) {
  if (added === null && removed === null) return null;
  return (
    <span className={styles.counts}>
      <span className={styles.added}>
        <span className="visually-hidden">lines added: </span>+{added ?? 0}
      </span>{' '}
      <span className={styles.removed}>
        <span className="visually-hidden">lines removed: </span>−{removed ?? 0}
      </span>
    </span>
  );
}

export function StatusLetter({ letter, label }: { readonly letter: string; readonly label: string }) {
  return (
    <span className={styles.letter} data-letter={letter} role="img" aria-label={label} title={label}>
      {letter}
    </span>
  );
}
