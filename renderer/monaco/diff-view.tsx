// One file's two sides in a Monaco diff editor that is as high as its content, so that files follow one another like
// pages. New texts are put into the same models: the place that was scrolled to stays.
import type { editor } from 'monaco-editor/editor';
import { useEffect, useRef } from 'react';
import { useSettings } from '../store/settings';
import styles from './editor.module.css';
import { type Monaco, useMonaco } from './load';
import { lineHeight, readOnlyOptions } from './options';
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

/** Beyond this an editor scrolls inside: rendering more lines at once would cost more than it shows. */
const MOST_HEIGHT = 1600;
const LEAST_HEIGHT = 3 * lineHeight;

export function DiffView(props: DiffViewProps) {
  const monaco = useMonaco();
  useMonacoTheme(monaco);
  return (
    <div className={styles.host} style={{ height: props.height }}>
      {monaco === null ? null : <Editor monaco={monaco} {...props} />}
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
  const host = useRef<HTMLDivElement>(null);
  const diff = useRef<editor.IStandaloneDiffEditor | null>(null);
  const report = useRef(onHeight);
  report.current = onHeight;
  const split = useSettings((s) => s.settings?.appearance.diff !== 'unified');

  useEffect(() => {
    if (host.current === null) return;
    const made = monaco.editor.createDiffEditor(host.current, {
      ...readOnlyOptions,
      automaticLayout: true,
      originalEditable: false,
      renderSideBySide: true,
      useInlineViewWhenSpaceIsLimited: false,
      hideUnchangedRegions: { enabled: true, contextLineCount: 3, minimumLineCount: 4, revealLineCount: 20 },
      renderOverviewRuler: false,
      renderGutterMenu: false,
      renderMarginRevertIcon: false,
      diffWordWrap: 'off',
      maxComputationTime: 3000,
      scrollbar: {
        vertical: 'auto',
        verticalScrollbarSize: 8,
        horizontalScrollbarSize: 8,
        alwaysConsumeMouseWheel: false,
      },
    });
    diff.current = made;
    const measure = () => {
      const content = Math.max(
        made.getOriginalEditor().getContentHeight(),
        made.getModifiedEditor().getContentHeight(),
      );
      report.current(Math.min(MOST_HEIGHT, Math.max(LEAST_HEIGHT, content)));
    };
    const ends = [
      made.onDidUpdateDiff(measure),
      made.getOriginalEditor().onDidContentSizeChange(measure),
      made.getModifiedEditor().onDidContentSizeChange(measure),
    ];
    return () => {
      for (const end of ends) end.dispose();
      const models = made.getModel();
      made.dispose();
      models?.original.dispose();
      models?.modified.dispose();
      diff.current = null;
    };
  }, [monaco]);

  useEffect(() => {
    const made = diff.current;
    if (made === null) return;
    const models = made.getModel();
    if (models === null) {
      const language = languageOf(monaco, path);
      made.setModel({
        original: monaco.editor.createModel(before, language),
        modified: monaco.editor.createModel(after, language),
      });
      return;
    }
    if (models.original.getValue() !== before) models.original.setValue(before);
    if (models.modified.getValue() !== after) models.modified.setValue(after);
  }, [monaco, path, before, after]);

  useEffect(() => {
    diff.current?.updateOptions({ renderSideBySide: split });
    diff.current?.getModifiedEditor().updateOptions({ ariaLabel: `${label}, after` });
    diff.current?.getOriginalEditor().updateOptions({ ariaLabel: `${label}, before` });
  }, [split, label]);

  return <div ref={host} className={styles.editor} />;
}

/** The language that a file's name tells. */
export function languageOf(monaco: Monaco, path: string): string {
  const name = (path.split('/').at(-1) ?? path).toLowerCase();
  const found = monaco.languages
    .getLanguages()
    .find(
      (l) =>
        l.filenames?.some((f) => f.toLowerCase() === name) || l.extensions?.some((e) => name.endsWith(e)),
    );
  return found?.id ?? 'plaintext';
}
