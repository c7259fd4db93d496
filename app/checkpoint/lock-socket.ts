// How processes tell each other that they live: a socket that the kernel closes when its process ends, however it ends.
// Owns: the private folder for sockets, listening, knocking. Does not own: who may do what (lock).
// Invariants: a stopped process still counts as alive, because the kernel accepts for it; a socket folder that someone
// else could have prepared is never used; nothing but the address is ever sent or believed.
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

/** What the address of a unix socket may have at most, on the strictest system (104 with the final NUL on macOS). */
const ADDRESS_BYTES = 103;
/** How long a released lock waits for those who queue to take their chance: one of them may be stopped. */
const PATIENCE_MS = 100;
/** When a living owner cannot be connected to (its queue is full), how long until the next look. */
const LOOK_AGAIN_MS = 250;

export interface Beacon {
  readonly address: string;
  /** Tells all who are connected to look again, and waits until they have. */
  dismiss(): Promise<void>;
  close(): Promise<void>;
}

/** Listens on a new address. `seed` only makes it recognisable. */
export async function lightBeacon(seed: string): Promise<Beacon> {
  const mark = createHash('sha256').update(seed).digest('hex').slice(0, 8);
  const name = `${mark}-${randomBytes(6).toString('hex')}`;
  const place = process.platform === 'win32' ? null : socketFolder();
  const address = place === null ? `\\\\.\\pipe\\tidemark-${name}` : path.join(place.folder, name);
  const waiting = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    waiting.add(socket);
    socket.on('error', () => undefined); // a waiter that died
    socket.on('close', () => waiting.delete(socket));
    socket.resume();
    socket.unref();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, resolve);
  });
  server.on('error', () => undefined); // e.g. no descriptors left for one more waiter: it tries again
  server.unref();

  async function dismiss(): Promise<void> {
    const left = [...waiting].map((s) => new Promise<void>((resolve) => s.once('close', () => resolve())));
    for (const socket of waiting) socket.end();
    await settledWithin(Promise.all(left), PATIENCE_MS);
  }
  return {
    address,
    dismiss,
    async close() {
      await dismiss();
      for (const socket of waiting) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      if (place?.once) removeEmpty(place.folder);
    },
  };
}

export interface Presence {
  /** Settles when the process has ended or asks to look again. Never rejects. */
  readonly over: Promise<void>;
  /** To be called in any case, after the look: the other side waits for it, for a moment. */
  leave(): void;
}

/** Null when nobody lives at the address. */
export async function knock(address: string): Promise<Presence | null> {
  const socket = net.connect({ path: address, allowHalfOpen: true });
  const over = new Promise<void>((resolve) => {
    socket.once('end', resolve);
    socket.once('close', () => resolve());
  });
  const failure = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    socket.once('connect', () => resolve(null));
    socket.once('error', resolve);
  });
  socket.on('error', () => undefined); // it died: `over` says so
  socket.resume();
  if (failure === null) return { over, leave: () => socket.destroy() };
  if (failure.code === 'ECONNREFUSED' || failure.code === 'ENOENT' || failure.code === 'ENOTSOCK')
    return null;
  // Anything else (a full queue, no descriptors left, no permission) is no proof of death.
  let timer: NodeJS.Timeout | undefined;
  const again = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, LOOK_AGAIN_MS);
  });
  return { over: again, leave: () => clearTimeout(timer) };
}

/** Removes what a dead process left at its address, if it is a socket of ours. */
export function clearAddress(address: string): void {
  if (process.platform === 'win32') return;
  const found = lstatOrNull(address);
  if (found?.isSocket() && found.uid === process.getuid?.()) fs.rmSync(address, { force: true });
}

/** An empty folder among temporary ones does no harm when it stays. */
function removeEmpty(folder: string): void {
  try {
    fs.rmdirSync(folder);
  } catch {
    // see above
  }
}

function lstatOrNull(file: string): fs.Stats | null {
  try {
    return fs.lstatSync(file);
  } catch {
    // whatever cannot be looked at is no socket and no folder of ours
    return null;
  }
}

/** A folder that only this user can enter, short enough for a socket's address. */
function socketFolder(): { readonly folder: string; readonly once: boolean } {
  const uid = process.getuid?.() ?? 0;
  const session = process.env.XDG_RUNTIME_DIR;
  if (session && path.isAbsolute(session) && isPrivate(session, uid)) {
    const folder = path.join(session, 'tidemark');
    if (fits(folder) && isMadePrivate(folder, uid)) return { folder, once: false };
  }
  const base = [os.tmpdir(), '/tmp'].find((b) => fits(path.join(b, `tidemark-${uid}-XXXXXX`))) ?? '/tmp';
  const folder = path.join(base, `tidemark-${uid}`);
  if (isMadePrivate(folder, uid)) return { folder, once: false };
  // Somebody else was there first. The lock names the whole address, so any other folder serves as well.
  return { folder: fs.mkdtempSync(`${folder}-`), once: true };
}

const fits = (folder: string): boolean =>
  Buffer.byteLength(path.join(folder, '01234567-0123456789ab')) <= ADDRESS_BYTES;

function isMadePrivate(folder: string, uid: number): boolean {
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
  }
  return isPrivate(folder, uid);
}

function isPrivate(folder: string, uid: number): boolean {
  const found = lstatOrNull(folder);
  return found?.isDirectory() === true && found.uid === uid && (found.mode & 0o077) === 0;
}

function settledWithin(work: Promise<unknown>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    work.finally(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
