// When a failed request is tried again, and the wait until then.
// Owns: the decision (pure) and the visible countdown. Does not own: the request.
import { setTimeout as delay } from 'node:timers/promises';
import { TidemarkError } from '../../shared/errors';
import { ProviderError } from '../provider/provider';

export type Patience = {
  /** requests in a row that may fail */
  readonly tries: number;
  /** the wait after the first failure; doubled after each further one */
  readonly firstWaitMs: number;
  /** a longer pause than this is not waited for, also when the server asks for it */
  readonly longestWaitMs: number;
  /** a stream that says nothing for so long is given up */
  readonly silenceMs: number;
};

export const PATIENCE: Patience = {
  tries: 5,
  firstWaitMs: 1000,
  longestWaitMs: 120_000,
  silenceMs: 120_000,
};

/**
 * Milliseconds until the next try, or null when there is none. `failures`: how many there were in a row, this one
 * included. `answered`: the server has answered in this run, so that its address is right.
 */
export function waitBeforeRetry(
  error: TidemarkError,
  failures: number,
  answered: boolean,
  patience: Patience,
  random: () => number,
): number | null {
  if (!(error instanceof ProviderError) || !error.retryable || failures >= patience.tries) return null;
  if (error.code === 'provider-unreachable' && !answered) return null;
  if (error.retryAfterMs !== null) {
    return error.retryAfterMs > patience.longestWaitMs ? null : error.retryAfterMs;
  }
  const full = Math.min(patience.firstWaitMs * 2 ** (failures - 1), patience.longestWaitMs);
  // Half fixed, half by chance: many clients must not come back at the same moment.
  return full / 2 + (full / 2) * random();
}

/** What can end a pause early: Stop, or the user who does not want to wait. */
export type Pause = {
  readonly signal: AbortSignal;
  /** Calls `go` when the user wants the next try now. @returns what ends that */
  onRetryNow(go: () => void): () => void;
};

/** Waits, telling each second how long it still takes, and null at its end. @throws TidemarkError cancelled */
export async function countDown(
  ms: number,
  why: string,
  pause: Pause,
  tell: (waiting: string | null) => void,
): Promise<void> {
  const end = new AbortController();
  let now = false;
  const forget = pause.onRetryNow(() => {
    now = true;
    end.abort();
  });
  const stop = () => end.abort();
  pause.signal.addEventListener('abort', stop, { once: true });
  if (pause.signal.aborted) stop();
  try {
    for (let left = ms; left > 0; left -= 1000) {
      tell(`${why.replace(/[^.!?]$/, '$&.')} Trying again in ${Math.ceil(left / 1000)} s.`);
      await delay(Math.min(left, 1000), undefined, { signal: end.signal });
    }
  } catch (cause) {
    if (!now || pause.signal.aborted) throw new TidemarkError('cancelled', 'Stopped.', { cause });
  } finally {
    forget();
    pause.signal.removeEventListener('abort', stop);
    tell(null);
  }
}
