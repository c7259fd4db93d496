// One file's two sides in a Monaco diff editor that is as high as its content, so that files follow one another like
// pages.
import { useLayoutEffect, useRef } from 'react';
import { useSettings } from '../store/settings';
import { type BorrowedDiff, borrowDiff } from './diff-pool';
import styles from './editor.module.css';
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

function Editor({
  monaco,
  path,
  before,
  after,
  label,
  onHeight,
}: DiffViewProps & { readonly monaco: Monaco }) {
  const place = useRef<HTMLDivElement>(null);
  const diff = useRef<BorrowedDiff | null>(null);
  const report = useRef(onHeight);
  report.current = onHeight;
  const split = useSettings((s) => s.settings?.appearance.diff !== 'unified');

  useLayoutEffect(() => {
    const borrowed = borrowDiff(monaco, (height) => report.current(height));
    place.current?.append(borrowed.host);
    diff.current = borrowed;
    return () => {
      diff.current = null;
      borrowed.giveBack();
    };
  }, [monaco]);

  useLayoutEffect(() => {
    const made = diff.current?.editor;
    made?.updateOptions({ renderSideBySide: split });
    made?.getModifiedEditor().updateOptions({ ariaLabel: `${label}, after` });
    made?.getOriginalEditor().updateOptions({ ariaLabel: `${label}, before` });
  }, [split, label]);

  useLayoutEffect(() => diff.current?.show(path, before, after), [path, before, after]);

  return <div ref={place} className={styles.editor} />;
}
