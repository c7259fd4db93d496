// Files of the workspace as the engine sees them: never through a link, never half of a write.
// Owns: lstat with every parent a real folder, reading with a check that nothing moved meanwhile, hashing.
// Does not own: which paths are looked at (scan.ts).
import fs from 'node:fs';
import path from 'node:path';
import type { RelPath } from '../../shared/rel-path';
import { errnoOf, isAbsent } from './failure';
import type { FileStat } from './git-index';

export type WorkPath = (path: RelPath) => string | Buffer;

// biome-ignore lint/suspicious/noControlCharactersInRegex: names may hold them
const ASCII = /^[\x01-\x7f]*$/;

/**
 * How to reach a RelPath below a folder. Bytes where the system has byte names, text on Windows, and text where both
 * are the same, because that takes half the time.
 */
export function workPaths(root: string): WorkPath {
  if (process.platform === 'win32') {
    return (p) => path.join(root, ...Buffer.from(p, 'latin1').toString('utf8').split('/'));
  }
  const text = `${root}/`;
  const prefix = Buffer.from(text);
  return (p) => (ASCII.test(p) ? text + p : Buffer.concat([prefix, Buffer.from(p, 'latin1')]));
}

/** The name of a folder entry as part of a RelPath. */
export function nameBytes(name: string | Buffer): string {
  return (typeof name === 'string' ? Buffer.from(name, 'utf8') : name).toString('latin1');
}

export function parentOf(p: RelPath): RelPath | null {
  const slash = p.lastIndexOf('/');
  return slash < 0 ? null : (p.slice(0, slash) as RelPath);
}

/** Every folder above a path, the outermost first. */
export function parentsOf(p: RelPath): RelPath[] {
  const out: RelPath[] = [];
  for (let i = p.indexOf('/'); i > 0; i = p.indexOf('/', i + 1)) out.push(p.slice(0, i) as RelPath);
  return out;
}

/** lstat of the path itself; null when it is not there, or lies beyond a link or a file. */
export function lstatInside(at: WorkPath, p: RelPath): FileStat | null {
  try {
    for (const parent of parentsOf(p)) if (!fs.lstatSync(at(parent)).isDirectory()) return null;
    return fs.lstatSync(at(p), { bigint: true });
  } catch (thrown) {
    if (isAbsent(thrown)) return null;
    throw thrown;
  }
}

/** True when something above the path is there and is no folder: then the path is nowhere, whatever a link leads to. */
export function isBeyondLink(at: WorkPath, p: RelPath): boolean {
  return parentsOf(p).some(
    (parent) => fs.lstatSync(at(parent), { throwIfNoEntry: false })?.isDirectory() === false,
  );
}

const sameState = (a: FileStat, b: FileStat): boolean =>
  a.mtimeNs === b.mtimeNs &&
  a.ctimeNs === b.ctimeNs &&
  a.size === b.size &&
  a.ino === b.ino &&
  a.mode === b.mode;

export type ReadOutcome =
  | { readonly kind: 'read'; readonly body: Buffer; readonly stat: FileStat }
  | { readonly kind: 'gone' }
  | { readonly kind: 'changing' }
  | { readonly kind: 'denied' };

function readOnce(at: WorkPath, p: RelPath, stat: FileStat): Buffer {
  if (stat.isSymbolicLink()) return fs.readlinkSync(at(p), { encoding: 'buffer' });
  // O_NOFOLLOW: a link put in its place just now is an error, not a way out of the workspace;
  // O_NONBLOCK: a pipe put in its place does not hang us
  const fd = fs.openSync(
    at(p),
    fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0),
  );
  try {
    return fs.readFileSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/**
 * Reads a file or link as it is at one moment: a file that moves while it is read is read again, up to five times.
 * `first` is a state seen just before, through `lstatInside`.
 */
export function readStill(at: WorkPath, p: RelPath, first: FileStat | null = null): ReadOutcome {
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      const before = attempt === 0 && first !== null ? first : lstatInside(at, p);
      if (before === null || (!before.isFile() && !before.isSymbolicLink())) return { kind: 'gone' };
      const body = readOnce(at, p, before);
      // the same inode at the same path: no folder above it was swapped for a link meanwhile
      const after = fs.lstatSync(at(p), { bigint: true });
      if (sameState(before, after)) return { kind: 'read', body, stat: after };
    } catch (thrown) {
      if (isAbsent(thrown)) return { kind: 'gone' };
      const code = errnoOf(thrown);
      if (code === 'EACCES' || code === 'EPERM' || code === 'EIO') return { kind: 'denied' };
      if (code !== 'ELOOP' && code !== 'EINVAL') throw thrown;
    }
  }
  return { kind: 'changing' };
}

const SECOND = 1_000_000_000n;
/** The kernel stamps files with a clock that runs in ticks, so a stamp may lie a little before its moment. */
const TICK = 60_000_000n;

/**
 * True when something in this state cannot change again without other times: they are older than a tick of the file
 * system's clock. Times on whole seconds mean a coarse clock (FAT counts in steps of two seconds).
 */
export function isSettled(times: readonly bigint[], now: bigint): boolean {
  return times.every((t) => now - t > (t % SECOND === 0n ? 2n * SECOND + TICK : TICK));
}

/** The same for whoever compares whole seconds only, as git does unless it was built otherwise. */
export function isSecondOver(times: readonly bigint[], now: bigint): boolean {
  return isSettled(times, now) && times.every((t) => (now - TICK) / SECOND > t / SECOND);
}

export const nowNs = (): bigint => BigInt(Date.now()) * 1_000_000n;
