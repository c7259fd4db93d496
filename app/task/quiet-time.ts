// Looks after the store once a workspace has been quiet for a while.
// Owns: when. Does not own: what is done to the store (service.retain), which gives way to captures by itself.
// Invariant: never holds the process open, and never fails anything: what is not done now is done after the next run.
import type { Checkpoints } from './checkpoints';

/** So long after the last run or deletion. */
export const QUIET_MS = 30_000;

export interface QuietTime {
  /** A run begins. @returns what to call when it has ended */
  busy(): () => void;
  /** Waits anew from now on. */
  again(): void;
  close(): void;
}

/**
 * @param quietMs null: never (the command line, which ends before)
 * @param lookAfterStore what is to be done then; it is ended by the signal when a run begins
 */
export function openQuietTime(
  checkpoints: Pick<Checkpoints, 'state'>,
  quietMs: number | null,
  lookAfterStore: (signal: AbortSignal) => Promise<unknown>,
): QuietTime {
  let timer: NodeJS.Timeout | undefined;
  let work: AbortController | null = null;
  let runs = 0;
  let closed = false;

  const stop = (): void => {
    clearTimeout(timer);
    work?.abort();
  };
  const lookAfter = async (): Promise<void> => {
    if (checkpoints.state().state !== 'ready') return;
    const mine = new AbortController();
    work = mine;
    try {
      await lookAfterStore(mine.signal);
    } catch {
      // the store is as it was; what is wrong with it is told by the next capture, not by a clean-up
    } finally {
      if (work === mine) work = null;
    }
  };
  const again = (): void => {
    stop();
    if (runs > 0 || closed || quietMs === null) return;
    timer = setTimeout(() => void lookAfter(), quietMs);
    timer.unref();
  };
  return {
    busy() {
      runs += 1;
      stop();
      return () => {
        runs -= 1;
        again();
      };
    },
    again,
    close() {
      closed = true;
      stop();
    },
  };
}
