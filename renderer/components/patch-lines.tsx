// A short unified diff, line by line, for cards. The real viewer is in the right pane.
import { cx } from './class-names';
import styles from './patch-lines.module.css';

type PatchLinesProps = { readonly patch: string; readonly most?: number };

const kindOf = (line: string): 'add' | 'del' | 'hunk' | 'same' =>
  line.startsWith('+') ? 'add' : line.startsWith('-') ? 'del' : line.startsWith('@@') ? 'hunk' : 'same';
const isHeader = (line: string) => /^(diff |index |--- |\+\+\+ |new file|deleted file)/.test(line);

/** The lines of a diff that are shown: file headers say nothing in a card that names the file. */
export const patchLines = (patch: string): readonly string[] =>
  patch
    .replace(/\n$/, '')
    .split('\n')
    .filter((l) => !isHeader(l));

export function PatchLines({ patch, most }: PatchLinesProps) {
  const lines = patchLines(patch);
  return (
    <pre className={styles.lines}>
      {lines.slice(0, most ?? lines.length).map((line, i) => {
        const kind = kindOf(line);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one patch never change places
          <span key={i} className={cx(styles.line, styles[kind])}>
            {kind === 'hunk' ? '⋯' : line === '' ? ' ' : line}
          </span>
        );
      })}
    </pre>
  );
}
