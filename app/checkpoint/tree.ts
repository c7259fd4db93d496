// Git trees in memory: parsing, writing, looking up a path, applying edits, comparing.
// Owns: tree shapes. Does not own: where objects are (a reader is passed in), what a mode means beyond git's five.
// Invariant: names are bytes as latin1 text; only the folders that an edit or a difference touches are read.
import type { RelPath } from '../../shared/rel-path';

export type GitMode = '40000' | '100644' | '100755' | '120000' | '160000';
export type TreeEntry = { readonly mode: string; readonly oid: string };
export type Tree = ReadonlyMap<string, TreeEntry>;
export type TreeReader = (oid: string) => Promise<Tree>;
export type TreeWriter = (tree: Tree) => string;
export type Edits = ReadonlyMap<RelPath, TreeEntry | null>;

export const FOLDER_MODE = '40000';
/** The folder of a snapshot's root tree that holds the record. A project's own `.tidemark/` is never captured. */
export const RECORD_FOLDER = '.tidemark';
export const EMPTY_TREE: Tree = new Map();

export function parseTree(body: Buffer): Tree {
  const tree = new Map<string, TreeEntry>();
  let at = 0;
  while (at < body.length) {
    const space = body.indexOf(0x20, at);
    const nul = body.indexOf(0, space);
    const mode = body.toString('latin1', at, space);
    tree.set(body.toString('latin1', space + 1, nul), { mode, oid: body.toString('hex', nul + 1, nul + 21) });
    at = nul + 21;
  }
  return tree;
}

/** Git's order: by bytes, a folder as if its name ended in "/". */
export function formatTree(tree: Tree): Buffer {
  const rows = [...tree].map(([name, e]) => ({ key: e.mode === FOLDER_MODE ? `${name}/` : name, name, e }));
  rows.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const parts: Buffer[] = [];
  for (const { name, e } of rows)
    parts.push(Buffer.from(`${e.mode} ${name}\0`, 'latin1'), Buffer.from(e.oid, 'hex'));
  return Buffer.concat(parts);
}

/** The entry at a path; null where there is none. */
export async function lookUp(read: TreeReader, root: Tree, path: RelPath): Promise<TreeEntry | null> {
  const parts = path.split('/');
  let tree = root;
  for (const [i, part] of parts.entries()) {
    const entry = tree.get(part);
    if (entry === undefined) return null;
    if (i === parts.length - 1) return entry;
    if (entry.mode !== FOLDER_MODE) return null;
    tree = await read(entry.oid);
  }
  return null;
}

type EditNode = { readonly files: Map<string, TreeEntry | null>; readonly folders: Map<string, EditNode> };
const newNode = (): EditNode => ({ files: new Map(), folders: new Map() });

function editNodes(edits: Edits): EditNode {
  const root = newNode();
  for (const [path, entry] of edits) {
    const parts = path.split('/');
    const name = parts.pop() ?? '';
    let node = root;
    for (const part of parts) {
      const next = node.folders.get(part) ?? newNode();
      node.folders.set(part, next);
      node = next;
    }
    node.files.set(name, entry);
  }
  return root;
}

async function applyNode(read: TreeReader, write: TreeWriter, base: Tree, node: EditNode): Promise<Tree> {
  const tree = new Map(base);
  for (const [name, entry] of node.files) {
    if (entry !== null) tree.set(name, entry);
    // a file that is gone takes no folder of that name with it
    else if (tree.get(name)?.mode !== FOLDER_MODE) tree.delete(name);
  }
  for (const [name, below] of node.folders) {
    const present = tree.get(name);
    const isFolder = present?.mode === FOLDER_MODE;
    const sub = await applyNode(read, write, isFolder ? await read(present.oid) : EMPTY_TREE, below);
    if (sub.size > 0) tree.set(name, { mode: FOLDER_MODE, oid: write(sub) });
    else if (isFolder) tree.delete(name);
  }
  return tree;
}

/** The tree after the edits (null: gone). Folders left empty vanish. Only touched folders are read and written. */
export async function applyEdits(
  read: TreeReader,
  write: TreeWriter,
  base: Tree,
  edits: Edits,
): Promise<Tree> {
  return applyNode(read, write, base, editNodes(edits));
}

/** The trees of a whole list of files, built without reading anything. */
export async function buildTree(write: TreeWriter, files: Edits): Promise<Tree> {
  return applyNode(async () => EMPTY_TREE, write, EMPTY_TREE, editNodes(files));
}

export type TreeDifference = {
  readonly path: RelPath;
  readonly from: TreeEntry | null;
  readonly to: TreeEntry | null;
};

/** A root tree and how the trees below it are read. */
export type Rooted = { readonly root: Tree; readonly readTree: TreeReader };

const folderBelow = async (read: TreeReader, e: TreeEntry | undefined): Promise<Tree> =>
  e?.mode === FOLDER_MODE ? read(e.oid) : EMPTY_TREE;
const fileOnly = (e: TreeEntry | undefined): TreeEntry | null =>
  e === undefined || e.mode === FOLDER_MODE ? null : e;

/** Every file and link that differs, once a path. The record is not looked at. */
export async function diffTrees(from: Rooted, to: Rooted): Promise<TreeDifference[]> {
  const out: TreeDifference[] = [];
  const walk = async (a: Tree, b: Tree, prefix: string): Promise<void> => {
    for (const name of new Set([...a.keys(), ...b.keys()])) {
      if (prefix === '' && name === RECORD_FOLDER) continue;
      const x = a.get(name);
      const y = b.get(name);
      if (x !== undefined && y !== undefined && x.oid === y.oid && x.mode === y.mode) continue;
      const path = `${prefix}${name}` as RelPath;
      const difference = { path, from: fileOnly(x), to: fileOnly(y) };
      if (difference.from !== null || difference.to !== null) out.push(difference);
      if (x?.mode !== FOLDER_MODE && y?.mode !== FOLDER_MODE) continue;
      await walk(await folderBelow(from.readTree, x), await folderBelow(to.readTree, y), `${path}/`);
    }
  };
  await walk(from.root, to.root, '');
  return out;
}
