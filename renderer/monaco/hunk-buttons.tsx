// A button at each hunk of a comparison, above Monaco: so that it has a name, a focus and a place in the tab order.
import { Undo2 } from 'lucide-react';
import type { Hunk } from '../../shared/ipc';
import { IconButton } from '../components/button';
import styles from './hunk-buttons.module.css';

/** `top`: px below the upper edge of what is seen of the comparison */
export type PlacedHunk = { readonly hunk: Hunk; readonly top: number };

type HunkButtonsProps = {
  readonly hunks: readonly PlacedHunk[];
  readonly label: string;
  readonly disabled: boolean;
  readonly onRevert: (hunk: Hunk) => void;
};

export function HunkButtons({ hunks, label, disabled, onRevert }: HunkButtonsProps) {
  return (
    <ul className={styles.list} aria-label={`Hunks of ${label}`}>
      {hunks.map(({ hunk, top }) => (
        <li key={`${hunk.before.from} ${hunk.after.from}`} className={styles.place} style={{ top }}>
          <IconButton
            label={`Revert this hunk, ${linesOf(hunk)}`}
            className={styles.button}
            disabled={disabled}
            onClick={() => onRevert(hunk)}
          >
            <Undo2 size={13} aria-hidden />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}

function linesOf({ after }: Hunk): string {
  const first = after.from + 1;
  if (after.lines.length === 0) return `after line ${after.from}`;
  return after.lines.length === 1 ? `line ${first}` : `lines ${first} to ${after.from + after.lines.length}`;
}
