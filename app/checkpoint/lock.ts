// The exclusive right to write a store, across processes and within one (DESIGN law 3).
// Owns: the lock file, the queue, taking over what a dead process held. Does not own: what is done under the lock.
// Invariants: whoever is named in the lock file listens on a socket for as long as it is; only a refused connection is
// a proof of death, never a time; a dead owner is replaced in one step, by the one process that holds the right to
// (itself a lock of the same kind), so the lock file is never absent in between and no two can win.
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { TidemarkError, throwIfAborted } from '../../shared/errors';
import { type Beacon, clearAddress, knock, lightBeacon, type Presence } from './lock-socket';

export interface StoreLock {
  /** Safe to call twice. */
  release(): Promise<void>;
}

export type StoreLockOptions = {
  /** made if it is not there */
  readonly storeFolder: string;
  readonly signal: AbortSignal;
  /** how long others may have it before `workspace-busy`; 0: not at all; Infinity: without end */
  readonly waitMs: number;
};

const ownerSchema = z.looseObject({ socket: z.string(), pid: z.number(), since: z.string() });
/** `id` tells one hold from every other; `data` is null when the file is unreadable (power loss): nobody lives then. */
type Owner = { readonly id: string; readonly data: z.infer<typeof ownerSchema> | null };
type Rival = { readonly owner: Owner; readonly presence: Presence };

/** Files of a take-over that a crash left behind are swept when older than this. */
const LEFTOVER_MS = 60 * 60 * 1000;
/** setTimeout holds no more (2^31 - 1). */
const LONGEST_MS = 2_147_483_647;

/** @throws workspace-busy after `waitMs`, cancelled, disk-full, workspace-denied, unsupported */
export async function acquireStoreLock(o: StoreLockOptions): Promise<StoreLock> {
  throwIfAborted(o.signal);
  const file = path.join(path.resolve(o.storeFolder), 'tidemark.lock');
  const patience = startPatience(o);
  const place = queueUp(file);
  let beacon: Beacon | null = null;
  try {
    await place.turn(patience.signal);
    fs.mkdirSync(o.storeFolder, { recursive: true, mode: 0o700 });
    beacon = await lightBeacon(file);
    const record = `${JSON.stringify({ v: 1, socket: beacon.address, pid: process.pid, since: new Date().toISOString() })}\n`;
    await claimOrWait(file, record, beacon, patience.signal);
    const lock = held(file, record, beacon, place.leave);
    if (o.signal.aborted) await lock.release();
    throwIfAborted(o.signal);
    return lock;
  } catch (error) {
    await beacon?.close();
    place.leave();
    throw error === BUSY ? busy(file) : meaning(error, o.storeFolder);
  } finally {
    patience.end();
  }
}

function held(file: string, record: string, beacon: Beacon, leave: () => void): StoreLock {
  let released: Promise<void> | null = null;
  async function letGo(): Promise<void> {
    try {
      if (readOwner(file)?.id === idOf(record)) fs.rmSync(file, { force: true });
    } finally {
      await beacon.close(); // even if the file could not be removed: then it names a dead socket
      leave();
    }
  }
  return {
    release() {
      released ??= letGo();
      return released;
    },
  };
}

async function claimOrWait(file: string, record: string, beacon: Beacon, stop: AbortSignal): Promise<void> {
  let rival: Rival | null = null;
  for (;;) {
    let next: Rival | null;
    try {
      next = await claim(file, record);
    } finally {
      rival?.presence.leave(); // only now, so that the one who lets go does not take it again before us
    }
    rival = next;
    if (rival === null) return;
    await beacon.dismiss(); // whoever met us during a take-over that came to nothing
    try {
      await unlessStopped(rival.presence.over, stop);
    } catch (error) {
      rival.presence.leave();
      throw error;
    }
  }
}

/** Takes `file` for `record`, or returns the living owner that is in the way. */
async function claim(file: string, record: string): Promise<Rival | null> {
  // Written aside and linked: the lock is never there without its owner in it.
  const aside = `${file}.${randomBytes(6).toString('hex')}.new`;
  fs.writeFileSync(aside, record, { mode: 0o600, flag: 'wx' });
  try {
    for (;;) {
      if (linked(aside, file)) return null;
      const owner = readOwner(file);
      if (owner === null) continue; // let go between the two looks
      const presence = owner.data === null ? null : await knock(owner.data.socket);
      if (presence !== null) return { owner, presence };
      const right = rightToReplace(file, owner);
      const rival = await claim(right, record);
      if (rival !== null) return rival;
      try {
        if (readOwner(file)?.id !== owner.id) continue; // replaced before we had the right
        fs.renameSync(aside, file);
        if (owner.data !== null) clearAddress(owner.data.socket);
        sweep(file);
        return null;
      } finally {
        fs.rmSync(right, { force: true });
      }
    }
  } finally {
    fs.rmSync(aside, { force: true });
  }
}

