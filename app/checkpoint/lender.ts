// Contents that the project's own repository already has packed are copied from there, instead of being deflated again:
// a first snapshot of a large project takes a fraction of the time.
// Owns: finding what it has, and copying objects with git (`pack-objects` there, `index-pack` here).
// Invariants: what is copied is named by the hash of the file that was read, never by the project's index, and
// `index-pack` hashes every object anew, so no byte is taken on trust; the store holds its own copy before anything
// names it; nothing in the project's repository is written.
import type { ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { throwIfAborted } from '../../shared/errors';
import { syncFolder } from './durable';
import { isAbsent } from './failure';
import { type GitPlace, spawnGit } from './git';
import { openHeldObjects } from './held-objects';

export interface Lender {
  has(oid: string): boolean;
  /** Copies objects into the store. False: that did not work, and nothing is to be taken for copied. */
  copy(oids: readonly string[], signal: AbortSignal): Promise<boolean>;
}

/** Indexes larger than this in sum are not read: that would take longer than it saves. */
const MOST_INDEX_BYTES = 256 * 1024 * 1024;

function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch (thrown) {
    if (isAbsent(thrown)) return [];
    throw thrown;
  }
}

function looseIn(objects: string): Set<string> {
  const out = new Set<string>();
  for (const folder of namesIn(objects)) {
    if (!/^[0-9a-f]{2}$/.test(folder)) continue;
    for (const name of namesIn(path.join(objects, folder))) {
      if (/^[0-9a-f]{38}$/.test(name)) out.add(folder + name);
    }
  }
  return out;
}

/** A clone that leaves objects at its origin would fetch them, and this reads, no more. */
const isWhole = (packs: string): boolean => !namesIn(packs).some((name) => name.endsWith('.promisor'));

function indexBytes(packs: string): number {
  const sizes = namesIn(packs)
    .filter((name) => name.endsWith('.idx'))
    .map((name) => fs.statSync(path.join(packs, name)).size);
  return sizes.reduce((sum, size) => sum + size, 0);
}

const codeOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', resolve);
  });

/**
 * Feeds one git command with the output of another. The bytes go from process to process: this one reads files
 * meanwhile. @returns true when both ended well
 */
async function pipeline(
  from: { place: GitPlace; args: readonly string[]; input: string },
  to: { place: GitPlace; args: readonly string[] },
  signal: AbortSignal,
): Promise<boolean> {
  const source = spawnGit(from.place, from.args);
  const sourceCode = codeOf(source);
  // could not be started: there is nothing to feed
  if (source.stdout === null) return (await sourceCode) === 0;
  const sink = spawnGit(to.place, to.args, undefined, source.stdout);
  source.stdout.destroy();
  const both = [source, sink];
  const stop = (): void => {
    for (const child of both) child.kill('SIGKILL');
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    // EPIPE: git may end before it has read everything; its exit code tells
    source.stdin?.on('error', () => undefined);
    source.stderr?.resume();
    sink.stderr?.resume();
    sink.stdout?.resume();
    source.stdin?.end(from.input);
    const codes = await Promise.all([sourceCode, codeOf(sink)]);
    return codes.every((code) => code === 0);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/**
 * Opens the project's repository for lending; null: it has nothing that can be lent.
 * @param project where git runs for it  @param objects its folder of objects  @param store where git runs for the store
 */
export function openLender(project: GitPlace, objects: string, store: GitPlace): Lender | null {
  const packs = path.join(objects, 'pack');
  const storePacks = path.join(store.env.GIT_DIR ?? '', 'objects', 'pack');
  if (!isWhole(packs) || indexBytes(packs) > MOST_INDEX_BYTES) return null;
  const packed = openHeldObjects(packs);
  packed.refresh();
  const loose = looseIn(objects);
  return {
    has: (oid) => loose.has(oid) || packed.has(oid),
    copy: async (oids, signal) => {
      const done = await pipeline(
        {
          place: project,
          args: ['pack-objects', '--stdout', '-q', '--delta-base-offset', '--window=0'],
          input: oids.map((oid) => `${oid}\n`).join(''),
        },
        { place: store, args: ['index-pack', '--stdin'] },
        signal,
      );
      throwIfAborted(signal);
      if (!done) return false;
      syncFolder(storePacks);
      const held = openHeldObjects(storePacks);
      held.refresh();
      return oids.every((oid) => held.has(oid));
    },
  };
}

export interface Loan {
  /** True when the object is held already or will be when the loan ends. */
  take(oid: string): boolean;
  /** Waits for all copies. False: one of them did not work. */
  end(): Promise<boolean>;
}

/** So many objects are copied at a time, one slice after the other, while the next ones are read and hashed. */
const SLICE = 4_000;

/** @param held what the store holds already */
export function openLoan(
  lender: Lender,
  held: { readonly has: (oid: string) => boolean },
  signal: AbortSignal,
): Loan {
  const taken = new Set<string>();
  let slice: string[] = [];
  let copies: Promise<boolean> = Promise.resolve(true);
  const copySlice = (): void => {
    const oids = slice;
    slice = [];
    copies = copies.then((well) => well && lender.copy(oids, signal));
    // whoever ends the loan hears of it
    copies.catch(() => undefined);
  };
  return {
    take: (oid) => {
      if (held.has(oid) || taken.has(oid)) return true;
      if (!lender.has(oid)) return false;
      taken.add(oid);
      slice.push(oid);
      if (slice.length === SLICE) copySlice();
      return true;
    },
    end: () => {
      if (slice.length > 0) copySlice();
      return copies;
    },
  };
}
