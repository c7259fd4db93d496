// The packs of a store as files: which there are, and taking some away.
// Owns: their names and their order of removal. Does not own: which may go (maintenance.ts).
import fs from 'node:fs';
import path from 'node:path';
import { syncFolder } from './durable';
import { isAbsent } from './failure';
import type { Store } from './shadow-repo';

export type PackFile = { readonly name: string; readonly changedMs: number };

const folderOf = (store: Store): string => path.join(store.gitDir, 'objects', 'pack');

/** Where a pack of this name is, without the end of its file name. */
export const packAt = (store: Store, name: string): string => path.join(folderOf(store), name);

/** Whole packs by name, sorted. */
export function packsOf(store: Store): PackFile[] {
  const names = new Set(fs.readdirSync(folderOf(store)));
  const packs: PackFile[] = [];
  for (const file of [...names].sort()) {
    const name = /^(pack-[0-9a-f]{40})\.idx$/.exec(file)?.[1];
    if (name === undefined || !names.has(`${name}.pack`)) continue;
    const stat = fs.statSync(path.join(folderOf(store), `${name}.pack`), { throwIfNoEntry: false });
    if (stat !== undefined) packs.push({ name, changedMs: stat.mtimeMs });
  }
  return packs;
}

/** Removes packs: the index of each first, so that it is there as a whole or not at all. */
export function removePacks(store: Store, names: Iterable<string>): void {
  const wanted = new Set(names);
  if (wanted.size === 0) return;
  const files = fs.readdirSync(folderOf(store)).filter((f) => wanted.has(path.parse(f).name));
  for (const f of files.sort((a, b) => Number(b.endsWith('.idx')) - Number(a.endsWith('.idx'))))
    fs.rmSync(path.join(folderOf(store), f), { force: true });
  syncFolder(folderOf(store));
}

const OLD_MS = 60 * 60 * 1000;

/** What a clean-up left that was killed, and packs that a crash left without an index. For whoever cleans up alone. */
export function sweepPacks(store: Store): void {
  const names = new Set(fs.readdirSync(folderOf(store)));
  for (const file of names) {
    const at = path.join(folderOf(store), file);
    const half = file.endsWith('.pack') && !names.has(`${path.parse(file).name}.idx`);
    const ours = /^(tmp_(pack|idx|rev)_|\.tmp-)/.test(file);
    if (!half && !ours) continue;
    const stat = fs.statSync(at, { throwIfNoEntry: false });
    if (ours || (stat !== undefined && Date.now() - stat.mtimeMs >= OLD_MS)) fs.rmSync(at, { force: true });
  }
}

/** The bytes of all files below a folder. */
export function folderBytes(folder: string): number {
  let sum = 0;
  for (const e of fs.readdirSync(folder, { withFileTypes: true })) {
    const at = path.join(folder, e.name);
    try {
      sum += e.isDirectory() ? folderBytes(at) : fs.lstatSync(at).size;
    } catch (thrown) {
      if (!isAbsent(thrown)) throw thrown;
    }
  }
  return sum;
}
