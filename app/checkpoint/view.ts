// A workspace at one moment, read path by path: a snapshot of the store, or a scan of the present.
// Owns: the state of a path (mode with all permission bits, content id) and the comparison of two moments.
// Invariant: a state says all that a restore can bring back; two equal states need no work.
import type { RelPath } from '../../shared/rel-path';
import type { EntryState } from './engine';
import type { Record } from './record';
import { diffTrees, EMPTY_TREE, FOLDER_MODE, lookUp, type Rooted, type TreeEntry } from './tree';
import { parentsOf } from './work-file';

export type View = Rooted & { readonly record: Record };

const octal = (n: number): string => n.toString(8).padStart(6, '0');

/** A file's or link's state from its tree entry and the record. */
export function fileState(record: Record, path: RelPath, entry: TreeEntry): EntryState {
  if (entry.mode === '120000') return { mode: '120000', oid: entry.oid };
  const usual = entry.mode === '100755' ? record.defaults.program : record.defaults.file;
  return { mode: octal(0o100000 | (record.files.get(path) ?? usual)), oid: entry.oid };
}

const folderState = (bits: number): EntryState => ({ mode: octal(0o040000 | bits), oid: null });

const implied = new WeakMap<Record, ReadonlySet<RelPath>>();

/** Folders that are there because a recorded one lies in them. */
function impliedFolders(record: Record): ReadonlySet<RelPath> {
  const known = implied.get(record);
  if (known !== undefined) return known;
  const found = new Set([...record.folders.keys()].flatMap(parentsOf));
  implied.set(record, found);
  return found;
}

/** What stands at a path; null: nothing. A folder counts when it holds something captured, or is recorded. */
export async function stateAt(view: View, path: RelPath): Promise<EntryState | null> {
  const entry = await lookUp(view.readTree, view.root, path);
  if (entry !== null && entry.mode !== FOLDER_MODE) return fileState(view.record, path, entry);
  const recorded = view.record.folders.get(path);
  if (recorded !== undefined) return folderState(recorded.bits);
  const there = entry !== null || impliedFolders(view.record).has(path);
  return there ? folderState(view.record.defaults.folder) : null;
}

export const isFolder = (s: EntryState | null): boolean => s !== null && s.oid === null;
export const isLink = (s: EntryState | null): boolean => s?.mode === '120000';
export const isRegular = (s: EntryState | null): boolean => s?.mode.startsWith('10') === true;
export const bitsOf = (s: EntryState): number => Number.parseInt(s.mode, 8) & 0o7777;

export function sameState(a: EntryState | null, b: EntryState | null): boolean {
  if (a === null || b === null) return a === b;
  return a.mode === b.mode && a.oid === b.oid;
}

export type Difference = { readonly from: EntryState | null; readonly to: EntryState | null };

async function folderDifferences(a: View, b: View, out: Map<RelPath, Difference>): Promise<void> {
  for (const path of new Set([...a.record.folders.keys(), ...b.record.folders.keys()])) {
    const [x, y] = [a.record.folders.get(path), b.record.folders.get(path)];
    if (x !== undefined && y !== undefined && x.bits === y.bits) continue;
    const [from, to] = [await stateAt(a, path), await stateAt(b, path)];
    if (!sameState(from, to)) out.set(path, { from, to });
  }
  if (a.record.defaults.folder === b.record.defaults.folder) return;
  // with other defaults a folder that neither records may have other bits all the same
  const both = [...(await filesOf(a)), ...(await filesOf(b))].flatMap(parentsOf);
  for (const path of new Set([...both, ...impliedFolders(a.record), ...impliedFolders(b.record)])) {
    const [from, to] = [await stateAt(a, path), await stateAt(b, path)];
    if (isFolder(from) && isFolder(to) && !sameState(from, to)) out.set(path, { from, to });
  }
}

/**
 * Every path whose state differs, sorted. Folders count only where they are empty or have bits of their own;
 * others come and go with what is in them.
 */
export async function differences(a: View, b: View): Promise<Map<RelPath, Difference>> {
  const out = new Map<RelPath, Difference>();
  for (const d of await diffTrees(a, b)) {
    const from = d.from === null ? null : fileState(a.record, d.path, d.from);
    const to = d.to === null ? null : fileState(b.record, d.path, d.to);
    out.set(d.path, { from, to });
  }
  const { files: x, defaults: p } = a.record;
  const { files: y, defaults: q } = b.record;
  // files of one content whose bits differ; differing defaults put every file in question, seldom enough to be slow
  const sameDefaults = p.file === q.file && p.program === q.program && p.folder === q.folder;
  const paths = sameDefaults ? [...x.keys(), ...y.keys()] : [...(await filesOf(a))];
  for (const path of new Set(paths)) {
    if (out.has(path) || (sameDefaults && x.get(path) === y.get(path))) continue;
    const [from, to] = [await stateAt(a, path), await stateAt(b, path)];
    if (!sameState(from, to)) out.set(path, { from, to });
  }
  await folderDifferences(a, b, out);
  return new Map([...out].sort(([m], [n]) => (m < n ? -1 : 1)));
}

/** Every captured file and link of a view. */
export async function filesOf(view: View): Promise<Set<RelPath>> {
  return new Set((await diffTrees({ root: EMPTY_TREE, readTree: view.readTree }, view)).map((d) => d.path));
}
