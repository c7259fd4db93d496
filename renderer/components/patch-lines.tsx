import { cx } from './class-names';
import { patchLines } from './patch';
import styles from './patch-lines.module.css';

type PatchLinesProps = { readonly patch: string; readonly most?: number };

/** A short unified diff for cards. The real viewer is in the right pane. */
export function PatchLines({ patch, most }: PatchLinesProps) {
  const lines = patchLines(patch);
  return (
    <pre className={styles.lines}>
      <span className={styles.all}>
        {lines.slice(0, most ?? lines.length).map((line, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one patch never change places
          <span key={i} className={cx(styles.line, styles[line.kind])}>
            {line.text}
          </span>
        ))}
      </span>
    </pre>
  );
}
