// Three texts of one file side by side, to read: they scroll together, and lines that differ from the middle one are
// coloured; in the middle those that either side has changed.
import { diffLines } from 'diff';
import type { editor } from 'monaco-editor/editor';
import { useEffect, useRef } from 'react';
import { createText } from './language';
import { type Monaco, useMonaco } from './load';
import { boundedHeight, lineHeight, readOnlyOptions } from './options';
import styles from './three-view.module.css';
import { useMonacoTheme } from './use-theme';

type ThreeViewProps = {
  readonly path: string;
  /** one for each text, for screen readers */
  readonly labels: readonly string[];
  /** left, middle, right */
  readonly texts: readonly [string, string, string];
};

const MOST_LINES = 14;

export function ThreeView({ path, labels, texts }: ThreeViewProps) {
  const monaco = useMonaco();
  useMonacoTheme(monaco);
  const sides = useRef<(HTMLDivElement | null)[]>([]);
  const lines = Math.max(...texts.map((t) => t.split('\n').length));
  const height = boundedHeight(Math.min(MOST_LINES, lines) * lineHeight + 16);
  const [left, middle, right] = texts;
  const names = labels.join('\n');
  useEffect(() => {
    if (monaco === null) return;
    const shown = [left, middle, right];
    const made = shown.map((text, i) =>
      openSide(monaco, sides.current[i] ?? null, { path, label: names.split('\n')[i] ?? path, text }),
    );
    const marks = [changedLines(middle, left), [], changedLines(middle, right)] as const;
    const inMiddle = [...changedLines(left, middle), ...changedLines(right, middle)];
    made[0]?.createDecorationsCollection(marks[0].map((l) => marked(l, 'mine')));
    made[1]?.createDecorationsCollection([...new Set(inMiddle)].map((l) => marked(l, 'base')));
    made[2]?.createDecorationsCollection(marks[2].map((l) => marked(l, 'theirs')));
    scrollTogether(made);
    return () => {
      for (const view of made) {
        const model = view?.getModel();
        view?.dispose();
        model?.dispose();
      }
    };
  }, [monaco, path, names, left, middle, right]);
  return (
    <>
      {[0, 1, 2].map((i) => (
        <div
          key={i}
          ref={(el) => {
            sides.current[i] = el;
          }}
          className={styles.side}
          style={{ height }}
        />
      ))}
    </>
  );
}

type Side = { readonly path: string; readonly label: string; readonly text: string };

function openSide(
  monaco: Monaco,
  host: HTMLElement | null,
  { path, label, text }: Side,
): editor.IStandaloneCodeEditor | null {
  if (host === null) return null;
  return monaco.editor.create(host, {
    ...readOnlyOptions,
    automaticLayout: true,
    ariaLabel: label,
    // three texts in a dialog: Tab leads on
    tabFocusMode: true,
    model: createText(monaco, text, path),
    scrollbar: { verticalScrollbarSize: 8, horizontalScrollbarSize: 8, alwaysConsumeMouseWheel: false },
  });
}

function scrollTogether(views: readonly (editor.IStandaloneCodeEditor | null)[]): void {
  for (const view of views)
    view?.onDidScrollChange((e) => {
      if (!e.scrollTopChanged && !e.scrollLeftChanged) return;
      for (const other of views) {
        if (other === null || other === view) continue;
        if (other.getScrollTop() !== e.scrollTop) other.setScrollTop(e.scrollTop);
        if (other.getScrollLeft() !== e.scrollLeft) other.setScrollLeft(e.scrollLeft);
      }
    });
}

const marked = (line: number, side: 'mine' | 'base' | 'theirs'): editor.IModelDeltaDecoration => ({
  range: { startLineNumber: line, startColumn: 1, endLineNumber: line, endColumn: 1 },
  options: { isWholeLine: true, className: styles[side] ?? '' },
});

/** Numbers of the lines of `after` that `before` does not have. */
export function changedLines(before: string, after: string): number[] {
  const out: number[] = [];
  let line = 1;
  for (const part of diffLines(before, after)) {
    if (part.removed) continue;
    const count = part.value.split('\n').length - (part.value.endsWith('\n') ? 1 : 0);
    if (part.added) for (let i = 0; i < count; i++) out.push(line + i);
    line += count;
  }
  return out;
}
