// One file's two sides in a Monaco diff editor that is as high as its content, so that files follow one another like
// pages. New texts are put into the same models: the place that was scrolled to stays.
import type { editor } from 'monaco-editor/editor';
import { useEffect, useRef } from 'react';
import { useSettings } from '../store/settings';
import styles from './editor.module.css';
import { createText } from './language';
import { type Monaco, useMonaco } from './load';
import { boundedHeight, listScrollbar, readOnlyOptions } from './options';
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
    const made = openDiffEditor(monaco, host.current, (height) => report.current(height));
    diff.current = made;
    return () => {
      diff.current = null;
      closeDiffEditor(made);
    };
  }, [monaco]);

  useEffect(() => {
    const made = diff.current;
    if (made === null) return;
    const models = made.getModel();
    if (models === null) {
      made.setModel({
        original: createText(monaco, before, path),
        modified: createText(monaco, after, path),
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

function openDiffEditor(
  monaco: Monaco,
  host: HTMLElement,
  onHeight: (height: number) => void,
): editor.IStandaloneDiffEditor {
  const made = monaco.editor.createDiffEditor(host, {
    ...readOnlyOptions,
    automaticLayout: true,
    originalEditable: false,
    useInlineViewWhenSpaceIsLimited: false,
    hideUnchangedRegions: { enabled: true, contextLineCount: 3, minimumLineCount: 4, revealLineCount: 20 },
    renderOverviewRuler: false,
    renderGutterMenu: false,
    renderMarginRevertIcon: false,
    renderIndicators: true,
    diffWordWrap: 'off',
    maxComputationTime: 3000,
    scrollbar: listScrollbar,
  });
  const [before, after] = [made.getOriginalEditor(), made.getModifiedEditor()];
  const measure = () =>
    onHeight(boundedHeight(Math.max(before.getContentHeight(), after.getContentHeight())));
  made.onDidUpdateDiff(measure);
  before.onDidContentSizeChange(measure);
  after.onDidContentSizeChange(measure);
  return made;
}

const WORKER_MS = 5000;

/** The worker may still be comparing; texts that vanish under it are an error there. So they go a little later. */
function closeDiffEditor(made: editor.IStandaloneDiffEditor): void {
  const models = made.getModel();
  made.dispose();
  setTimeout(() => {
    models?.original.dispose();
    models?.modified.dispose();
  }, WORKER_MS);
}
