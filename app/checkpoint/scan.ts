// The present of the workspace: what differs from the stat cache, read and hashed, as a view like any snapshot.
// Owns: gathering candidates (git diff-files, the walk, recorded paths), deciding what is captured, reading it.
// Does not own: keeping it (capture.ts). Invariant: whatever differs from the cache is a candidate, because the cache is
// never newer than what it was read from: W differs from the cache => it differs from the index (diff-files says so),
// or the index lags behind the cache (`lagging`), or the cache does not know it (the walk, the project's index). Where
// few files are looked at here, they are compared with the cache itself.
import { TidemarkError, throwIfAborted } from '../../shared/errors';
import type { RelPath } from '../../shared/rel-path';
import type { Skipped } from './engine';
import { gitText } from './git';
import { type Lender, openLender } from './lender';
import type { Batch } from './objects';
import { type Project, projectPlace } from './project-repo';
import { type Defaults, type Record, withAbsentFolders } from './record';
import { absentFolders, defaultsOf, foldersToRecord, unwalkedFolders } from './recorded-bits';
import { openRuleCheck } from './rule-check';
import { gatherRules, type RulesInForce, recordRules, ruleFilesKey } from './rules-in-force';
import type { Store } from './shadow-repo';
import { type Cached, FEW, oddBitsOf, openStatCache, type StatCache, treeEntry } from './stat-cache';
import { openFileLook } from './stat-proof';
import { type Taken, takeFiles } from './take-file';
import { applyEdits, formatTree, RECORD_FOLDER, type Tree, type TreeEntry } from './tree';
import type { View } from './view';
import { type FolderMemory, type Walk, walkFolders } from './walk';
import { nowNs, parentOf } from './work-file';

/** The workspace as it is now. `kept` goes into the cache when it is captured. */
export type Present = View & {
  readonly kept: {
    readonly edits: ReadonlyMap<RelPath, Cached | null>;
    readonly defaults: Defaults;
    readonly forced: ReadonlySet<RelPath>;
  };
};

export type ScanOptions = {
  readonly batch: Batch;
  readonly signal: AbortSignal;
  /** captured although the rules leave them out */
  readonly touched?: readonly RelPath[];
  /** look at the touched paths only; all else is as the cache has it */
  readonly only?: boolean;
  /**
   * root of a snapshot taken a moment ago: as long as that is what the cache holds, the known files are not compared
   * again, only folders, names that are not known, and the touched paths are
   */
  readonly since?: Tree;
  /** what `seen` gave a moment ago: known files beside these and the touched paths are not compared again */
  readonly seen?: Seen;
};

/** Which known files the last scan found to differ, as long as nothing was kept since. */
export type Seen = { readonly dirty: readonly RelPath[]; readonly epoch: number };

export interface Scanner {
  readonly cache: StatCache;
  scan(o: ScanOptions): Promise<Present>;
  /** What the last scan saw, for one that follows at once; null: there was none. */
  seen(): Seen | null;
  /** Takes a scan over into the cache, after its objects are durable. */
  keep(present: Present): void;
}

/** True when a tree of files is the one that a snapshot's root holds beside its record. */
function isContentOf(files: Tree, root: Tree): boolean {
  const content = new Map(root);
  content.delete(RECORD_FOLDER);
  return formatTree(files).equals(formatTree(content));
}

/** From so many files to be read on, it pays to ask what the project's repository has of them. */
const WORTH_LENDING = 200;

function lenderFor(store: Store, project: Project | null): Lender | null {
  if (project === null || project.problem !== null) return null;
  return openLender(projectPlace(store, project.root), project.paths.objects, store.place);
}

type Found = { walk: Walk; dirty: readonly RelPath[]; rules: RulesInForce };

