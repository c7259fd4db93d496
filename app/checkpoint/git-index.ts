// Git's index file (version 2), read and written in process. The engine keeps it as a stat cache only: `git diff-files`
// compares the whole workspace with it at the speed of C, and its answer is a list of candidates, never content.
// Owns: the format, with one optional extension (TDMK) for what the engine keeps beside the entries, so that both are
// replaced in one rename. Does not own: what the entries mean (stat-cache.ts).
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import type { RelPath } from '../../shared/rel-path';
import { placeDurably } from './durable';
import { errnoOf } from './failure';

/** Times, device, inode, mode, owner and size as git stores them: 40 bytes, big endian. All zero: "look at the file". */
export type RawStat = Uint8Array;
export type IndexRow = { readonly oid: string; readonly stat: RawStat };
export type IndexFile = {
  readonly rows: Map<RelPath, IndexRow>;
  readonly extra: string;
  /** checksum of the whole file: its identity */
  readonly id: string;
};

const STAT_BYTES = 40;
const MODE_AT = 24;
const SIGNATURE = 'TDMK';
const REGULAR = 0o100000;

export type FileStat = fs.BigIntStats;

const low32 = (n: bigint): number => Number(BigInt.asUintN(32, n));

/** Git knows two kinds of regular file, and links. */
export function indexMode(mode: number): number {
  if ((mode & 0o170000) !== REGULAR) return 0o120000;
  return (mode & 0o100) === 0 ? 0o100644 : 0o100755;
}

/** A stat that nothing matches: whoever compares looks at the file. */
export function blankStat(mode: number): RawStat {
  const raw = Buffer.alloc(STAT_BYTES);
  raw.writeUInt32BE(indexMode(mode), MODE_AT);
  return raw;
}

/** True when the stat was kept as proof of a state, and not left blank. */
export const isProof = (raw: RawStat): boolean =>
  raw.some((byte, i) => byte !== 0 && (i < MODE_AT || i > 27));

export function rawStat(s: FileStat): RawStat {
  const raw = Buffer.from(blankStat(Number(s.mode)));
  const second = 1_000_000_000n;
  // Git for Windows has no inode, owner or device, and its ctime is the time of birth
  const windows = process.platform === 'win32';
  const changed = windows ? s.birthtimeNs : s.ctimeNs;
  raw.writeUInt32BE(low32(changed / second), 0);
  raw.writeUInt32BE(low32(changed % second), 4);
  raw.writeUInt32BE(low32(s.mtimeNs / second), 8);
  raw.writeUInt32BE(low32(s.mtimeNs % second), 12);
  if (!windows) {
    raw.writeUInt32BE(low32(s.dev), 16);
    raw.writeUInt32BE(low32(s.ino), 20);
    raw.writeUInt32BE(low32(s.uid), 28);
    raw.writeUInt32BE(low32(s.gid), 32);
  }
  raw.writeUInt32BE(low32(s.size), 36);
  return raw;
}

/** True when the raw stat was taken from a file in exactly this state. */
export function sameStat(raw: RawStat, s: FileStat): boolean {
  return Buffer.compare(raw, rawStat(s)) === 0;
}

export function rowMode(row: IndexRow): number {
  return Buffer.from(row.stat.buffer, row.stat.byteOffset, STAT_BYTES).readUInt32BE(MODE_AT);
}

/** The index, or null when there is none or it is not one that this engine wrote whole. */
export function readIndex(file: string): IndexFile | null {
  let all: Buffer;
  try {
    all = fs.readFileSync(file);
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return null;
    throw thrown;
  }
  if (all.length < 32 || all.toString('latin1', 0, 4) !== 'DIRC' || all.readUInt32BE(4) !== 2) return null;
  const id = all.toString('hex', all.length - 20);
  const body = all.subarray(0, all.length - 20);
  if (createHash('sha1').update(body).digest('hex') !== id) return null;
  const rows = new Map<RelPath, IndexRow>();
  let at = 12;
  for (let n = all.readUInt32BE(8); n > 0; n--) {
    const name = at + STAT_BYTES + 22;
    const nul = all.indexOf(0, name);
    const oid = all.toString('hex', at + STAT_BYTES, at + STAT_BYTES + 20);
    rows.set(all.toString('latin1', name, nul) as RelPath, { oid, stat: all.subarray(at, at + STAT_BYTES) });
    at += (STAT_BYTES + 22 + (nul - name) + 8) & ~7;
  }
  if (at + 8 > body.length || all.toString('latin1', at, at + 4) !== SIGNATURE) return null;
  return { rows, id, extra: all.toString('utf8', at + 8, at + 8 + all.readUInt32BE(at + 4)) };
}

/** Replaces the index as a whole and returns its id. Not synced: after a power cut a fresh scan takes its place. */
export function writeIndex(file: string, rows: ReadonlyMap<RelPath, IndexRow>, extra: string): string {
  const names = [...rows.keys()].sort((a, b) => (a < b ? -1 : 1));
  let size = 12;
  for (const n of names) size += (STAT_BYTES + 22 + n.length + 8) & ~7;
  const note = Buffer.from(extra, 'utf8');
  const all = Buffer.alloc(size + 8 + note.length + 20);
  all.write('DIRC', 0, 'latin1');
  all.writeUInt32BE(2, 4);
  all.writeUInt32BE(names.length, 8);
  let at = 12;
  for (const n of names) {
    const row = rows.get(n);
    if (row === undefined) continue;
    all.set(row.stat, at);
    all.write(row.oid, at + STAT_BYTES, 'hex');
    all.writeUInt16BE(Math.min(n.length, 0xfff), at + STAT_BYTES + 20);
    all.write(n, at + STAT_BYTES + 22, 'latin1');
    at += (STAT_BYTES + 22 + n.length + 8) & ~7;
  }
  all.write(SIGNATURE, at, 'latin1');
  all.writeUInt32BE(note.length, at + 4);
  note.copy(all, at + 8);
  const sum = createHash('sha1')
    .update(all.subarray(0, all.length - 20))
    .digest();
  sum.copy(all, all.length - 20);
  placeDurably(file, [all], { sync: false });
  return sum.toString('hex');
}
