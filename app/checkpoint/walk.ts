// Walks the workspace's folders: finds files that the stat cache does not know, and all folders with their bits.
// Folders that did not change since the last walk are not read again (one lstat each), the way git's untracked cache
// works; git's own is not used because it says nothing of empty folders and permission bits.
// Owns: the memory of folders. Does not own: changes of known files (`git diff-files` finds those).
// Invariants: no link is followed; no `.git` is entered; a folder that cannot be read is named, not taken for empty.
import fs from 'node:fs';
import { throwIfAborted } from '../../shared/errors';
import type { RelPath } from '../../shared/rel-path';
import { TEMPORARY_SUFFIX } from '../../shared/temporary';
import type { Skipped } from './engine';
import { isNeverCaptured } from './exclusions';
import { errnoOf, isAbsent } from './failure';
import type { RuleCheck } from './rule-check';
import { isSettled, nameBytes, nowNs, type WorkPath } from './work-file';

type Folder = {
  /** times and inode: while they stay, so do the names */
  readonly stamp: string;
  readonly settled: boolean;
  readonly bits: number;
  readonly folders: readonly RelPath[];
  /** files and links that the rules let in and that were not known when the folder was read */
  readonly files: readonly RelPath[];
  readonly special: readonly Skipped[];
  /** names in it that the rules leave out, a folder's with "/" after it */
  readonly out: readonly string[];
  /** the ignore and attributes files in it */
  readonly rules: readonly RelPath[];
};

export type FolderMemory = Map<RelPath | '', Folder>;

export type Walk = {
  readonly files: readonly RelPath[];
  /** every folder that belongs to the workspace, with its permission bits */
  readonly folders: ReadonlyMap<RelPath, number>;
  readonly skipped: readonly Skipped[];
  /** every `.gitignore` and `.gitattributes` in force, captured or not */
  readonly rules: readonly RelPath[];
};

export type WalkOptions = {
  readonly at: WorkPath;
  readonly root: string;
  readonly memory: FolderMemory;
  readonly known: (path: RelPath) => boolean;
  readonly rules: RuleCheck;
  readonly signal: AbortSignal;
};

type Seen = {
  readonly path: RelPath | '';
  readonly stat: fs.BigIntStats;
  readonly entries: readonly fs.Dirent<Buffer>[];
};

const where = (o: WalkOptions, p: RelPath | ''): string | Buffer => (p === '' ? o.root : o.at(p));
const stampOf = (s: fs.BigIntStats): string => `${s.ino} ${s.mtimeNs} ${s.ctimeNs}`;

function whatIs(e: fs.Dirent<Buffer>): string {
  if (e.isFIFO()) return 'a pipe, not a file';
  if (e.isSocket()) return 'a socket, not a file';
  return 'a device, not a file';
}

/** Looks at one folder: its remembered content, a fresh list of names, a reason why not, or null when it is gone. */
function look(o: WalkOptions, p: RelPath | ''): Folder | Seen | string | null {
  try {
    const stat = fs.lstatSync(where(o, p), { bigint: true });
    if (!stat.isDirectory()) return null;
    const remembered = o.memory.get(p);
    if (remembered?.settled === true && remembered.stamp === stampOf(stat)) return remembered;
    const entries = fs.readdirSync(where(o, p), {
      withFileTypes: true,
      encoding: 'buffer',
    }) as unknown as fs.Dirent<Buffer>[];
    const again = fs.lstatSync(where(o, p), { bigint: true });
    // replaced by a link between the two calls: what was read lies elsewhere
    if (!again.isDirectory() || again.ino !== stat.ino) return null;
    return { path: p, stat, entries };
  } catch (thrown) {
    if (isAbsent(thrown) && p !== '') return null;
    const code = errnoOf(thrown);
    if (code === 'ENAMETOOLONG') return 'its path is too long';
    if (code === 'EACCES' || code === 'EPERM') return 'the folder cannot be read (permission denied)';
    throw thrown;
  }
}

type Names = {
  readonly folders: RelPath[];
  readonly files: RelPath[];
  readonly special: Skipped[];
  readonly rules: RelPath[];
};

