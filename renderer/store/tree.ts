// The folders of the file tree that have been opened, each with its entries. Lazy: a folder is read when it is opened
// and again when the main process says that it changed.
import { create } from 'zustand';
import type { TreeEntry } from '../../shared/domain';
import type { PathText } from '../../shared/rel-path';
import { call } from '../bridge';

type TreeState = {
  readonly folders: ReadonlyMap<string, readonly TreeEntry[]>;
  /** changes only as a whole: the tree library compares it by identity */
  readonly expanded: string[];
};
export const useTree = create<TreeState>()(() => ({ folders: new Map(), expanded: [] }));

/** Names that are not UTF-8 look alike in text; their bytes tell them apart. */
export const pathKey = (p: PathText): string =>
  p.pathBase64 === undefined ? p.path : `${p.path}\u0000${p.pathBase64}`;

export async function readFolder(folder: PathText): Promise<void> {
  const result = await call('tree.open', folder);
  const folders = new Map(useTree.getState().folders);
  if (result.ok) folders.set(pathKey(folder), result.value.entries);
  else folders.delete(pathKey(folder));
  useTree.setState({ folders });
}

export function closeFolder(folder: PathText): void {
  const folders = new Map(useTree.getState().folders);
  folders.delete(pathKey(folder));
  useTree.setState({ folders });
  void call('tree.close', folder);
}

export const setExpanded = (expanded: string[]): void => useTree.setState({ expanded });

export function refreshFolders(changed: readonly PathText[]): void {
  const { folders } = useTree.getState();
  for (const folder of changed) if (folders.has(pathKey(folder))) void readFolder(folder);
}

/** Another folder is open in the window. */
export function resetTree(): void {
  useTree.setState({ folders: new Map(), expanded: [] });
  void readFolder({ path: '' });
}
