import type { LeftOut, PlannedFile } from '../../../shared/domain';
import { StatusLetter } from '../../components/counts';
import { countOf } from '../../store/restore-words';
import styles from './plan-list.module.css';
import { fileWords } from './plan-words';

const MOST = 500;

/** The dry run, file by file. */
export function PlannedFiles({ files }: { readonly files: readonly PlannedFile[] }) {
  if (files.length === 0) return <p className={styles.none}>No file has to change.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long list scrolls, with the keyboard too
    <ul className={styles.list} aria-label="Files that will change" tabIndex={0}>
      {files.slice(0, MOST).map((f) => {
        const { letter, words } = fileWords(f);
        return (
          <li key={`${f.path} ${f.pathBase64 ?? ''}`} className={styles.row}>
            <StatusLetter letter={letter} label={words} />
            <code className={styles.path} title={f.path}>
              {f.path}
            </code>
            <span className={styles.words}>{words}</span>
          </li>
        );
      })}
      {files.length > MOST ? <li className={styles.row}>and {files.length - MOST} more</li> : null}
    </ul>
  );
}

/** What the checkpoint does not hold: left alone, and said. */
export function NotCovered({ left }: { readonly left: readonly LeftOut[] }) {
  if (left.length === 0) return null;
  return (
    <details className={styles.left}>
      <summary>{countOf(left.length, 'file')} not covered by the checkpoint, left alone</summary>
      <ul>
        {left.slice(0, MOST).map((l) => (
          <li key={`${l.path} ${l.pathBase64 ?? ''}`} className={styles.row}>
            <code className={styles.path}>{l.path}</code>
            <span className={styles.words}>{l.why}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
