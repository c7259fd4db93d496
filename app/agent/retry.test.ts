import { expect, test } from 'vitest';
import { TidemarkError } from '../../shared/errors';
import { ProviderError } from '../provider/provider';
import { PATIENCE, waitBeforeRetry } from './retry';

const passing = (retryAfterMs: number | null = null) =>
  new ProviderError('provider-busy', 'busy', { retryable: true, retryAfterMs });
const unreachable = new ProviderError('provider-unreachable', 'gone', { retryable: true });
const wait = (error: TidemarkError, failures: number, answered = true, random = 1) =>
  waitBeforeRetry(error, failures, answered, PATIENCE, () => random);

test.each([
  ['doubles', [1, 2, 3, 4].map((n) => wait(passing(), n)), [1000, 2000, 4000, 8000]],
  ['varies by half', [0, 0.5, 1].map((r) => wait(passing(), 1, true, r)), [500, 750, 1000]],
  ['ends after five', wait(passing(), 5), null],
  ['does what the server asks', wait(passing(7000), 1), 7000],
  ['but not for ever', wait(passing(PATIENCE.longestWaitMs + 1), 1), null],
  ['never what cannot pass', wait(new ProviderError('context-too-long', 'long'), 1), null],
  ['nor other errors', wait(new TidemarkError('disk-full', 'full'), 1), null],
  ['an address that never answered is wrong', wait(unreachable, 1, false), null],
  ['one that did comes back', wait(unreachable, 1, true), 1000],
])('the wait %s', (_, actual, expected) => {
  expect(actual).toEqual(expected);
});
