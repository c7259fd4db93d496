// One file to read, as high as its place.
import type { editor } from 'monaco-editor/editor';
import { useEffect, useRef } from 'react';
import { languageOf } from './diff-view';
import styles from './editor.module.css';
import { type Monaco, useMonaco } from './load';
import { readOnlyOptions } from './options';
import { useMonacoTheme } from './use-theme';

type FileViewProps = { readonly path: string; readonly text: string };

export function FileView(props: FileViewProps) {
  const monaco = useMonaco();
  useMonacoTheme(monaco);
  return <div className={styles.fill}>{monaco === null ? null : <Editor monaco={monaco} {...props} />}</div>;
}

function Editor({ monaco, path, text }: FileViewProps & { readonly monaco: Monaco }) {
  const host = useRef<HTMLDivElement>(null);
  const made = useRef<editor.IStandaloneCodeEditor | null>(null);
  useEffect(() => {
    if (host.current === null) return;
    const view = monaco.editor.create(host.current, {
      ...readOnlyOptions,
      automaticLayout: true,
      ariaLabel: path,
      model: monaco.editor.createModel('', languageOf(monaco, path)),
      scrollbar: { verticalScrollbarSize: 8, horizontalScrollbarSize: 8 },
    });
    made.current = view;
    return () => {
      const model = view.getModel();
      view.dispose();
      model?.dispose();
      made.current = null;
    };
  }, [monaco, path]);
  useEffect(() => {
    const model = made.current?.getModel();
    if (model !== null && model !== undefined && model.getValue() !== text) model.setValue(text);
  });
  return <div ref={host} className={styles.editor} />;
}
