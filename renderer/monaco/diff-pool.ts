// Diff editors are used again, never disposed: Monaco hands the services of the newest one to all the others, so that
// disposing it makes the others fail. As many exist as were ever near the screen at once, and that is few.
import type { editor } from 'monaco-editor/editor';
import { createText } from './language';
import type { Monaco } from './load';
import { boundedHeight, listScrollbar, readOnlyOptions } from './options';

export type BorrowedDiff = {
  readonly host: HTMLElement;
  readonly editor: editor.IStandaloneDiffEditor;
  /** Puts both texts in. Texts of the same file replace the old ones, and the place that was scrolled to stays. */
  show(path: string, before: string, after: string): void;
  giveBack(): void;
};
type Pooled = {
  readonly host: HTMLElement;
  readonly editor: editor.IStandaloneDiffEditor;
  onHeight: (height: number) => void;
};

const free: Pooled[] = [];
const WORKER_MS = 5000;

/** @param onHeight told whenever the height of the content changes */
export function borrowDiff(monaco: Monaco, onHeight: (height: number) => void): BorrowedDiff {
  const pooled = free.pop() ?? make(monaco);
  pooled.onHeight = onHeight;
  const { host, editor: made } = pooled;
  return {
    host,
    editor: made,
    show(path, before, after) {
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
    },
    giveBack() {
      const models = made.getModel();
      pooled.onHeight = () => undefined;
      made.setModel(null);
      host.remove();
      free.push(pooled);
      // The worker may still be comparing; texts that vanish under it are an error there. So they go a little later.
      setTimeout(() => {
        models?.original.dispose();
        models?.modified.dispose();
      }, WORKER_MS);
    },
  };
}

function make(monaco: Monaco): Pooled {
  const host = document.createElement('div');
  host.style.height = '100%';
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
  const pooled: Pooled = { host, editor: made, onHeight: () => undefined };
  const [before, after] = [made.getOriginalEditor(), made.getModifiedEditor()];
  const measure = () => {
    if (made.getModel() === null) return;
    pooled.onHeight(boundedHeight(Math.max(before.getContentHeight(), after.getContentHeight())));
  };
  made.onDidUpdateDiff(measure);
  before.onDidContentSizeChange(measure);
  after.onDidContentSizeChange(measure);
  return pooled;
}
