// The trees of several folders as one: at its top stand the folders, each under the name that tools call it by.
// Owns: putting the name before paths and taking it off. Does not own: listing and watching (tree.ts).
import type { TreeEntry } from '../../shared/domain';
import { TidemarkError } from '../../shared/errors';
import {
  type PathText,
  type RelPath,
  relPathFromText,
  relPathOf,
  relPathToText,
} from '../../shared/rel-path';
import type { WorkspaceRoot } from './roots';
import { openTree, type Tree } from './tree';

type Branch = { readonly name: RelPath; readonly tree: Tree };

/** One folder is a tree of its own; several stand beside each other in one. */
export function openTrees(roots: readonly WorkspaceRoot[]): Tree {
  const [only, ...more] = roots;
  if (only !== undefined && more.length === 0) return openTree(only.path);
  const branches = roots.map((r): Branch => ({ name: relPathFromText(r.name), tree: openTree(r.path) }));

  const branchOf = (folder: RelPath): { readonly branch: Branch; readonly rest: RelPath } => {
    const [name, ...rest] = folder.split('/');
    const branch = branches.find((b) => b.name === name);
    if (branch !== undefined) return { branch, rest: rest.join('/') as RelPath };
    throw new TidemarkError(
      'path-refused',
      `"${relPathToText(folder).path}" is not a folder of this workspace.`,
    );
  };

  return {
    async open(folder) {
      if (folder === '') return branches.map((b) => topEntry(b.name));
      const { branch, rest } = branchOf(folder);
      const entries = await branch.tree.open(rest);
      return entries.map((entry) => ({ ...entry, ...below(branch, entry) }));
    },
    closeFolder(folder) {
      if (folder === '') return;
      const { branch, rest } = branchOf(folder);
      branch.tree.closeFolder(rest);
    },
    onChange(listener) {
      for (const branch of branches)
        branch.tree.onChange((folders) => listener(folders.map((f) => below(branch, f))));
    },
    onNotice(listener) {
      let told = false;
      for (const { tree } of branches) {
        tree.onNotice((text) => {
          if (!told) listener(text);
          told = true;
        });
      }
    },
    refreshAll() {
      for (const { tree } of branches) tree.refreshAll();
    },
    async close() {
      await Promise.all(branches.map((b) => b.tree.close()));
    },
  };
}

function topEntry(name: RelPath): TreeEntry {
  const text = relPathToText(name);
  return { ...text, name: text.path, type: 'folder', size: 0 };
}

function below({ name }: Branch, path: PathText): PathText {
  const rel = relPathOf(path);
  return relPathToText((rel === '' ? name : `${name}/${rel}`) as RelPath);
}
