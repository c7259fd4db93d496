// One text to read: a file of the workspace as high as its place, or one that was added or deleted, as high as its
// content and coloured as a whole.
import type { editor } from 'monaco-editor/editor';
import { useEffect, useRef } from 'react';
import { cx } from '../components/class-names';
import styles from './editor.module.css';
import { createText } from './language';
import { type Monaco, useMonaco } from './load';
import { boundedHeight, listScrollbar, readOnlyOptions } from './options';
import { useMonacoTheme } from './use-theme';

type FileViewProps = {
  readonly path: string;
  readonly text: string;
  /** present: it stands in a list, coloured, and as high as its content */
  readonly whole?: {
    readonly tone: 'added' | 'deleted';
    readonly height: number;
    readonly onHeight: (height: number) => void;
  };
};

export function FileView(props: FileViewProps) {
  const monaco = useMonaco();
  useMonacoTheme(monaco);
  const { whole } = props;
  return (
    <div
      className={cx(
        whole === undefined ? styles.fill : styles.host,
        whole !== undefined && styles[whole.tone],
      )}
      style={whole === undefined ? undefined : { height: whole.height }}
    >
      {monaco === null ? null : <Editor monaco={monaco} {...props} />}
    </div>
  );
}

function Editor({ monaco, path, text, whole }: FileViewProps & { readonly monaco: Monaco }) {
  const host = useRef<HTMLDivElement>(null);
  const made = useRef<editor.IStandaloneCodeEditor | null>(null);
  const report = useRef(whole?.onHeight);
  report.current = whole?.onHeight;
  const listed = whole !== undefined;
  useEffect(() => {
    if (host.current === null) return;
    const view = monaco.editor.create(host.current, {
      ...readOnlyOptions,
      automaticLayout: true,
      ariaLabel: path,
      model: createText(monaco, '', path),
      scrollbar: listed ? listScrollbar : { verticalScrollbarSize: 8, horizontalScrollbarSize: 8 },
    });
    view.onDidContentSizeChange((e) => report.current?.(boundedHeight(e.contentHeight)));
    made.current = view;
    return () => {
      const model = view.getModel();
      view.dispose();
      model?.dispose();
      made.current = null;
    };
  }, [monaco, path, listed]);
  useEffect(() => {
    const view = made.current;
    const model = view?.getModel();
    if (view == null || model == null) return;
    // One final line break ends the last line; shown as a line of its own it would count as one.
    const shown = listed ? text.replace(/\r?\n$/, '') : text;
    if (model.getValue() !== shown) model.setValue(shown);
    report.current?.(boundedHeight(view.getContentHeight()));
  });
  return <div ref={host} className={styles.editor} />;
}
