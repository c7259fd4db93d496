// Maintenance's place beside everything else that an engine does: alone across processes, giving way to captures.
// Owns: when its short steps may run. Does not own: what they do (maintenance.ts).
// Invariant: a hold never waits for more than one short step.
import path from 'node:path';
import type { Mutex } from 'async-mutex';
import { isAbort, TidemarkError, throwIfAborted } from '../../shared/errors';
import type { Cancel, Maintained } from './engine';
import { acquireStoreLock, type StoreLock } from './lock';
import { maintain } from './maintenance';
import { objectId } from './pack';
import { folderBytes } from './packs';
import type { Store } from './shadow-repo';
import type { StatCache } from './stat-cache';
import { formatTree } from './tree';

/** Garbage stays for so long: whoever wrote it may be about to name it. */
const SAFE_AGE_MS = 60 * 60 * 1000;

export interface Upkeep {
  run(o: Cancel & { readonly gitVersion: string; readonly safeAgeMs?: number }): Promise<Maintained>;
  /** Ends what runs, at once. */
  giveWay(): void;
  /** Runs a short step while nobody else is at the store. False, and not run: somebody is. */
  alone(step: () => Promise<void>): Promise<boolean>;
}

/** The lock of a folder, if it is free. */
async function lockNow(storeFolder: string, signal: AbortSignal): Promise<StoreLock | null> {
  try {
    return await acquireStoreLock({ storeFolder, signal, waitMs: 0 });
  } catch (thrown) {
    if (thrown instanceof TidemarkError && thrown.code === 'workspace-busy') return null;
    throw thrown;
  }
}

export function openUpkeep(u: {
  readonly store: Store;
  /** of this process's looks and captures */
  readonly turn: Mutex;
  /** of this process: what its next snapshot is built on */
  readonly cache: () => StatCache;
  readonly moved: (generation: string) => void;
}): Upkeep {
  const { store, turn } = u;
  let running: AbortController | null = null;

  const alone = async (signal: AbortSignal, step: () => Promise<void>): Promise<boolean> => {
    const lock = turn.isLocked() ? null : await lockNow(store.folder, signal);
    if (lock === null) return false;
    try {
      // a look that began meanwhile may take long, and a hold must not wait for it because of us
      if (turn.isLocked()) return false;
      await turn.runExclusive(step);
      return true;
    } finally {
      await lock.release();
    }
  };
  const baseTree = (): string | null => {
    const { root } = u.cache();
    return root.size === 0 ? null : objectId('tree', formatTree(root));
  };

  const runAlone: Upkeep['run'] = async (o) => {
    const bytes = folderBytes(store.folder);
    const gaveWay: Maintained = { outcome: 'gave-way', bytesBefore: bytes, bytesAfter: bytes, garbage: true };
    const mine = new AbortController();
    const cancel = (): void => mine.abort();
    running = mine;
    o.signal.addEventListener('abort', cancel, { once: true });
    let only: StoreLock | null = null;
    try {
      only = await lockNow(path.join(store.gitDir, 'tidemark', 'upkeep'), mine.signal);
      if (only === null) return gaveWay;
      return await maintain({
        store,
        gitVersion: o.gitVersion,
        signal: mine.signal,
        safeAgeMs: o.safeAgeMs ?? SAFE_AGE_MS,
        baseTree,
        saveIndex: () => u.cache().save(),
        alone: (step) => alone(mine.signal, step),
        moved: u.moved,
      });
    } catch (thrown) {
      throwIfAborted(o.signal);
      if (isAbort(thrown)) return gaveWay; // a hold was asked for
      throw thrown;
    } finally {
      running = null;
      o.signal.removeEventListener('abort', cancel);
      await only?.release();
    }
  };
  return {
    run: async (o) => {
      throwIfAborted(o.signal);
      if (running === null) return runAlone(o);
      const bytes = folderBytes(store.folder);
      return { outcome: 'gave-way', bytesBefore: bytes, bytesAfter: bytes, garbage: true };
    },
    giveWay: () => running?.abort(),
    alone: (step) => alone(new AbortController().signal, step),
  };
}
