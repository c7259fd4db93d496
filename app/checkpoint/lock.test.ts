import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'vite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { acquireStoreLock, type StoreLock } from './lock';

let built = '';
let store = '';
const children: ChildProcess[] = [];

beforeAll(async () => {
  built = await mkdtemp(path.join(os.tmpdir(), 'tm-lock-built-'));
  await build({
    configFile: false,
    logLevel: 'silent',
    ssr: { noExternal: true },
    build: {
      ssr: path.join(import.meta.dirname, 'lock-child.ts'),
      outDir: built,
      target: 'node18',
      rolldownOptions: { output: { entryFileNames: 'child.mjs', chunkFileNames: '[name].mjs' } },
    },
  });
});
afterAll(() => rm(built, { recursive: true, force: true }));
beforeEach(async () => {
  store = await mkdtemp(path.join(os.tmpdir(), 'tm-lock-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGCONT');
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await rm(store, { recursive: true, force: true });
});

type Child = {
  readonly process: ChildProcess;
  readonly lines: string[];
  /** waits for a line that begins like this */
  says(start: string): Promise<string>;
  readonly ended: Promise<{ code: number | null; signal: string | null }>;
};

function start(...args: string[]): Child {
  const child = spawn(process.execPath, [path.join(built, 'child.mjs'), store, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  const lines: string[] = [];
  const wanted = new Set<() => void>();
  const check = (): void => {
    for (const look of wanted) look();
  };
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    check();
  });
  const ended = once(child, 'exit').then(([code, signal]) => {
    setImmediate(check);
    return { code: code as number | null, signal: signal as string | null };
  });
  return {
    process: child,
    lines,
    ended,
    says: (beginning) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const line = lines.find((l) => l.startsWith(beginning));
          if (line !== undefined) {
            wanted.delete(look);
            resolve(line);
          } else if (child.exitCode !== null) {
            reject(new Error(`ended without "${beginning}": ${lines.join(' | ')}`));
          }
        };
        wanted.add(look);
        look();
      }),
  };
}

const never = new AbortController().signal;
const acquire = (waitMs = 20_000, signal = never): Promise<StoreLock> =>
  acquireStoreLock({ storeFolder: store, signal, waitMs });

/** A lock file whose owner is dead. */
async function leaveDeadLock(): Promise<void> {
  const child = start('hold');
  await child.says('held');
  child.process.kill('SIGKILL');
  await child.ended;
}

const leftovers = async (): Promise<string[]> =>
  (await readdir(store)).filter((n) => n.startsWith('tidemark.lock'));

