// Objects of the shadow store: reading through one long-lived `cat-file`, writing as one pack a batch.
// Owns: batches, verification of what is read, durable placing of packs. Does not own: refs (shadow-repo.ts).
// Invariants: an object is readable only when its pack and index are whole on disk (the index is renamed last);
// what is read is checked against its id, so a damaged byte is a refusal and never a restore.
import fs from 'node:fs';
import path from 'node:path';
import { TidemarkError } from '../../shared/errors';
import { none, type OpenFiles, placeAllDurably, syncAndClose } from './durable';
import { isAbsent } from './failure';
import { type GitPlace, gitText, runGit } from './git';
import { type GitStream, openGitStream } from './git-stream';
import { openHeldObjects } from './held-objects';
import { type Lender, type Loan, openLoan } from './lender';
import { buildPack, type ObjectType, objectId, type RawObject } from './pack';
import { formatTree, parseTree, type Tree, type TreeReader, type TreeWriter } from './tree';

/** Objects that are not on disk yet: visible to whoever holds the batch, written by `flush`, else forgotten. */
export interface Batch {
  write(type: ObjectType, body: Uint8Array): string;
  /**
   * From now on contents that the lender has are copied from there, beside whatever goes on; `endLending` waits for
   * that. False: it did not work, and all contents written since are to be written again.
   */
  lend(lender: Lender, signal: AbortSignal): void;
  endLending(): Promise<boolean>;
  readonly writeTree: TreeWriter;
  readonly readTree: TreeReader;
  readBlob(oid: string): Promise<Buffer>;
  /** Makes everything written so far durable. The open files of `alongside` are synced with it, to save a round. */
  flush(alongside?: OpenFiles): Promise<void>;
  /** What flush would write, for a look at it elsewhere. */
  pending(): readonly RawObject[];
  /** Bytes waiting for a flush. */
  readonly bytes: number;
}

export type StoredObject = { readonly oid: string; readonly type: ObjectType; readonly body: Buffer };

export interface Objects {
  read(oid: string): Promise<StoredObject>;
  /** The same for what is asked for again and again (a snapshot's commit, root, and record): kept in memory a while. */
  readKept(oid: string): Promise<StoredObject>;
  /** What a full ref name points at; null: there is no such ref. @throws snapshot-missing when that is gone */
  readRef(ref: string): Promise<StoredObject | null>;
  has(oid: string): boolean;
  /** Of many ids, the ones that are not there. */
  missing(oids: Iterable<string>): Promise<Set<string>>;
  batch(): Batch;
  close(): Promise<void>;
}

const TREE_CACHE = 20_000;
/** Three objects a snapshot: a restore looks at four or five snapshots several times, and at short chains of commits. */
const KEPT = 96;

function missing(oid: string): TidemarkError {
  return new TidemarkError(
    'snapshot-missing',
    `The snapshot cannot be read: an object of it is missing or damaged (${oid.slice(0, 12)}).`,
    {
      hint: 'Nothing was touched. Choose another checkpoint.',
    },
  );
}

