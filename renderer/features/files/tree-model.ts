// The file tree as items with ids: what is in an open folder, and the deleted files that only a badge knows. Pure.
import type { TreeEntry } from '../../../shared/domain';
import { pathKey } from '../../store/tree';
import type { Badge } from '../../store/workspace';

export const ROOT = '';

export type TreeNode = {
  readonly id: string;
  readonly entry: TreeEntry;
  /** it is in the folder no more; only its badge tells of it */
  readonly gone: boolean;
};

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

export type TreeModel = {
  readonly nodes: ReadonlyMap<string, TreeNode>;
  readonly children: ReadonlyMap<string, readonly string[]>;
};

export function treeModel(
  folders: ReadonlyMap<string, readonly TreeEntry[]>,
  badges: readonly Badge[],
): TreeModel {
  const nodes = new Map<string, TreeNode>();
  const children = new Map<string, readonly string[]>();
  for (const [folder, entries] of folders) {
    const present = new Set(entries.map(pathKey));
    const gone = badges.filter(
      (b) => b.badge === 'D' && parentOf(b.path) === folder && !present.has(pathKey(b)),
    );
    const all = entries.map((entry): TreeNode => ({ id: pathKey(entry), entry, gone: false }));
    for (const b of gone) {
      const entry: TreeEntry = { ...b, name: nameOf(b.path), type: 'file', size: 0 };
      all.push({ id: pathKey(b), entry, gone: true });
    }
    if (gone.length > 0) all.sort(byTypeAndName);
    for (const node of all) nodes.set(node.id, node);
    children.set(
      folder,
      all.map((n) => n.id),
    );
  }
  return { nodes, children };
}

const byTypeAndName = (a: TreeNode, b: TreeNode): number =>
  Number(b.entry.type === 'folder') - Number(a.entry.type === 'folder') ||
  a.entry.name.localeCompare(b.entry.name, undefined, { numeric: true });

/** Badges by file, and the folders that have a changed file somewhere below. */
export function badgeIndex(badges: readonly Badge[]): {
  readonly files: ReadonlyMap<string, Badge['badge']>;
  readonly folders: ReadonlySet<string>;
} {
  const folders = new Set<string>();
  for (const b of badges) for (let up = parentOf(b.path); up !== ''; up = parentOf(up)) folders.add(up);
  return { files: new Map(badges.map((b) => [pathKey(b), b.badge])), folders };
}
