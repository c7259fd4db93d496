import type { editor } from 'monaco-editor/editor';
import type { Monaco } from './load';

/** A text to show, in the colours of the language that its file's name tells; brackets stay as calm as the rest. */
export function createText(monaco: Monaco, text: string, path: string): editor.ITextModel {
  const model = monaco.editor.createModel(text, languageOf(monaco, path));
  model.updateOptions({
    bracketColorizationOptions: { enabled: false, independentColorPoolPerBracketType: false },
  });
  return model;
}

function languageOf(monaco: Monaco, path: string): string {
  const name = (path.split('/').at(-1) ?? path).toLowerCase();
  const found = monaco.languages
    .getLanguages()
    .find(
      (l) =>
        l.filenames?.some((f) => f.toLowerCase() === name) || l.extensions?.some((e) => name.endsWith(e)),
    );
  return found?.id ?? 'plaintext';
}