/** @param place git with GIT_DIR set to the store */
export function openObjects(place: GitPlace, gitDir: string): Objects {
  const trees = new Map<string, Tree>();
  const packFolder = path.join(gitDir, 'objects', 'pack');
  const held = openHeldObjects(packFolder);
  let open: GitStream | null = null;
  const stream = (): GitStream => {
    if (open === null || open.dead) {
      const env = { GIT_INDEX_FILE: path.join(gitDir, 'no-index') };
      open = openGitStream(place, ['cat-file', '--batch'], env);
    }
    return open;
  };
  const line = (seen: Buffer): number => seen.indexOf(10) + 1 || -1;

  // requests are written at once and answered in order; the header tells how long the body is
  let queue: Promise<unknown> = Promise.resolve();
  const ask = (name: string): Promise<StoredObject | null> => {
    const s = stream();
    s.send(Buffer.from(`${name}\n`));
    const answer = queue.then(async () => {
      const [oid = '', type, length] = (await s.take(line)).toString('latin1').trim().split(' ');
      if (length === undefined) return null;
      const size = Number(length);
      const whole = await s.take((b) => (b.length > size ? size + 1 : -1), size + 1);
      return { oid, type: type as ObjectType, body: Buffer.from(whole.subarray(0, size)) };
    });
    queue = answer.catch(() => undefined);
    return answer.catch((cause: unknown) => {
      // cat-file ends when it meets a damaged object; git that cannot start at all is another matter
      if (cause instanceof TidemarkError && cause.code === 'git-failed') throw missing(name);
      throw cause;
    });
  };
  const checked = (got: StoredObject | null, oid: string): StoredObject => {
    if (got === null || got.oid !== oid || objectId(got.type, got.body) !== oid) throw missing(oid);
    return got;
  };
  const read = async (oid: string): Promise<StoredObject> => checked(await ask(oid), oid);
  const kept = new Map<string, StoredObject>();
  const readKept = async (oid: string): Promise<StoredObject> => {
    const got = kept.get(oid) ?? (await read(oid));
    kept.delete(oid);
    kept.set(oid, got);
    const oldest = kept.size > KEPT ? kept.keys().next().value : undefined;
    if (oldest !== undefined) kept.delete(oldest);
    return got;
  };
  const readRef = async (ref: string): Promise<StoredObject | null> => {
    const tip = looseRef(path.join(gitDir, ...ref.split('/')));
    if (tip !== null) {
      held.refresh();
      if (held.has(tip)) return readKept(tip);
    }
    const got = await ask(ref);
    if (got !== null) return checked(got, got.oid);
    // a ref whose object is gone answers like no ref at all
    const { code } = await runGit(place, ['show-ref', '--verify', '-q', ref], { accept: [0, 1, 128] });
    if (code === 0 || fs.existsSync(path.join(gitDir, ...ref.split('/')))) throw missing(ref);
    return null;
  };
  const has = (oid: string): boolean => {
    held.refresh();
    return held.has(oid);
  };
  const remember = (oid: string, tree: Tree): void => {
    trees.set(oid, tree);
    const oldest = trees.size > TREE_CACHE ? trees.keys().next().value : undefined;
    if (oldest !== undefined) trees.delete(oldest);
  };

  const batch = (): Batch => {
    const waiting = new Map<string, RawObject>();
    const own = new Map<string, Tree>();
    let bytes = 0;
    let loan: Loan | null = null;
    const write = (type: ObjectType, body: Uint8Array): string => {
      const oid = objectId(type, body);
      if (type === 'blob' && loan?.take(oid) === true) return oid;
      if (!waiting.has(oid)) {
        waiting.set(oid, { oid, type, body });
        bytes += body.length;
      }
      return oid;
    };
    const pending = (): RawObject[] => {
      held.refresh();
      return [...waiting.values()].filter((o) => !held.has(o.oid));
    };
    return {
      write,
      get bytes() {
        return bytes;
      },
      pending,
      lend: (lender, signal) => {
        held.refresh();
        loan = openLoan(lender, held, signal);
      },
      endLending: async () => {
        const done = await (loan?.end() ?? true);
        loan = null;
        return done;
      },
      writeTree: (tree) => {
        const oid = write('tree', formatTree(tree));
        own.set(oid, tree);
        return oid;
      },
      readTree: async (oid) => {
        const hit = own.get(oid) ?? trees.get(oid);
        if (hit !== undefined) return hit;
        const got = await read(oid);
        if (got.type !== 'tree') throw missing(oid);
        const tree = parseTree(got.body);
        remember(oid, tree);
        return tree;
      },
      readBlob: async (oid) => {
        const here = waiting.get(oid);
        if (here !== undefined) return Buffer.from(here.body);
        const got = await read(oid);
        if (got.type !== 'blob') throw missing(oid);
        return got.body;
      },
      flush: async (alongside = none) => {
        const objects = pending();
        if (objects.length > 0) await writePack(packFolder, objects, alongside);
        else await syncAndClose(alongside());
        // the next snapshot starts from these trees
        for (const [oid, tree] of own) if (waiting.has(oid)) remember(oid, tree);
        own.clear();
        waiting.clear();
        bytes = 0;
      },
    };
  };
  const missingOf = async (oids: Iterable<string>): Promise<Set<string>> => {
    const input = Buffer.from([...new Set(oids)].map((o) => `${o}\n`).join(''));
    if (input.length === 0) return new Set();
    const answer = await gitText(place, ['cat-file', '--batch-check', '--buffer'], { input });
    const lines = answer.split('\n').filter((l) => l.endsWith(' missing'));
    return new Set(lines.map((l) => l.slice(0, l.indexOf(' '))));
  };
  return {
    read,
    readKept,
    readRef,
    has,
    missing: missingOf,
    batch,
    close: async () => {
      kept.clear();
      await open?.close();
    },
  };
}

/** Writes objects as one pack into a folder of packs. Git ignores a pack without its index, so that comes last. */
export async function writePack(
  folder: string,
  objects: readonly RawObject[],
  alongside: OpenFiles = none,
): Promise<void> {
  const built = await buildPack(objects);
  fs.mkdirSync(folder, { recursive: true });
  const files = [
    { target: path.join(folder, `${built.name}.pack`), parts: built.pack },
    { target: path.join(folder, `${built.name}.idx`), parts: [built.idx] },
  ];
  await placeAllDurably(files, alongside);
}

/** What a ref's own file says; null when git keeps the ref elsewhere, or there is none. */
export function looseRef(file: string): string | null {
  try {
    return /^([0-9a-f]{40})\n$/.exec(fs.readFileSync(file, 'latin1'))?.[1] ?? null;
  } catch (thrown) {
    if (isAbsent(thrown)) return null;
    throw thrown;
  }
}
