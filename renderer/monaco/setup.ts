// Monaco, slim: editors to read in, comparing, finding, copying and the colouring of languages; no language services,
// one worker. Loaded on first use only (monaco/load.ts), because it is by far the largest part of the window.
import * as monaco from 'monaco-editor/editor';
import 'monaco-editor/features/clipboard/register';
import 'monaco-editor/features/codeEditor/register';
import 'monaco-editor/features/codicon/register';
import 'monaco-editor/features/diffEditor/register';
import 'monaco-editor/features/find/register';
import 'monaco-editor/features/longLinesHelper/register';
import 'monaco-editor/features/wordOperations/register';
import 'monaco-editor/languages/definitions/register.all';
import EditorWorker from 'monaco-editor/editor/editor.worker?worker';
import { defineThemes } from './theme';

self.MonacoEnvironment = { getWorker: () => new EditorWorker() };
defineThemes(monaco.editor);

export { monaco };