/**
 * The lock of the right to replace a dead owner. It may have a dead owner too, and so on: so the name tells them apart
 * but never grows.
 */
function rightToReplace(file: string, owner: Owner): string {
  const lock = path.basename(file).replace(/\.over-[0-9a-f]+$/, '');
  return path.join(path.dirname(file), `${lock}.over-${idOf(`${path.basename(file)} ${owner.id}`)}`);
}

function linked(from: string, to: string): boolean {
  try {
    fs.linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

const idOf = (record: string): string => createHash('sha256').update(record).digest('hex').slice(0, 16);

function readOwner(file: string): Owner | null {
  let text: string;
  try {
    text = fs.readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  let data: unknown = null;
  try {
    data = JSON.parse(text);
  } catch {
    // unreadable: see Owner
  }
  return { id: idOf(text), data: ownerSchema.safeParse(data).data ?? null };
}

function sweep(file: string): void {
  const folder = path.dirname(file);
  for (const name of fs.readdirSync(folder)) {
    if (!name.startsWith(`${path.basename(file)}.`)) continue;
    const leftover = path.join(folder, name);
    const found = fs.statSync(leftover, { throwIfNoEntry: false });
    if (found !== undefined && Date.now() - found.mtimeMs > LEFTOVER_MS) fs.rmSync(leftover, { force: true });
  }
}

/** Ends of the queue within this process, by lock file. */
const queues = new Map<string, Promise<void>>();

function queueUp(file: string): { turn(stop: AbortSignal): Promise<void>; leave(): void } {
  const before = queues.get(file);
  let leave = (): void => undefined;
  const mine = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const end = before === undefined ? mine : before.then(() => mine);
  queues.set(file, end);
  void end.then(() => {
    if (queues.get(file) === end) queues.delete(file);
  });
  return { turn: async (stop) => (before === undefined ? undefined : unlessStopped(before, stop)), leave };
}

/** Why waiting was given up, when it was not the caller's signal. */
const BUSY = Symbol('waited long enough');

/** One signal for both ends of waiting (AbortSignal.any is not in Node 18). */
function startPatience(o: StoreLockOptions): { readonly signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const cancel = (): void => controller.abort(new TidemarkError('cancelled', 'Stopped.'));
  o.signal.addEventListener('abort', cancel, { once: true });
  const timer = Number.isFinite(o.waitMs)
    ? setTimeout(() => controller.abort(BUSY), Math.min(Math.max(o.waitMs, 0), LONGEST_MS))
    : undefined;
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer);
      o.signal.removeEventListener('abort', cancel);
    },
  };
}

function unlessStopped(work: Promise<void>, stop: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const give = (): void => reject(stop.reason);
    if (stop.aborted) return give();
    stop.addEventListener('abort', give, { once: true });
    work.then(resolve, reject).finally(() => stop.removeEventListener('abort', give));
  });
}

/** Who is in the way, as far as it can be told. */
function ownerData(file: string): Owner['data'] {
  try {
    return readOwner(file)?.data ?? null;
  } catch {
    return null;
  }
}

function busy(file: string): TidemarkError {
  const owner = ownerData(file);
  const seconds = owner ? Math.max(0, Math.round((Date.now() - Date.parse(owner.since)) / 1000)) : 0;
  const who = !owner
    ? 'another Tidemark'
    : owner.pid === process.pid
      ? `other work of this Tidemark (for ${seconds} s)`
      : `another Tidemark (process ${owner.pid}, for ${seconds} s)`;
  return new TidemarkError('workspace-busy', `The folder is in use by ${who}.`, {
    hint: 'Wait until it is done, or stop it. Nothing was changed.',
  });
}

function meaning(error: unknown, folder: string): unknown {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  const cause = { cause: error };
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new TidemarkError('disk-full', 'The disk is full.', {
      ...cause,
      hint: 'Free some space, then try again.',
    });
  if (code === 'EACCES' || code === 'EROFS')
    return new TidemarkError('workspace-denied', `Tidemark may not write to ${folder}.`, {
      ...cause,
      hint: 'Check its permissions, or move the checkpoints in Settings, Storage.',
    });
  if (code === 'EPERM' || code === 'ENOTSUP' || code === 'EOPNOTSUPP' || code === 'ENOSYS')
    return new TidemarkError('unsupported', `The drive of ${folder} cannot hold a lock (no hard links).`, {
      ...cause,
      hint: 'Choose a folder on another drive in Settings, Storage, or with TIDEMARK_HOME.',
    });
  return error;
}
