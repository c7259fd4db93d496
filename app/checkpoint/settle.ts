// What a crash left of a restore is finished, or undone where that is no longer possible.
// Invariant: a path that holds neither its old nor its new state was changed by someone since, and is left alone.
import type { RelPath } from '../../shared/rel-path';
import { carryOut, complete, inverse, putBack } from './apply';
import type { CaptureContext } from './capture';
import { diskState, holds } from './disk-state';
import type { Cancel, PlanEntry, Settled } from './engine';
import { type Journal, readJournal, writeJournal } from './journal';
import { sweepBeside, sweepHeld } from './sweep';

/** Paths that are neither old nor new. An empty place is on the way from one to the other. */
function foreign(c: CaptureContext, entries: readonly PlanEntry[]): Set<RelPath> {
  const out = new Set<RelPath>();
  for (const e of entries) {
    if (holds(c.store, e.path, e.to, e.to) || holds(c.store, e.path, e.from, e.to)) continue;
    if (diskState(c.store, e.path, null) !== null) out.add(e.path);
  }
  return out;
}

async function finish(c: CaptureContext, j: Journal, o: Cancel): Promise<Settled> {
  await carryOut(c, j);
  return { outcome: 'finished', note: j.note, receipt: await complete(c, j, o) };
}

async function undo(c: CaptureContext, j: Journal): Promise<Settled> {
  const others = foreign(c, inverse(j.entries));
  await putBack(c, { ...j, entries: j.entries.filter((e) => !others.has(e.path)) }, []);
  writeJournal(c.store, { ...j, state: 'undone' });
  return { outcome: 'undone', note: j.note, receipt: null };
}

/** Settles an interrupted restore; null: there was none. Called with the lock held. @throws restore-failed */
export async function settle(c: CaptureContext, o: Cancel): Promise<Settled | null> {
  sweepHeld(c.store);
  const j = readJournal(c.store, { setAside: true });
  if (j === null) return null;
  if (j.state === 'undone') return { outcome: 'undone', note: j.note, receipt: null };
  if (j.state === 'done' && j.after !== null) {
    return {
      outcome: 'finished',
      note: j.note,
      receipt: { after: j.after, redo: j.redo, entries: j.entries },
    };
  }
  sweepBeside(
    c.store,
    j.entries.map((e) => e.path),
  );
  if (foreign(c, j.entries).size > 0) return undo(c, j);
  try {
    return await finish(c, j, o);
  } catch {
    // whatever is in the way of the new files, the old ones come back
    return undo(c, j);
  }
}
