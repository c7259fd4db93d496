// When a file's stat proves that its content is still the one that was read, and comparing many files that way.
// Owns: two degrees of proof. Git compares whole seconds (unless it was built otherwise), so its index gets a stat only
// when the second of its times was over as the content was read. The engine compares nanoseconds, so a tick of the file
// system's clock is enough for it.
import fs from 'node:fs';
import type { RelPath } from '../../shared/rel-path';
import { blankStat, type FileStat, indexMode, isProof, type RawStat, rawStat, sameStat } from './git-index';
import { isSecondOver, isSettled, nowNs, parentOf, type WorkPath } from './work-file';

/** `stat` is for git's index; `exact` for the engine. Each is blank (null) where it proves nothing. */
export type Proof = { readonly stat: RawStat; readonly exact: RawStat | null };

/** What a stat that belongs to a content just read proves from now on. */
export function proofOf(s: FileStat): Proof {
  const times = [s.mtimeNs, s.ctimeNs];
  const now = nowNs();
  if (!isSettled(times, now)) return { stat: blankStat(Number(s.mode)), exact: null };
  const exact = rawStat(s);
  return { exact, stat: isSecondOver(times, now) ? exact : blankStat(Number(s.mode)) };
}

/** The proof that an entry of git's index is. */
export function proofInIndex(stat: RawStat): Proof {
  return { stat, exact: isProof(stat) ? stat : null };
}

/** An entry ready to be compared: made once, used at every look. */
type Probe = {
  readonly exact: RawStat | null;
  readonly parent: RelPath | null;
  readonly file: string | Buffer;
  readonly matches: (s: FileStat) => boolean;
};

export interface FileLook {
  /** Of these files, those that are not in the state, or not at the place, of their entry. */
  differing(files: ReadonlyMap<RelPath, Proof>): RelPath[];
}

const SECOND = 1_000_000_000n;
const low32 = (n: bigint): bigint => BigInt.asUintN(32, n);

/** What `sameStat` does, with the numbers of the entry taken out of it beforehand. */
function matcher(exact: RawStat): (s: FileStat) => boolean {
  if (process.platform === 'win32') return (s) => sameStat(exact, s);
  const raw = Buffer.from(exact.buffer, exact.byteOffset, exact.length);
  const at = (place: number): bigint => BigInt(raw.readUInt32BE(place));
  const [changed, modified] = [at(0) * SECOND + at(4), at(8) * SECOND + at(12)];
  const [dev, ino, uid, gid, size] = [at(16), at(20), at(28), at(32), at(36)];
  const mode = raw.readUInt32BE(24);
  return (s) =>
    s.ctimeNs === changed &&
    s.mtimeNs === modified &&
    low32(s.ino) === ino &&
    low32(s.size) === size &&
    low32(s.dev) === dev &&
    s.uid === uid &&
    s.gid === gid &&
    indexMode(Number(s.mode)) === mode;
}

function probeOf(at: WorkPath, p: RelPath, { exact }: Proof): Probe {
  const matches = exact === null ? (): boolean => false : matcher(exact);
  return { exact, parent: parentOf(p), file: at(p), matches };
}

/** Remembers what it was asked about, so that the next look at the same files costs little more than their lstat. */
export function openFileLook(at: WorkPath): FileLook {
  const probes = new Map<RelPath, Probe>();
  const probe = (p: RelPath, proof: Proof): Probe => {
    const known = probes.get(p);
    if (known !== undefined && known.exact === proof.exact) return known;
    const made = probeOf(at, p, proof);
    probes.set(p, made);
    return made;
  };
  const openFolders = (): ((folder: RelPath | null) => boolean) => {
    const real = new Map<RelPath, boolean>();
    const isReal = (folder: RelPath | null): boolean => {
      if (folder === null) return true;
      const known = real.get(folder);
      if (known !== undefined) return known;
      const found = isReal(parentOf(folder)) && fs.lstatSync(at(folder)).isDirectory();
      real.set(folder, found);
      return found;
    };
    return isReal;
  };
  return {
    differing: (files) => {
      const isReal = openFolders();
      const out: RelPath[] = [];
      for (const [p, proof] of files) {
        const { exact, parent, file, matches } = probe(p, proof);
        let same = false;
        try {
          same = exact !== null && isReal(parent) && matches(fs.lstatSync(file, { bigint: true }));
        } catch {
          // gone, or not to be looked at: whoever takes it finds out
        }
        if (!same) out.push(p);
      }
      if (probes.size > files.size) for (const p of probes.keys()) if (!files.has(p)) probes.delete(p);
      return out;
    },
  };
}
