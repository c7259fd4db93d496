import type { editor } from 'monaco-editor/editor';

const HEIGHT_OF_LINE = 19;
export const lineHeight = HEIGHT_OF_LINE;

/** What every editor of the window has in common: it is for reading. */
export const readOnlyOptions: editor.IEditorOptions & editor.IGlobalEditorOptions = {
  readOnly: true,
  domReadOnly: true,
  fontFamily:
    '"JetBrains Mono Variable", "JetBrains Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  fontSize: 12,
  lineHeight: HEIGHT_OF_LINE,
  fontLigatures: false,
  minimap: { enabled: false },
  scrollBeyondLastLine: false,
  overviewRulerLanes: 0,
  overviewRulerBorder: false,
  renderLineHighlight: 'none',
  folding: false,
  glyphMargin: false,
  lineNumbersMinChars: 4,
  lineDecorationsWidth: 10,
  contextmenu: false,
  links: false,
  hover: { enabled: 'off' },
  occurrencesHighlight: 'off',
  selectionHighlight: false,
  guides: { indentation: false },
  stickyScroll: { enabled: false },
  unicodeHighlight: { ambiguousCharacters: false },
  stopRenderingLineAfter: 5000,
  padding: { top: 4, bottom: 4 },
};