describe('one process', () => {
  it('makes the folder, names its owner, and leaves nothing behind', async () => {
    const storeFolder = path.join(store, 'new', 'store');
    const lock = await acquireStoreLock({ storeFolder, signal: never, waitMs: 0 });
    const owner = JSON.parse(await readFile(path.join(storeFolder, 'tidemark.lock'), 'utf8'));
    expect(owner.pid).toBe(process.pid);
    expect((await stat(storeFolder)).mode & 0o777).toBe(0o700);
    await lock.release();
    await lock.release();
    expect(await readdir(storeFolder)).toEqual([]);
    await expect(stat(owner.socket)).rejects.toThrow('ENOENT');
  });

  it('queues two holds in the order in which they asked', async () => {
    const first = await acquire();
    const order: number[] = [];
    const later = [1, 2, 3].map(async (n) => {
      const lock = await acquire();
      order.push(n);
      await lock.release();
    });
    await first.release();
    await Promise.all(later);
    expect(order).toEqual([1, 2, 3]);
  });

  it('gives up as workspace-busy after the wait, and the queue goes on', async () => {
    const first = await acquire();
    await expect(acquire(0)).rejects.toMatchObject({ code: 'workspace-busy' });
    await expect(acquire(20)).rejects.toThrow(/other work of this Tidemark/);
    const third = acquire();
    await first.release();
    await (await third).release();
  });

  it('ends as cancelled on abort, before and during the wait', async () => {
    await expect(acquire(1000, AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' });
    const first = await acquire();
    const controller = new AbortController();
    const second = acquire(Number.POSITIVE_INFINITY, controller.signal);
    controller.abort();
    await expect(second).rejects.toMatchObject({ code: 'cancelled' });
    await first.release();
    expect(await leftovers()).toEqual([]);
  });

  it('takes over a lock file that cannot be read', async () => {
    await writeFile(path.join(store, 'tidemark.lock'), '\0\0\0\0');
    await (await acquire(0)).release();
    expect(await leftovers()).toEqual([]);
  });

  it('does not trust a prepared socket folder that others can enter', async () => {
    const before = process.env.XDG_RUNTIME_DIR;
    const session = await mkdtemp(path.join(os.tmpdir(), 'tm-run-'));
    process.env.XDG_RUNTIME_DIR = session;
    try {
      await mkdir(path.join(session, 'tidemark'));
      await chmod(path.join(session, 'tidemark'), 0o777);
      const lock = await acquire();
      expect(await readdir(path.join(session, 'tidemark'))).toEqual([]);
      await lock.release();
      await chmod(path.join(session, 'tidemark'), 0o700);
      const good = await acquire();
      expect(await readdir(path.join(session, 'tidemark'))).toHaveLength(1);
      await good.release();
    } finally {
      if (before === undefined) delete process.env.XDG_RUNTIME_DIR;
      else process.env.XDG_RUNTIME_DIR = before;
      await rm(session, { recursive: true });
    }
  });

  it('finds another place for its socket when the temporary folder has a very long name', async () => {
    const before = process.env.TMPDIR;
    process.env.TMPDIR = path.join(store, 'x'.repeat(120));
    try {
      await (await acquire()).release();
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    }
  });
});

describe('several processes', () => {
  it('waits for the other one to let go, and wakes at once', async () => {
    const child = start('hold');
    await child.says('held');
    await expect(acquire(50)).rejects.toThrow(new RegExp(`process ${child.process.pid}`));
    const mine = acquire();
    child.process.stdin?.write('go\n');
    await (await mine).release();
    expect((await child.ended).code).toBe(0);
  });

  it('takes over from one that was killed while others wait', async () => {
    const child = start('hold');
    await child.says('held');
    const mine = acquire();
    child.process.kill('SIGKILL');
    await (await mine).release();
    expect(await leftovers()).toEqual([]);
  });

  it('does not take a stopped process for dead', async () => {
    const child = start('hold');
    await child.says('held');
    child.process.kill('SIGSTOP');
    await expect(acquire(500)).rejects.toMatchObject({ code: 'workspace-busy' });
    child.process.kill('SIGCONT');
    child.process.stdin?.write('go\n');
    await child.says('released');
    await (await acquire()).release();
  });

  it('is not held up for long by a stopped process that waits', async () => {
    const mine = await acquire();
    const waiter = start('hold');
    await new Promise((resolve) => setTimeout(resolve, 400)); // nothing shows from outside that it waits
    waiter.process.kill('SIGSTOP');
    const began = Date.now();
    await mine.release();
    await (await acquire()).release();
    expect(Date.now() - began).toBeLessThan(3000);
    waiter.process.kill('SIGCONT');
    await waiter.says('held');
  });

  it('lets another process have a turn although this one asks again at once', async () => {
    let mine = await acquire();
    const child = start('hold');
    let turns = 0;
    while (!child.lines.includes('held')) {
      if (turns++ > 2000) throw new Error('starved');
      await mine.release();
      const next = acquire();
      if (await Promise.race([next.then(() => false), child.says('held').then(() => true)])) {
        child.process.stdin?.write('go\n');
        mine = await next;
        break;
      }
      mine = await next;
    }
    await mine.release();
    await child.says('held');
  });

  it('survives a death before any of its file operations', { timeout: 300_000 }, async () => {
    const met = new Set<string>();
    for (let n = 1; n < 60; n++) {
      await leaveDeadLock();
      const child = start('die-at', String(n));
      const { signal } = await child.ended;
      await rm(path.join(store, 'busy'), { force: true });
      await (await acquire(5000)).release();
      if (signal === null) {
        expect(child.lines).toContain('through');
        break;
      }
      met.add(child.lines.find((l) => l.startsWith('at ')) ?? '');
    }
    const steps = ['linkSync', 'readFileSync', 'renameSync', 'rmSync', 'writeFileSync'];
    expect([...met].sort()).toEqual(steps.map((s) => `at ${s}`));
  });

  it('never lets two in when one is stopped before any of its file operations', {
    timeout: 300_000,
  }, async () => {
    for (let n = 1; n < 60; n++) {
      await leaveDeadLock();
      const child = start('stop-at', String(n));
      const reached = await Promise.race([child.says('at '), child.says('through').then(() => null)]);
      if (reached === null) break;
      const mine = await acquire(150).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'workspace-busy' });
        return null;
      });
      if (mine !== null) await writeFile(path.join(store, 'busy'), 'parent', { flag: 'wx' });
      // Again and again: it may say that it stops a moment before it does.
      const timer = setInterval(() => child.process.kill('SIGCONT'), 20);
      await new Promise((resolve) => setTimeout(resolve, 50)); // time for it to do wrong
      if (mine !== null) {
        await rm(path.join(store, 'busy'));
        await mine.release();
      }
      expect((await child.ended).code).toBe(0);
      clearInterval(timer);
    }
  });

  it('never lets two in: 20 processes, some killed on the way', { timeout: 300_000 }, async () => {
    await writeFile(path.join(store, 'counter'), '0');
    const counting = Array.from({ length: 20 }, () => start('count', '25'));
    const doomed = Array.from({ length: 4 }, () => start('hold'));
    for (const child of doomed) void child.says('held').then(() => child.process.kill('SIGKILL'));
    const ends = await Promise.all(counting.map((c) => c.ended));
    expect(ends.map((e) => e.code)).toEqual(ends.map(() => 0));
    expect(await readFile(path.join(store, 'counter'), 'utf8')).toBe('500');
    await Promise.all(doomed.map((c) => c.ended));
  });
});