export function openScanner(store: Store): Scanner {
  const cache = openStatCache(store.gitDir, store.objects);
  const memory: FolderMemory = new Map();
  let rules: RulesInForce | null = null;
  let filesKey = '';
  let lastWalk: Walk | null = null;
  const fileLook = openFileLook(store.at);
  let lastSeen: Seen | null = null;
  /** changes whenever the cache does */
  let epoch = 0;

  const walkOnce = async (inForce: RulesInForce, signal: AbortSignal): Promise<Walk> => {
    const check = openRuleCheck(inForce.layers);
    try {
      const known = (p: RelPath): boolean => cache.files.has(p);
      return await walkFolders({ at: store.at, root: store.workspace, memory, known, rules: check, signal });
    } finally {
      await check.close();
    }
  };
  /** Walks; again from scratch when the ignore files are not the ones that the memory was made with. */
  const walk = async (inForce: RulesInForce, signal: AbortSignal): Promise<Walk> => {
    if (rules?.key !== inForce.key) memory.clear();
    for (let attempt = 0; ; attempt++) {
      const cold = memory.size === 0;
      const since = nowNs();
      const found = await walkOnce(inForce, signal);
      const key = ruleFilesKey(store.at, found.rules, since);
      const same = key === filesKey;
      filesKey = key;
      if (cold || same || attempt === 2) return found;
      memory.clear();
    }
  };
  const diffFiles = async (signal: AbortSignal): Promise<RelPath[]> => {
    if (cache.files.size <= FEW) return fileLook.differing(cache.files);
    const out = await gitText(
      store.place,
      ['diff-files', '--name-only', '-z', '--no-renames', '--ignore-submodules=all'],
      { signal },
    );
    // git compares with the index, which is older than the cache there
    return [...(out.split('\0').filter((p) => p !== '') as RelPath[]), ...cache.lagging];
  };
  const refreshed = async (): Promise<boolean> => {
    const moved = await cache.refresh();
    if (moved) epoch++;
    return moved;
  };
  const look = async ({ signal, since, seen }: ScanOptions): Promise<Found> => {
    for (let attempt = 0; ; attempt++) {
      if (await refreshed()) memory.clear();
      const inForce = await gatherRules(store, signal, rules);
      const asLastSaved = since !== undefined && isContentOf(cache.root, since);
      const known = seen?.epoch === epoch ? seen.dirty : asLastSaved ? [] : null;
      const [dirty, walked] = await Promise.all([known ?? diffFiles(signal), walk(inForce, signal)]);
      rules = inForce;
      lastWalk = walked;
      if (!(await refreshed())) {
        lastSeen = { dirty, epoch };
        return { walk: walked, dirty, rules: inForce };
      }
      memory.clear();
      if (attempt === 3)
        throw new TidemarkError('workspace-busy', 'Another process keeps saving checkpoints of this folder.');
    }
  };
  const candidates = (found: Found, touched: readonly RelPath[]): Set<RelPath> => {
    const all = new Set<RelPath>([...found.dirty, ...found.walk.files, ...touched]);
    for (const p of found.rules.project?.tracked ?? []) if (!cache.files.has(p)) all.add(p);
    // a recorded path that was gone may be there again, and no walk finds what the rules leave out
    for (const p of cache.forced) if (!cache.files.has(p)) all.add(p);
    return all;
  };
  const take = async (o: ScanOptions, found: Found, paths: ReadonlySet<RelPath>): Promise<Taken> => {
    const { batch, signal } = o;
    const { rules: inForce, walk: walked } = found;
    const touched = new Set(o.touched);
    const all = { store, cache, batch, signal, rules: inForce, walk: walked, paths, touched };
    const lender = paths.size < WORTH_LENDING ? null : lenderFor(store, inForce.project);
    if (lender === null) return takeFiles(all);
    batch.lend(lender, signal);
    const taken = await takeFiles(all).catch(async (thrown: unknown) => {
      await batch.endLending();
      throw thrown;
    });
    return (await batch.endLending()) ? taken : takeFiles(all);
  };
  const present = async (o: ScanOptions, found: Found, paths: ReadonlySet<RelPath>): Promise<Present> => {
    const { batch } = o;
    const taken = await take(o, found, paths);
    const defaults = cache.defaults ?? defaultsOf(taken.edits, found.walk);
    const treeEdits = new Map<RelPath, TreeEntry | null>();
    const files = new Map(cache.oddBits);
    for (const [p, c] of taken.edits) {
      const before = cache.files.get(p);
      const odd = c === null ? null : oddBitsOf(c.mode, defaults);
      if (odd === null) files.delete(p);
      else files.set(p, odd);
      const entry = c === null ? null : treeEntry(c);
      const old = before === undefined ? null : treeEntry(before);
      if (entry?.oid !== old?.oid || entry?.mode !== old?.mode) treeEdits.set(p, entry);
    }
    throwIfAborted(o.signal);
    const root = await applyEdits(batch.readTree, batch.writeTree, cache.root, treeEdits);
    const captured = (p: RelPath): boolean => (taken.edits.get(p) ?? cache.files.get(p) ?? null) !== null;
    const forcedThere = new Set([...taken.forced].filter((p) => taken.edits.get(p) !== null && captured(p)));
    const folders = new Map([
      ...unwalkedFolders(store.at, forcedThere, found.walk, defaults.folder),
      ...foldersToRecord(cache, taken.edits, found.walk, defaults.folder),
    ]);
    const gone = absentFolders(
      store.at,
      [...taken.forced].filter((p) => !forcedThere.has(p)),
    );
    const problem = found.rules.project?.problem ?? null;
    const skipped: Skipped[] = [...found.walk.skipped, ...taken.skipped];
    if (problem !== null) skipped.push({ path: '.git' as RelPath, why: problem });
    const recorded = recordRules({
      batch,
      at: store.at,
      rules: found.rules,
      files: found.walk.rules,
      forced: withAbsentFolders(taken.forced, gone),
    });
    const record: Record = { defaults, files, folders, skipped, rules: recorded };
    return {
      root,
      record,
      readTree: batch.readTree,
      kept: { edits: taken.edits, defaults, forced: taken.forced },
    };
  };
  return {
    cache,
    seen: () => lastSeen,
    scan: async (o) => {
      const touched = o.touched ?? [];
      if (o.only === true && rules !== null && lastWalk !== null && !(await refreshed())) {
        return present(o, { walk: { ...lastWalk, files: [] }, dirty: [], rules }, new Set(touched));
      }
      for (let attempt = 0; ; attempt++) {
        try {
          const found = await look(o);
          return await present(o, found, candidates(found, touched));
        } catch (thrown) {
          // a folder that turned into a link while git was being asked about what is in it
          const moving = thrown instanceof TidemarkError && thrown.code === 'git-failed';
          if (!moving || attempt === 2) throw thrown;
          memory.clear();
        }
      }
    },
    keep: ({ kept, root }) => {
      for (const [p, c] of kept.edits) {
        // still there but no longer known: its folder has to be read again for it to be found
        const parent = parentOf(p) ?? '';
        if (c === null) memory.delete(parent);
      }
      cache.apply(kept.edits, root, kept.defaults, kept.forced);
      epoch++;
    },
  };
}
