// The checkpoints of one run: before its first change, after each turn, at its completion.
// Owns: the run's hold, law 2 (no checkpoint, no write) and the question that a failed checkpoint asks.
// Invariant: after `beforeChange` has returned, either the newest state is in a snapshot, or the user (for this run)
// or the settings have said that it need not be.
import { type ErrorInfo, isAbort, TidemarkError, toErrorInfo } from '../../shared/errors';
import { checkpointRows } from '../../shared/fold';
import { newCheckpointId, type RunId } from '../../shared/ids';
import type { RelPath } from '../../shared/rel-path';
import type { CheckpointEngine, Hold } from '../checkpoint/engine';
import type { Checkpoints } from './checkpoints';
import { ownSince } from './own-steps';
import { randomBytes } from './random';
import { type SaveOptions, saveCheckpoint } from './save-checkpoint';
import { type HoldOptions, takeHold } from './take-hold';
import type { Task } from './task';

/** What the user chose when a checkpoint had failed. */
export type UnprotectedChoice = 'retry' | 'continue' | 'stop';

export type GuardOptions = Omit<HoldOptions, 'signal'> & {
  readonly task: Task;
  readonly runId: RunId;
  readonly checkpoints: Checkpoints;
  readonly signal: AbortSignal;
  /** asked when a checkpoint that a change waits for has failed. @throws cancelled; the error itself if nobody can be asked */
  readonly onFailed: (error: ErrorInfo, thrown: unknown) => Promise<UnprotectedChoice>;
  /** says that another process has the workspace, and for how long it is waited for; null: no longer */
  readonly onWaiting: (words: string | null) => void;
};

/** A hold that comes within this time needs no word. */
const UNNOTICED_MS = 400;

export interface RunGuard {
  /** @throws cancelled, or what `onFailed` throws */
  beforeChange(): Promise<void>;
  protect(paths: readonly RelPath[]): Promise<void>;
  turnEnded(turn: { readonly touched: readonly RelPath[]; readonly ranCommand: boolean }): Promise<void>;
  completed(): Promise<void>;
  /** Saves the manual checkpoint NAME now or, during a turn, at its end. */
  saveNamed(name: string): void;
  close(): Promise<void>;
}

type Place = { readonly engine: CheckpointEngine; readonly hold: Hold };
type What = Pick<SaveOptions, 'kind' | 'own' | 'touched' | 'name'>;

/** Begins at once to save the state that the run finds; `beforeChange` waits for that. */
export function openRunGuard(o: GuardOptions): RunGuard {
  const names: string[] = [];
  let place: Place | null = null;
  let unprotected = false;
  let pending: What | null = null; // what failed and must be saved before the next change
  const first: What = checkpointRows(o.task.view()).some((r) => r.snapshotId !== null)
    ? { kind: 'run', ...ownSince(o.task.view()) }
    : { kind: 'initial', own: 'none' };
  // Works after Stop too: what a stopped turn did must be in a snapshot, so its end cannot be cancelled with the run.
  const finishing = new AbortController();

  async function save(what: What, signal: AbortSignal): Promise<void> {
    if (unprotected) return;
    const engine = await o.checkpoints.engine(signal);
    if (engine === null) return;
    place ??= { engine, hold: await waitForHold(engine, signal) };
    const saved = await saveCheckpoint(place.engine, place.hold, {
      ...what,
      task: o.task,
      runId: o.runId,
      signal,
    });
    o.checkpoints.saved(saved.ms);
  }

  /** Another process (the command line beside the app, or the other way round) goes first; the wait is shown. */
  async function waitForHold(engine: CheckpointEngine, signal: AbortSignal): Promise<Hold> {
    const waitMs = o.waitMs ?? Number.POSITIVE_INFINITY;
    try {
      return await takeHold(engine, { ...o, signal, waitMs: Math.min(waitMs, UNNOTICED_MS) });
    } catch (error) {
      if (!(error instanceof TidemarkError) || error.code !== 'workspace-busy' || waitMs <= UNNOTICED_MS)
        throw error;
      o.onWaiting(error.message);
    }
    try {
      return await takeHold(engine, { ...o, signal, waitMs: waitMs - UNNOTICED_MS });
    } finally {
      o.onWaiting(null);
    }
  }

  async function trySave(what: What, signal: AbortSignal): Promise<unknown> {
    try {
      await save(what, signal);
      pending = null;
      return null;
    } catch (error) {
      pending = what;
      if (isAbort(error)) return error;
      await o.task.append({
        type: 'checkpoint.failed',
        checkpointId: newCheckpointId(randomBytes),
        kind: what.kind,
        runId: o.runId,
        error: toErrorInfo(error),
      });
      return error;
    }
  }

  let baseline: Promise<unknown> | null = trySave(first, o.signal);
  baseline.catch(() => undefined); // looked at in beforeChange; without one it does not matter

  async function settleBaseline(): Promise<unknown> {
    const error = await baseline;
    baseline = null;
    return error;
  }

  return {
    async beforeChange() {
      let error = baseline === null ? null : await settleBaseline();
      if (error === null && pending !== null) error = await trySave(pending, o.signal);
      while (error !== null && !unprotected) {
        if (isAbort(error)) throw error;
        const choice = await o.onFailed(toErrorInfo(error), error);
        if (choice === 'stop') throw new TidemarkError('cancelled', 'Stopped.');
        if (choice === 'continue') {
          unprotected = true;
          await o.task.append({ type: 'run.unprotected', runId: o.runId });
          return;
        }
        error = pending === null ? null : await trySave(pending, o.signal);
      }
    },
    async protect(paths) {
      if (place === null || unprotected || paths.length === 0) return;
      await place.hold.protect(paths, {
        signal: o.signal,
        trailers: { taskId: o.task.id, runId: o.runId, kind: 'protect' },
      });
    },
    async turnEnded(turn) {
      if (baseline !== null) await settleBaseline();
      if (pending === first) return; // nothing could change yet: the turn was stopped before its first change
      await trySave(
        { kind: 'turn', own: turn.ranCommand ? 'task' : 'paths', touched: turn.touched },
        finishing.signal,
      );
      for (const name of names.splice(0))
        await trySave({ kind: 'manual', own: 'none', name }, finishing.signal);
    },
    async completed() {
      if (baseline !== null) await settleBaseline();
      if (pending === first) return;
      await trySave({ kind: 'completion', own: 'user' }, finishing.signal);
    },
    saveNamed: (name) => names.push(name),
    async close() {
      const error = baseline === null ? null : await settleBaseline();
      if (error === null)
        for (const name of names.splice(0))
          await trySave({ kind: 'manual', own: 'user', name }, finishing.signal);
      await place?.hold.release();
      place = null;
    },
  };
}
