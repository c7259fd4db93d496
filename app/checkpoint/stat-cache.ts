// What the last capture knew of every file: its content id, its mode and the stat that proves it unchanged.
// Owns: the files in memory, their tree, and their copy in the store's git index. Does not own: looking at files.
// Invariants: memory is never older than the index on disk; `lagging` are the paths in which it is newer, and they are
// always looked at again, so a file put back to what the index holds is not taken for unchanged. A lost or foreign
// index costs a full scan, never a byte.
import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { RelPath } from '../../shared/rel-path';
import { isAbsent } from './failure';
import { indexMode, readIndex, rowMode, writeIndex } from './git-index';
import type { Batch, Objects } from './objects';
import { objectId } from './pack';
import type { Defaults } from './record';
import { secretByName } from './secrets';
import { type Proof, proofInIndex } from './stat-proof';
import { buildTree, EMPTY_TREE, formatTree, type Tree, type TreeEntry } from './tree';
import { parentsOf } from './work-file';

export type Cached = Proof & { readonly oid: string; readonly mode: number };
export type CacheEdits = ReadonlyMap<RelPath, Cached | null>;

export interface StatCache {
  readonly files: ReadonlyMap<RelPath, Cached>;
  /** permission bits that differ from the defaults */
  readonly oddBits: ReadonlyMap<RelPath, number>;
  readonly defaults: Defaults | null;
  readonly forced: ReadonlySet<RelPath>;
  readonly lagging: ReadonlySet<RelPath>;
  /** how many files there are below each folder */
  readonly below: ReadonlyMap<RelPath, number>;
  /** the tree of all files */
  readonly root: Tree;
  /** Takes the index from disk when another process has replaced it. True: it did. */
  refresh(): Promise<boolean>;
  apply(edits: CacheEdits, root: Tree, defaults: Defaults, forced: Iterable<RelPath>): void;
  /** Writes the index, if it is not up to date. */
  save(): void;
  /** True when so much lags behind that it should be written. */
  readonly saveIsDue: boolean;
}

const extraSchema = z.object({
  v: z.literal(1),
  defaults: z.object({ file: z.number(), program: z.number(), folder: z.number() }),
  bits: z.array(z.tuple([z.string(), z.number()])),
  forced: z.array(z.string()),
});

/**
 * So many files may lag behind before the index is written, or one in LAGGING_SHARE where that is more: where git
 * compares, each of them is read again at every scan.
 */
const LAGGING = 50;
const LAGGING_SHARE = 200;
/** Where the engine compares, only the first scan after a crash has to read them again. */
const LAGGING_HERE = 1_000;

export const treeEntry = (c: Cached): TreeEntry => ({ mode: indexMode(c.mode).toString(8), oid: c.oid });

export function oddBitsOf(mode: number, d: Defaults): number | null {
  if ((mode & 0o170000) === 0o120000) return null;
  const bits = mode & 0o7777;
  return bits === ((mode & 0o100) === 0 ? d.file : d.program) ? null : bits;
}

function stampOf(file: string): string {
  try {
    const s = fs.statSync(file, { bigint: true });
    return `${s.ino} ${s.size} ${s.mtimeNs}`;
  } catch (thrown) {
    if (isAbsent(thrown)) return '';
    throw thrown;
  }
}

/**
 * Up to so many files the engine compares them with the cache itself, by times in nanoseconds. Beyond, git does it in
 * threads of its own, beside our walk; but starting it takes long where much else goes on (10,000 files beside other
 * work: 45 ms here, 115 ms with git).
 */
export const FEW = 20_000;

type Loaded = {
  files: Map<RelPath, Cached>;
  oddBits: Map<RelPath, number>;
  defaults: Defaults;
  forced: Set<RelPath>;
};