function sortNames(o: WalkOptions, seen: Seen): Names {
  const names: Names = { folders: [], files: [], special: [], rules: [] };
  for (const e of seen.entries) {
    const name = nameBytes(e.name);
    const p = (seen.path === '' ? name : `${seen.path}/${name}`) as RelPath;
    if (isNeverCaptured(p) || name.endsWith(TEMPORARY_SUFFIX)) continue;
    if (e.isFile() && (name === '.gitignore' || name === '.gitattributes')) names.rules.push(p);
    if (e.isDirectory()) names.folders.push(p);
    else if (e.isFile() || e.isSymbolicLink()) {
      if (!o.known(p)) names.files.push(p);
    } else names.special.push({ path: p, why: whatIs(e) });
  }
  return names;
}

/**
 * Of these names, the ones that are left out. Only what is new is asked: the memory is emptied when rules change, so
 * what they said of a name of the same kind still holds.
 */
async function leftOut(o: WalkOptions, all: readonly (readonly [Seen, Names])[]): Promise<Set<RelPath>> {
  const out = new Set<RelPath>();
  const ask: RelPath[] = [];
  for (const [seen, n] of all) {
    const before = o.memory.get(seen.path);
    const [was, wasFolder] = [new Set(before?.out), new Set(before?.folders)];
    const wasFile = new Set(before?.files);
    for (const p of n.folders) {
      if (was.has(`${p}/`)) out.add(p);
      else if (!wasFolder.has(p)) ask.push(p);
    }
    for (const p of [...n.files, ...n.special.map((s) => s.path)]) {
      if (was.has(p)) out.add(p);
      else if (!wasFile.has(p)) ask.push(p);
    }
  }
  for (const p of await o.rules.leftOut(ask)) out.add(p);
  return out;
}

async function remember(o: WalkOptions, all: readonly Seen[]): Promise<void> {
  const named = all.map((seen) => [seen, sortNames(o, seen)] as const);
  const out = await leftOut(o, named);
  for (const [seen, n] of named) {
    const special = n.special.map((s) => s.path);
    o.memory.set(seen.path, {
      stamp: stampOf(seen.stat),
      settled: isSettled([seen.stat.mtimeNs, seen.stat.ctimeNs], nowNs()),
      bits: Number(seen.stat.mode) & 0o7777,
      folders: n.folders.filter((p) => !out.has(p)),
      files: n.files.filter((p) => !out.has(p)),
      special: n.special.filter((s) => !out.has(s.path)),
      out: [
        ...n.folders.filter((p) => out.has(p)).map((p) => `${p}/`),
        ...[...n.files, ...special].filter((p) => out.has(p)),
      ],
      rules: n.rules,
    });
  }
}

/** Walks level by level, so that the rules are asked once a level. Forgets folders that are no longer there. */
export async function walkFolders(o: WalkOptions): Promise<Walk> {
  const files: RelPath[] = [];
  const skipped: Skipped[] = [];
  const rules: RelPath[] = [];
  const folders = new Map<RelPath, number>();
  const visited = new Set<RelPath | ''>();
  let level: (RelPath | '')[] = [''];
  while (level.length > 0) {
    throwIfAborted(o.signal);
    const fresh: Seen[] = [];
    const here: (RelPath | '')[] = [];
    for (const p of level) {
      const found = look(o, p);
      if (found === null) continue;
      if (typeof found === 'string') {
        skipped.push({ path: p as RelPath, why: found });
        continue;
      }
      here.push(p);
      if ('entries' in found) fresh.push(found);
    }
    await remember(o, fresh);
    level = [];
    for (const p of here) {
      const folder = o.memory.get(p);
      if (folder === undefined) continue;
      visited.add(p);
      if (p !== '') folders.set(p, folder.bits);
      for (const f of folder.files) if (!o.known(f)) files.push(f);
      skipped.push(...folder.special);
      rules.push(...folder.rules);
      level.push(...folder.folders);
    }
    // a level may be long: let messages and timers through
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (const p of o.memory.keys()) if (!visited.has(p)) o.memory.delete(p);
  return { files, folders, skipped, rules };
}
