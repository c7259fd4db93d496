// The checkpoint engine of one workspace over its life: may it run, is it up, why not.
// Owns: the state that the header shows; start in the background with slow-start note and time limit; Retry, Disable,
// Enable. Does not own: when a checkpoint is saved (run-guard, rewind).
// Invariant: a failure never switches checkpoints off; only the user does (law 7).
import type { CheckpointsState } from '../../shared/domain';
import { TidemarkError, toErrorInfo } from '../../shared/errors';
import type { Settings } from '../../shared/settings';
import type { CheckpointEngine, StoreState } from '../checkpoint/engine';

/** SPEC 7: after this long the header says that the start is slow. */
export const SLOW_START_MS = 15_000;

export type CheckpointsOptions = {
  /** real path; null when no folder is open */
  readonly workspace: string | null;
  /** why checkpoints are impossible here whatever the settings say; null when they are possible */
  readonly impossible: {
    readonly why: 'no-workspace' | 'protected' | 'multi-root';
    readonly message: string;
  } | null;
  readonly settings: () => Settings;
  /** remembers Disable and Enable for this workspace */
  readonly setDisabled: (disabled: boolean) => Promise<void>;
  readonly openEngine: () => CheckpointEngine;
};

export interface Checkpoints {
  state(): CheckpointsState;
  /** @returns a function that ends it */
  onState(listener: (state: CheckpointsState) => void): () => void;
  /** Begins the start if it has not begun. Never throws: the state tells. */
  start(): void;
  /** The engine once it is up; null where checkpoints are off. @throws what the start failed with; cancelled */
  engine(signal: AbortSignal): Promise<CheckpointEngine | null>;
  retry(): Promise<void>;
  disable(): Promise<void>;
  enable(): Promise<void>;
  /** Tells how long the newest checkpoint took, for the header. */
  saved(ms: number): void;
  /** Looks again after the settings have changed. */
  settingsChanged(): void;
  close(): Promise<void>;
}

export function openCheckpoints(o: CheckpointsOptions): Checkpoints {
  const listeners = new Set<(state: CheckpointsState) => void>();
  let engine: CheckpointEngine | null = null;
  let starting: Promise<StoreState> | null = null;
  let stop = new AbortController();
  let state: CheckpointsState = offState(o) ?? { state: 'starting', slow: false };
  let lastMs: number | null = null;
  /** the settings that the open engine was made with */
  let madeWith = '';
  let holds = 0;

  const set = (next: CheckpointsState): void => {
    state = next;
    for (const listener of listeners) listener(next);
  };

  function begin(): Promise<StoreState> {
    if (starting !== null) return starting;
    set({ state: 'starting', slow: false });
    stop = new AbortController();
    if (engine === null) {
      engine = counting(o.openEngine(), (by) => {
        holds += by;
      });
      madeWith = engineSettings(o.settings());
    }
    const limitS = o.settings().checkpoints.timeoutS;
    const slow = setTimeout(() => set({ state: 'starting', slow: true }), SLOW_START_MS);
    const controller = stop;
    let timedOut = false;
    const limit = setTimeout(() => {
      timedOut = true;
      controller.abort();
    }, limitS * 1000);
    starting = engine
      .start({ signal: controller.signal })
      .catch((error: unknown) => {
        throw timedOut ? timeoutError(limitS, error) : error;
      })
      .finally(() => {
        clearTimeout(slow);
        clearTimeout(limit);
      });
    starting.then(
      (store) => set(readyState(store, lastMs)),
      (error: unknown) => {
        starting = null;
        if (!controller.signal.aborted || timedOut) set({ state: 'failed', error: toErrorInfo(error) });
      },
    );
    return starting;
  }

  async function shut(): Promise<void> {
    stop.abort();
    starting = null;
    const old = engine;
    engine = null;
    await old?.close();
  }

  async function reopen(): Promise<void> {
    await shut();
    const off = offState(o);
    if (off !== null) set(off);
    else await begin().catch(() => undefined); // the state tells
  }

  return {
    state: () => state,
    onState(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start() {
      if (offState(o) === null) begin().catch(() => undefined); // the state tells
    },
    async engine(signal) {
      const off = offState(o);
      if (off !== null) return null;
      // Other exclusions or another limit count from the next use on, but never in the middle of a run.
      if (engine !== null && holds === 0 && madeWith !== engineSettings(o.settings())) await shut();
      await untilAborted(begin(), signal);
      return engine;
    },
    retry: reopen,
    async disable() {
      await o.setDisabled(true);
      await reopen();
    },
    async enable() {
      await o.setDisabled(false);
      await reopen();
    },
    saved(ms) {
      lastMs = ms;
      const current = engine;
      if (current === null) return;
      current.state({ signal: stop.signal }).then(
        (store) => {
          if (engine === current) set(readyState(store, lastMs));
        },
        () => undefined, // a figure in the header; the checkpoint itself was saved
      );
    },
    settingsChanged() {
      const off = offState(o);
      if ((off === null) === (state.state !== 'off')) return;
      void reopen();
    },
    async close() {
      listeners.clear();
      await shut();
    },
  };
}

/** What an engine takes from the settings when it is made. */
const engineSettings = ({ checkpoints: c, storage }: Settings): string =>
  JSON.stringify([c.groups, c.maxFileBytes, storage.checkpoints]);

/** The same engine, telling how many holds of it are taken. */
function counting(engine: CheckpointEngine, count: (by: 1 | -1) => void): CheckpointEngine {
  return {
    ...engine,
    async hold(o) {
      const hold = await engine.hold(o);
      count(1);
      let held = true;
      return {
        ...hold,
        async release() {
          if (held) count(-1);
          held = false;
          await hold.release();
        },
      };
    },
  };
}

function offState(o: CheckpointsOptions): CheckpointsState | null {
  if (o.impossible !== null) return { state: 'off', why: o.impossible.why, message: o.impossible.message };
  const { checkpoints } = o.settings();
  if (!checkpoints.enabled) {
    return { state: 'off', why: 'setting', message: 'Checkpoints are off in Settings.' };
  }
  if (o.workspace !== null && checkpoints.disabledWorkspaces.includes(o.workspace)) {
    return { state: 'off', why: 'workspace', message: 'Checkpoints are off for this folder.' };
  }
  return null;
}

const readyState = (store: StoreState, lastMs: number | null): CheckpointsState => ({
  state: 'ready',
  lastMs,
  storeBytes: store.bytes,
  checkpoints: store.snapshots,
  gitVersion: store.gitVersion,
});

const timeoutError = (limitS: number, cause: unknown): TidemarkError =>
  new TidemarkError(
    'git-failed',
    `Checkpoints did not start within ${limitS} seconds. Nothing was changed.`,
    {
      cause,
      hint: 'Leave large generated folders out with .gitignore, or raise the time limit in Settings, then retry.',
    },
  );

/** Waits for a promise, but no longer than the signal lives. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(new TidemarkError('cancelled', 'Stopped.'));
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
