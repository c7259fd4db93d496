// The workspace's files. A folder is read when it is opened; only the rows in sight are in the page.
import { hotkeysCoreFeature, type ItemInstance, syncDataLoaderFeature } from '@headless-tree/core';
import { useTree as useHeadlessTree } from '@headless-tree/react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ChevronRight } from 'lucide-react';
import { useEffect, useMemo, useRef } from 'react';
import { cx } from '../../components/class-names';
import { StatusLetter } from '../../components/counts';
import { closeFolder, pathKey, readFolder, setExpanded, useTree } from '../../store/tree';
import { openFile, useUi } from '../../store/ui';
import { useWorkspace } from '../../store/workspace';
import styles from './file-tree.module.css';
import { badgeIndex, ROOT, type TreeNode, treeModel } from './tree-model';

const ROW_HEIGHT = 24;
const BADGE_WORDS = { A: 'added', M: 'modified', D: 'deleted' } as const;
const rootNode: TreeNode = { id: ROOT, entry: { path: '', name: '', type: 'folder', size: 0 }, gone: false };

export function FileTree() {
  const folders = useTree((s) => s.folders);
  const expanded = useTree((s) => s.expanded);
  const badges = useWorkspace((s) => s.badges);
  const model = useMemo(() => treeModel(folders, badges), [folders, badges]);
  const marks = useMemo(() => badgeIndex(badges), [badges]);
  const shown = useUi((s) => (s.right?.kind === 'file' ? pathKey(s.right.file) : null));
  const scroller = useRef<HTMLDivElement>(null);
  const tree = useHeadlessTree<TreeNode>({
    rootItemId: ROOT,
    state: { expandedItems: expanded },
    setExpandedItems: (next) =>
      expandTo(typeof next === 'function' ? next(expanded) : next, expanded, model.nodes),
    getItemName: (item) => item.getItemData().entry.name,
    isItemFolder: (item) => item.getItemData().entry.type === 'folder',
    dataLoader: {
      getItem: (id) => model.nodes.get(id) ?? { ...rootNode, id },
      getChildren: (id) => [...(model.children.get(id) ?? [])],
    },
    hotkeys: {
      customOpen: { hotkey: 'Enter', preventDefault: true, handler: (_e, t) => enter(t.getFocusedItem()) },
    },
    onPrimaryAction: (item) => openNode(item.getItemData()),
    scrollToItem: (item) => virtualizer.scrollToIndex(item.getItemMeta().index),
    features: [syncDataLoaderFeature, hotkeysCoreFeature],
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another model is what makes another tree
  useEffect(() => tree.rebuildTree(), [tree, model]);
  const items = tree.getItems();
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
  });
  const first = folders.get(ROOT);
  if (first !== undefined && first.length === 0 && badges.length === 0)
    return <p className={styles.empty}>This folder is empty.</p>;
  return (
    <div ref={scroller} className={styles.scroller}>
      <div
        {...tree.getContainerProps('Files')}
        className={styles.tree}
        style={{ height: virtualizer.getTotalSize() }}
      >
        {virtualizer.getVirtualItems().map((v) => {
          const item = items[v.index];
          if (item === undefined) return null;
          return (
            <Row
              key={item.getKey()}
              item={item}
              top={v.start}
              badge={marks.files.get(item.getId())}
              changedBelow={marks.folders.has(item.getItemData().entry.path)}
              shown={item.getId() === shown}
            />
          );
        })}
      </div>
    </div>
  );
}

type RowProps = {
  readonly item: ItemInstance<TreeNode>;
  readonly top: number;
  readonly badge: 'A' | 'M' | 'D' | undefined;
  readonly changedBelow: boolean;
  readonly shown: boolean;
};

function Row({ item, top, badge, changedBelow, shown }: RowProps) {
  const { entry, gone } = item.getItemData();
  const folder = entry.type === 'folder';
  return (
    <div
      {...item.getProps()}
      aria-current={shown ? 'true' : undefined}
      className={cx(styles.row, shown && styles.shown, gone && styles.gone)}
      style={{ top, paddingLeft: 8 + item.getItemMeta().level * 14 }}
      title={entry.path}
    >
      {folder ? (
        <ChevronRight
          size={13}
          aria-hidden
          className={cx(styles.chevron, item.isExpanded() && styles.open)}
        />
      ) : (
        <span className={styles.chevron} />
      )}
      <span className={styles.name}>{entry.name}</span>
      {badge === undefined ? null : <StatusLetter letter={badge} label={BADGE_WORDS[badge]} />}
      {badge === undefined && folder && changedBelow && !item.isExpanded() ? (
        <span className={styles.dot} title="Changed files inside" />
      ) : null}
    </div>
  );
}

function openNode({ entry, gone }: TreeNode): void {
  if (entry.type !== 'folder' && !gone) openFile(pathOf(entry));
}

function enter(item: ItemInstance<TreeNode>): void {
  if (!item.isFolder()) item.primaryAction();
  else if (item.isExpanded()) item.collapse();
  else item.expand();
}

const pathOf = (p: { path: string; pathBase64?: string | undefined }) =>
  p.pathBase64 === undefined ? { path: p.path } : { path: p.path, pathBase64: p.pathBase64 };

/** Folders that were opened are read, those that were closed are watched no more. */
function expandTo(next: string[], before: readonly string[], nodes: ReadonlyMap<string, TreeNode>): void {
  setExpanded(next);
  for (const id of next) {
    const node = nodes.get(id);
    if (node !== undefined && !before.includes(id)) void readFolder(pathOf(node.entry));
  }
  for (const id of before) {
    const node = nodes.get(id);
    if (node !== undefined && !next.includes(id)) closeFolder(pathOf(node.entry));
  }
}
