import { expect, test } from 'vitest';
import { countDown } from './retry';

test('the wait is told, and ends at once when the next try is wanted now', async () => {
  const told: (string | null)[] = [];
  let go: () => void = () => undefined;
  let forgotten = false;
  const pause = {
    signal: new AbortController().signal,
    onRetryNow: (wanted: () => void) => {
      go = wanted;
      return () => {
        forgotten = true;
      };
    },
  };
  const waiting = countDown(60_000, 'Busy.', pause, (words) => told.push(words));
  go();
  await waiting;
  expect(told).toEqual(['Busy. Trying again in 60 s.', null]);
  expect(forgotten).toBe(true);
});

test('Stop in the pause is an end, not a try', async () => {
  const stop = new AbortController();
  const pause = { signal: stop.signal, onRetryNow: () => () => undefined };
  const waiting = countDown(60_000, 'Busy.', pause, () => undefined);
  stop.abort();
  await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
});
