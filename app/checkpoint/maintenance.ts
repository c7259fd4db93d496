// Looking after a store while nobody uses it: many small packs become few, and what no snapshot holds any more goes.
// Owns: when to do which, what may go. Does not own: whose snapshots are let go (let-go.ts).
// Invariants: the long part runs without the lock, beside captures, and is killed when one begins; objects are removed
// in a short step under the lock, and only when nothing has moved since they were found to be garbage; what is younger
// than the safe age stays with all that it needs: a first scan that a crash has cut finds its objects again.
import fs from 'node:fs';
import path from 'node:path';
import { throwIfAborted } from '../../shared/errors';
import type { Maintained } from './engine';
import { clearGarbage, hasGarbage, nextGeneration } from './garbage';
import { gitText, runGit } from './git';
import { readIndex } from './git-index';
import { readJournal } from './journal';
import { folderBytes, type PackFile, packAt, packsOf, removePacks, sweepPacks } from './packs';
import type { Store } from './shadow-repo';

/** From so many packs on they are put together. */
const MANY_PACKS = 50;
const GEOMETRIC_SINCE = [2, 32] as const;

export type MaintainOptions = {
  readonly store: Store;
  readonly gitVersion: string;
  readonly signal: AbortSignal;
  readonly safeAgeMs: number;
  /** the tree that this process would build its next snapshot on; null: none */
  readonly baseTree: () => string | null;
  readonly saveIndex: () => void;
  /** Runs a short step while nobody else is at the store. False, and not run: somebody is. */
  readonly alone: (step: () => Promise<void>) => Promise<boolean>;
  /** Tells the new generation to this process, which need not forget anything. */
  readonly moved: (generation: string) => void;
};

function knowsGeometric(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > GEOMETRIC_SINCE[0] || (major === GEOMETRIC_SINCE[0] && minor >= GEOMETRIC_SINCE[1]);
}

const indexOf = (store: Store): string => path.join(store.gitDir, 'index');

/** Everything that decides what is garbage; the same text means that it is so still. */
async function situation(u: MaintainOptions, except: string | null): Promise<string> {
  const { store, signal } = u;
  const refs = await gitText(store.place, ['for-each-ref', '--format=%(refname) %(objectname)'], { signal });
  const head = fs.readFileSync(path.join(store.gitDir, 'HEAD'), 'latin1');
  const index = fs.statSync(indexOf(store), { throwIfNoEntry: false, bigint: true });
  const packs = packsOf(store).filter((p) => p.name !== except);
  return JSON.stringify([
    refs,
    head,
    index === undefined ? null : `${index.ino} ${index.size} ${index.mtimeNs}`,
    packs.map((p) => p.name),
    u.baseTree(),
  ]);
}

/** The ids of everything in packs that are too young to go. */
async function objectsOf(u: MaintainOptions, packs: readonly PackFile[]): Promise<string[]> {
  const ids: string[] = [];
  for (const { name } of packs) {
    const input = fs.readFileSync(`${packAt(u.store, name)}.idx`);
    const listed = await gitText(u.store.place, ['show-index'], { input, signal: u.signal });
    for (const line of listed.split('\n')) if (line !== '') ids.push(line.split(' ')[1] ?? '');
  }
  return ids;
}

/** Writes all that anything names into one pack. @returns its name; null: there is nothing */
async function packNamed(u: MaintainOptions, young: readonly PackFile[]): Promise<string | null> {
  const { store, signal } = u;
  const base = u.baseTree();
  const more = [...(await objectsOf(u, young)), ...(base === null ? [] : [base])];
  const lost = await store.objects.missing(base === null ? [] : [base]);
  // an index that cannot be read is no root: it will be made anew by reading the files
  const indexed = readIndex(indexOf(store)) === null ? [] : ['--indexed-objects'];
  const said = await gitText(
    store.place,
    [
      ...['-c', 'pack.threads=1', 'pack-objects', '-q', '--all', ...indexed],
      ...['--non-empty', '--delta-base-offset', packAt(store, 'pack')],
    ],
    {
      signal,
      input: Buffer.from(
        more
          .filter((id) => !lost.has(id))
          .map((id) => `${id}\n`)
          .join(''),
      ),
    },
  );
  const hash = said.trim();
  if (hash === '') return null;
  await runGit(store.place, ['verify-pack', `${packAt(store, `pack-${hash}`)}.idx`], { signal });
  return `pack-${hash}`;
}

/** Removes what nothing names. A store with a damaged snapshot is left as it is: git cannot tell what it needs. */
async function prune(u: MaintainOptions): Promise<Maintained['outcome']> {
  const { store } = u;
  // the index is a root too: it should not name what this process knows to be gone
  if (!(await u.alone(async () => u.saveIndex()))) return 'gave-way';
  const before = await situation(u, null);
  const packs = packsOf(store);
  const isYoung = (p: PackFile): boolean => Date.now() - p.changedMs < u.safeAgeMs;
  const old = packs.filter((p) => !isYoung(p));
  if (old.length === 0) return 'nothing';
  const young = packs.filter(isYoung);
  const made = await packNamed(u, young);
  const isNew = made !== null && !packs.some((p) => p.name === made);
  let done = false;
  try {
    await u.alone(async () => {
      if ((await situation(u, isNew ? made : null)) !== before || readJournal(store) !== null) return;
      throwIfAborted(u.signal);
      await store.objects.close();
      u.moved(nextGeneration(store));
      done = true;
      removePacks(
        store,
        old.map((p) => p.name).filter((name) => name !== made),
      );
      if (young.length === 0) clearGarbage(store);
    });
  } finally {
    if (!done && isNew) removePacks(store, [made]);
  }
  return done ? 'pruned' : 'gave-way';
}

/** Puts packs together until each is larger than all smaller ones. Loses nothing, garbage included. */
async function joinPacks(u: MaintainOptions): Promise<Maintained['outcome']> {
  const { store, signal } = u;
  if (!knowsGeometric(u.gitVersion)) return prune(u);
  if (!(await u.alone(() => store.objects.close()))) return 'gave-way';
  await runGit(store.place, ['-c', 'pack.threads=1', 'repack', '-q', '-d', '-n', '--geometric=2'], {
    signal,
  });
  return 'packed';
}

/** Does what is due. Only one process at a time calls it. @throws cancelled, disk-full, git-failed (nothing is lost) */
export async function maintain(u: MaintainOptions): Promise<Maintained> {
  const { store } = u;
  sweepPacks(store);
  const bytesBefore = folderBytes(store.folder);
  const end = (outcome: Maintained['outcome']): Maintained => ({
    outcome,
    bytesBefore,
    bytesAfter: folderBytes(store.folder),
    garbage: hasGarbage(store),
  });
  if (readJournal(store) !== null) return end('gave-way');
  if (hasGarbage(store)) {
    const outcome = await prune(u);
    if (outcome !== 'nothing') return end(outcome);
  }
  return packsOf(store).length < MANY_PACKS ? end('nothing') : end(await joinPacks(u));
}
