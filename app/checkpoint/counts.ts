// Line counts, binary flags and renames, as git finds them.
// Owns: running `diff-tree` on two trees, one of which may exist in memory only. Invariant: such a tree is written to
// a folder of its own that is removed afterwards; looking never adds to the store.
import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { RelPath } from '../../shared/rel-path';
import type { Count, Rename } from './changes';
import { gitText } from './git';
import { type Batch, writePack } from './objects';
import type { Store } from './shadow-repo';
import { RECORD_FOLDER, type Tree } from './tree';

export type Counts = { readonly counts: Map<RelPath, Count>; readonly renames: Rename[] };

const contentTree = (batch: Batch, root: Tree): string => {
  const content = new Map(root);
  content.delete(RECORD_FOLDER);
  return batch.writeTree(content);
};

/** `--raw --numstat -z`: raw records first (":modes oids status NUL path NUL [path NUL]"), then the numbers. */
function parse(text: string): Counts {
  const fields = text.split('\0');
  const counts = new Map<RelPath, Count>();
  const renames: Rename[] = [];
  let i = 0;
  for (; fields[i]?.startsWith(':') === true; i += 2) {
    const status = fields[i]?.split(' ')[4] ?? '';
    if (!status.startsWith('R')) continue;
    renames.push({
      similarity: Number(status.slice(1)),
      from: fields[i + 1] as RelPath,
      to: fields[i + 2] as RelPath,
    });
    i++;
  }
  for (; i < fields.length - 1; i++) {
    const [added = '', removed = '', ...rest] = (fields[i] ?? '').split('\t');
    let name = rest.join('\t');
    // a rename: the name is empty, and the old and the new one follow
    if (name === '') {
      name = fields[i + 2] ?? '';
      i += 2;
    }
    const binary = added === '-';
    counts.set(name as RelPath, {
      binary,
      added: binary ? null : Number(added),
      removed: binary ? null : Number(removed),
    });
  }
  return { counts, renames };
}

const ARGS = [
  'diff-tree',
  '-r',
  '-M',
  '--raw',
  '--numstat',
  '-z',
  '--no-abbrev',
  '--no-ext-diff',
  '--no-textconv',
  '--ignore-submodules=all',
];

/** Counts the lines between two trees; the batch holds what is not in the store. */
export async function countLines(
  store: Store,
  batch: Batch,
  from: Tree,
  to: Tree,
  signal: AbortSignal,
): Promise<Counts> {
  const trees = [contentTree(batch, from), contentTree(batch, to)];
  const pending = batch.pending();
  const folder = mkdtempSync(path.join(store.gitDir, 'tidemark', 'look-'));
  try {
    if (pending.length > 0) await writePack(path.join(folder, 'pack'), pending);
    const env = {
      GIT_INDEX_FILE: path.join(store.gitDir, 'no-index'),
      GIT_OBJECT_DIRECTORY: folder,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: path.join(store.gitDir, 'objects'),
    };
    return parse(await gitText(store.place, [...ARGS, ...trees], { signal, env }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
