// Counting off the files of a restore for those who watch it.
import type { OnProgress, RestoreProgress } from './engine';

/** Often enough to be seen moving, and rare enough to cost nothing. */
const EVERY_MS = 60;

/** @returns what is called once for each file that is done; it tells the first, the last, and now and then one between */
export function countOff(
  phase: RestoreProgress['phase'],
  total: number,
  progress: OnProgress | undefined,
): () => void {
  let done = 0;
  let told = 0;
  return () => {
    done += 1;
    const now = Date.now();
    if (progress === undefined || (done < total && now - told < EVERY_MS)) return;
    told = now;
    progress({ phase, done, total });
  };
}