function loadIndex(file: string): Loaded | null {
  const index = readIndex(file);
  if (index === null) return null;
  const extra = extraSchema.safeParse(JSON.parse(index.extra));
  if (!extra.success) return null;
  const { defaults, bits, forced } = extra.data;
  const oddBits = new Map(bits as [RelPath, number][]);
  const files = new Map<RelPath, Cached>();
  for (const [p, row] of index.rows) {
    // the list of secrets may have grown since
    if (secretByName(p) !== null) continue;
    const kind = rowMode(row);
    const usual = kind === 0o100755 ? defaults.program : defaults.file;
    const mode = kind === 0o120000 ? 0o120777 : 0o100000 | (oddBits.get(p) ?? usual);
    files.set(p, { oid: row.oid, mode, ...proofInIndex(row.stat) });
  }
  return { files, oddBits, defaults, forced: new Set(forced as RelPath[]) };
}

/** Adds or takes away one file below each of its folders. */
export function countBelow(below: Map<RelPath, number>, file: RelPath, by: 1 | -1): void {
  for (const parent of parentsOf(file)) below.set(parent, (below.get(parent) ?? 0) + by);
}

/** Opens the cache over `<gitDir>/index`; empty until `refresh`. */
export function openStatCache(gitDir: string, objects: Objects): StatCache {
  const file = path.join(gitDir, 'index');
  let state: Loaded | null = null;
  let root: Tree = EMPTY_TREE;
  let stamp = '';
  const lagging = new Set<RelPath>();
  const below = new Map<RelPath, number>();

  /** An entry whose content the store has lost is no proof of anything: the file is read again. */
  const dropLost = async (): Promise<void> => {
    const lost = await objects.missing([...(state?.files.values() ?? [])].map((c) => c.oid));
    for (const [p, c] of state?.files ?? []) if (lost.has(c.oid)) state?.files.delete(p);
  };
  const rebuildTree = async (batch: Batch): Promise<void> => {
    const entries = new Map<RelPath, TreeEntry>();
    for (const [p, c] of state?.files ?? []) entries.set(p, treeEntry(c));
    root = await buildTree(batch.writeTree, entries);
    // one tree being there means all below it are: they are written together
    if (root.size > 0 && !objects.has(objectId('tree', formatTree(root)))) {
      batch.writeTree(root);
      await batch.flush();
    }
  };
  const save = (): void => {
    if (state === null) return;
    const extra = { v: 1, defaults: state.defaults, bits: [...state.oddBits], forced: [...state.forced] };
    writeIndex(file, state.files, JSON.stringify(extra));
    stamp = stampOf(file);
    lagging.clear();
  };
  return {
    get files() {
      return state?.files ?? new Map<RelPath, Cached>();
    },
    get oddBits() {
      return state?.oddBits ?? new Map<RelPath, number>();
    },
    get defaults() {
      return state?.defaults ?? null;
    },
    get forced() {
      return state?.forced ?? new Set<RelPath>();
    },
    lagging,
    below,
    get root() {
      return root;
    },
    refresh: async () => {
      const found = stampOf(file);
      if (found === stamp) return false;
      state = loadIndex(file);
      if (stamp === '') await dropLost();
      stamp = found;
      lagging.clear();
      below.clear();
      for (const p of state?.files.keys() ?? []) countBelow(below, p, 1);
      await rebuildTree(objects.batch());
      return true;
    },
    apply: (edits, newRoot, defaults, forced) => {
      state ??= { files: new Map(), oddBits: new Map(), defaults, forced: new Set() };
      for (const [p, c] of edits) {
        lagging.add(p);
        if (state.files.has(p) !== (c !== null)) countBelow(below, p, c === null ? -1 : 1);
        if (c === null) state.files.delete(p);
        else state.files.set(p, c);
        const odd = c === null ? null : oddBitsOf(c.mode, defaults);
        if (odd === null) state.oddBits.delete(p);
        else state.oddBits.set(p, odd);
      }
      state.forced = new Set(forced);
      root = newRoot;
    },
    save: () => {
      if (lagging.size > 0) save();
    },
    get saveIsDue() {
      const files = state?.files.size ?? 0;
      return lagging.size > (files <= FEW ? LAGGING_HERE : Math.max(LAGGING, files / LAGGING_SHARE));
    },
  };
}
