// Says who is alive: each process has one socket, which the kernel closes when the process ends, however it ends.
// Owns: this process's socket and knocking at others'. Does not own: what is claimed with it (cards).
// Invariants: a stopped process counts as alive; its folder is made anew with a random name, so nobody can have
// prepared it; the socket never keeps a process from ending.
import { rmSync } from 'node:fs';
import { mkdtemp, rm, rmdir } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

/** Room for the address of a unix socket on the strictest system (104 bytes with the final NUL, macOS). */
const ADDRESS_BYTES = 103;
/** How long until the next look when a living process cannot be connected to (its queue is full). */
const LOOK_AGAIN_MS = 250;

const visitors = new Set<net.Socket>();
let own: Promise<string> | null = null;

/** The address of this process; it listens from the first call until it ends. */
export function ownAddress(): Promise<string> {
  own ??= listen().catch((error: unknown) => {
    own = null;
    throw error;
  });
  return own;
}

/** Tells those who wait for something of this process to look again. */
export function wakeVisitors(): void {
  for (const visitor of visitors) visitor.destroy();
}

export type Sign = {
  /** settles when the process knows of us: what it lets go of from now on is in `change`, what it did before is not */
  readonly known: Promise<void>;
  /** settles when the process has ended, or has let go of something: look again */
  readonly change: Promise<void>;
  leave(): void;
};

/** A sign of life of the process at an address, or null: it is dead for certain. */
export async function signOfLife(address: string): Promise<Sign | null> {
  const socket = net.connect(address);
  const change = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const known = new Promise<void>((resolve) => {
    socket.once('data', () => resolve());
    socket.once('close', () => resolve());
  });
  const failed = await new Promise<string | null>((resolve) => {
    socket.once('connect', () => resolve(null));
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
  });
  socket.on('error', () => undefined); // `close` follows
  socket.resume();
  if (failed === null) return { known, change, leave: () => socket.destroy() };
  if (failed === 'ECONNREFUSED' || failed === 'ENOENT') {
    if (isMadeHere(address)) {
      await rm(address, { force: true });
      await rmdir(path.dirname(address)).catch(() => undefined); // whatever is left of it is of no use
    }
    return null;
  }
  let wake = (): void => undefined;
  const later = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const timer = setTimeout(wake, LOOK_AGAIN_MS);
  return { known: Promise.resolve(), change: later, leave: () => clearTimeout(timer) };
}

const isMadeHere = (address: string): boolean =>
  process.platform !== 'win32' && /[\\/]tidemark-[A-Za-z0-9]{6}[\\/]life$/.test(address);

async function listen(): Promise<string> {
  const folder = await freshFolder();
  const address =
    process.platform === 'win32'
      ? `\\\\.\\pipe\\${path.basename(folder)}-${process.pid}`
      : path.join(folder, 'life');
  const server = net.createServer((socket) => {
    visitors.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => visitors.delete(socket));
    socket.resume();
    socket.write('.');
    socket.unref();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, resolve);
  });
  server.on('error', () => undefined); // no descriptor left for a visitor: it looks again later
  server.unref();
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return address;
}

async function freshFolder(): Promise<string> {
  const places = [process.env.XDG_RUNTIME_DIR, os.tmpdir(), '/tmp'];
  for (const place of places) {
    if (!place || Buffer.byteLength(path.join(place, 'tidemark-XXXXXX', 'life')) > ADDRESS_BYTES) continue;
    try {
      return await mkdtemp(path.join(place, 'tidemark-'));
    } catch {
      // the next place; the last one's failure counts
    }
  }
  return mkdtemp(path.join(os.tmpdir(), 'tidemark-'));
}
