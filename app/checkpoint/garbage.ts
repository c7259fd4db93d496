// Two small facts about a store's objects: that some are garbage, and that some were removed.
// Owns: their files in `.git/tidemark`. Invariant: whoever finds another generation than the one it knows forgets all
// that it remembers of objects, because it may name some that are gone.
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { placeDurably, syncFolder } from './durable';
import { isAbsent } from './failure';
import type { Store } from './shadow-repo';

const fileOf = (store: Store, name: string): string => path.join(store.gitDir, 'tidemark', name);

/** Changes each time objects are removed from the store; "" before the first time. */
export function generationOf(store: Store): string {
  try {
    return fs.readFileSync(fileOf(store, 'generation'), 'latin1');
  } catch (thrown) {
    if (isAbsent(thrown)) return '';
    throw thrown;
  }
}

/** To be called with the lock held, before the first object goes. */
export function nextGeneration(store: Store): string {
  const next = randomBytes(8).toString('hex');
  placeDurably(fileOf(store, 'generation'), [Buffer.from(next)]);
  return next;
}

/** Remembers that snapshots were let go, so that a later clean-up looks for what they leave. */
export function markGarbage(store: Store): void {
  fs.mkdirSync(path.dirname(fileOf(store, 'garbage')), { recursive: true });
  placeDurably(fileOf(store, 'garbage'), [Buffer.alloc(0)]);
}

export const hasGarbage = (store: Store): boolean => fs.existsSync(fileOf(store, 'garbage'));

export function clearGarbage(store: Store): void {
  fs.rmSync(fileOf(store, 'garbage'), { force: true });
  syncFolder(path.dirname(fileOf(store, 'garbage')));
}
