// Diff editors are used again, never disposed: Monaco hands the services of the newest one to all the others, so that
// disposing it makes the others fail. As many exist as were ever near the screen at once, and that is few.
import type { editor } from 'monaco-editor/editor';
import type { Hunk } from '../../shared/ipc';
import { hunksOf } from './hunks';
import { createText } from './language';
import type { Monaco } from './load';
import { boundedHeight, listScrollbar, readOnlyOptions } from './options';

export type BorrowedDiff = {
  readonly host: HTMLElement;
  readonly editor: editor.IStandaloneDiffEditor;
  /** Puts both texts in. Texts of the same file replace the old ones, and the place that was scrolled to stays. */
  show(path: string, before: string, after: string): void;
  /** Told when the comparison of what is shown is there, and with null as soon as it is not any more. */
  onHunks(listener: (hunks: readonly Hunk[] | null) => void): void;
  /** Told when the lines of the newer side may stand somewhere else. */
  onPlaces(listener: () => void): void;
  /** White space at the ends of lines does not count; the comparison is made anew. */
  setIgnoreSpace(on: boolean): void;
  giveBack(): void;
};
type Pooled = {
  readonly host: HTMLElement;
  readonly editor: editor.IStandaloneDiffEditor;
  onHeight: (height: number) => void;
  onHunks: (hunks: readonly Hunk[] | null) => void;
  onPlaces: () => void;
  ignoreSpace: boolean;
};

const nothing = (): void => undefined;
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
    onHunks(listener) {
      pooled.onHunks = listener;
    },
    onPlaces(listener) {
      pooled.onPlaces = listener;
    },
    show(path, before, after) {
      pooled.onHunks(null);
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
    setIgnoreSpace(on) {
      if (pooled.ignoreSpace !== on) pooled.onHunks(null);
      pooled.ignoreSpace = on;
      made.updateOptions({ ignoreTrimWhitespace: on });
    },
    giveBack() {
      const models = made.getModel();
      Object.assign(pooled, { onHeight: nothing, onHunks: nothing, onPlaces: nothing });
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
    ignoreTrimWhitespace: false,
    diffWordWrap: 'off',
    maxComputationTime: 3000,
    scrollbar: listScrollbar,
  });
  const pooled: Pooled = {
    host,
    editor: made,
    onHeight: nothing,
    onHunks: nothing,
    onPlaces: nothing,
    ignoreSpace: false,
  };
  const [before, after] = [made.getOriginalEditor(), made.getModifiedEditor()];
  const measure = () => {
    if (made.getModel() === null) return;
    pooled.onHeight(boundedHeight(Math.max(before.getContentHeight(), after.getContentHeight())));
  };
  made.onDidUpdateDiff(() => {
    measure();
    pooled.onHunks(hunksIn(pooled));
    pooled.onPlaces();
  });
  after.onDidScrollChange(() => pooled.onPlaces());
  after.onDidLayoutChange(() => pooled.onPlaces());
  after.onDidContentSizeChange(() => pooled.onPlaces());
  before.onDidContentSizeChange(measure);
  after.onDidContentSizeChange(measure);
  return pooled;
}

function hunksIn({ editor: made, ignoreSpace }: Pooled): readonly Hunk[] | null {
  const models = made.getModel();
  const changes = made.getLineChanges();
  if (models === null || changes === null) return null;
  const { original, modified } = models;
  return hunksOf(changes, original.getLinesContent(), modified.getLinesContent(), ignoreSpace);
}
