import type { editor } from 'monaco-editor/editor';

export const lineHeight = 19;

/** What every editor of the window has in common: it is for reading. */
export const readOnlyOptions: editor.IEditorOptions & editor.IGlobalEditorOptions = {
  readOnly: true,
  domReadOnly: true,
  fontFamily:
    '"JetBrains Mono Variable", "JetBrains Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  fontSize: 12,
  lineHeight,
  fontLigatures: false,
  minimap: { enabled: false },
  scrollBeyondLastLine: false,
  overviewRulerLanes: 0,
  overviewRulerBorder: false,
  renderLineHighlight: 'none',
  folding: false,
  glyphMargin: false,
  lineNumbersMinChars: 3,
  lineDecorationsWidth: 16,
  contextmenu: false,
  links: false,
  hover: { enabled: 'off' },
  occurrencesHighlight: 'off',
  selectionHighlight: false,
  guides: { indentation: false },
  bracketPairColorization: { enabled: false },
  matchBrackets: 'never',
  stickyScroll: { enabled: false },
  unicodeHighlight: { ambiguousCharacters: false },
  stopRenderingLineAfter: 5000,
  padding: { top: 4, bottom: 4 },
};

/** In a list of files an editor is as high as its content, and the wheel goes on to the list at its ends. */
export const listScrollbar: editor.IEditorScrollbarOptions = {
  vertical: 'auto',
  verticalScrollbarSize: 8,
  horizontalScrollbarSize: 8,
  alwaysConsumeMouseWheel: false,
};

/** Beyond this an editor scrolls inside: rendering more lines at once would cost more than it shows. */
const MOST_HEIGHT = 1600;
const LEAST_HEIGHT = lineHeight + 8;
export const boundedHeight = (content: number): number =>
  Math.min(MOST_HEIGHT, Math.max(LEAST_HEIGHT, content));
