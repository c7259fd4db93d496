// One file's two sides in a Monaco diff editor that is as high as its content, so that files follow one another like
// pages. Hunks have a button each where they can be taken back.
import { useCallback, useLayoutEffect, useRef, useState } from 'react';
import type { Hunk } from '../../shared/ipc';
import { useDiffOptions } from '../store/diff-options';
import { useSettings } from '../store/settings';
import { type BorrowedDiff, borrowDiff } from './diff-pool';
import styles from './editor.module.css';
import { HunkButtons, type PlacedHunk } from './hunk-buttons';
import { type Monaco, useMonaco } from './load';
import { useMonacoTheme } from './use-theme';

type DiffViewProps = {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly label: string;
  /** last known height, so that nothing jumps when it comes back into sight */
  readonly height: number;
  readonly onHeight: (height: number) => void;
  /** how many hunks there are, each time they were found anew */
  readonly onCount: (hunks: number) => void;
  /** null: the newer side is not what is on the disk, so nothing can be taken back */
  readonly onRevert: ((hunk: Hunk) => Promise<void>) | null;
};

export function DiffView(props: DiffViewProps) {
  const monaco = useMonaco();
  useMonacoTheme(monaco);
  return (
    <div className={styles.host} style={{ height: props.height }}>
      {monaco === null ? null : <Editor key={props.path} monaco={monaco} {...props} />}
    </div>
  );
}

function Editor(props: DiffViewProps & { readonly monaco: Monaco }) {
  const { monaco, path, before, after, label, onRevert } = props;
  const place = useRef<HTMLDivElement>(null);
  const diff = useRef<BorrowedDiff | null>(null);
  const told = useRef(props);
  told.current = props;
  const split = useSettings((s) => s.settings?.appearance.diff !== 'unified');
  const ignoreSpace = useDiffOptions((s) => s.ignoreSpace);
  const { placed, take, placeAgain } = usePlacedHunks(diff);
  const [working, setWorking] = useState(false);

  useLayoutEffect(() => {
    const borrowed = borrowDiff(monaco, (height) => told.current.onHeight(height));
    borrowed.onHunks((hunks) => {
      take(hunks);
      if (hunks !== null) told.current.onCount(hunks.length);
    });
    borrowed.onPlaces(placeAgain);
    place.current?.append(borrowed.host);
    diff.current = borrowed;
    return () => {
      diff.current = null;
      borrowed.giveBack();
    };
  }, [monaco, take, placeAgain]);

  useLayoutEffect(() => {
    const made = diff.current?.editor;
    made?.updateOptions({ renderSideBySide: split });
    made?.getModifiedEditor().updateOptions({ ariaLabel: `${label}, after` });
    made?.getOriginalEditor().updateOptions({ ariaLabel: `${label}, before` });
  }, [split, label]);
  useLayoutEffect(() => diff.current?.setIgnoreSpace(ignoreSpace), [ignoreSpace]);
  useLayoutEffect(() => diff.current?.show(path, before, after), [path, before, after]);

  const revert = async (hunk: Hunk) => {
    const file = place.current?.closest('section');
    setWorking(true);
    await onRevert?.(hunk);
    setWorking(false);
    // Its button goes with the hunk; the focus stays with the file.
    file?.querySelector('button')?.focus();
  };
  return (
    <>
      <div ref={place} className={styles.editor} />
      {onRevert === null || placed.length === 0 ? null : (
        <HunkButtons hunks={placed} label={label} disabled={working} onRevert={(hunk) => void revert(hunk)} />
      )}
    </>
  );
}

/** Hunks with where they stand on screen now; those out of sight are left out. */
function usePlacedHunks(diff: { readonly current: BorrowedDiff | null }) {
  const hunks = useRef<readonly Hunk[]>([]);
  const [placed, setPlaced] = useState<readonly PlacedHunk[]>([]);
  const placeAgain = useCallback(() => {
    const made = diff.current?.editor.getModifiedEditor();
    const lines = made?.getModel()?.getLineCount() ?? 0;
    if (made === undefined || lines === 0) return setPlaced([]);
    const { height } = made.getLayoutInfo();
    const all = hunks.current.map((hunk): PlacedHunk => {
      const { from } = hunk.after;
      // Removed lines stand behind the line before them.
      const at =
        hunk.after.lines.length > 0 || from === 0
          ? made.getTopForLineNumber(Math.min(from + 1, lines))
          : made.getBottomForLineNumber(Math.min(from, lines));
      return { hunk, top: at - made.getScrollTop() };
    });
    setPlaced(all.filter(({ top }) => top >= 0 && top < height));
  }, [diff]);
  const take = useCallback(
    (next: readonly Hunk[] | null) => {
      hunks.current = next ?? [];
      placeAgain();
    },
    [placeAgain],
  );
  return { placed, take, placeAgain };
}
