import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openFollower, waitBeforeLook } from './follower';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('looks soon where a look is cheap, and rests where it is not', () => {
  expect(waitBeforeLook(5, 0)).toBe(40);
  expect(waitBeforeLook(100, 0)).toBe(100);
  expect(waitBeforeLook(5000, 0)).toBe(250);
});

it('does not let changes without a pause put it off for ever', () => {
  expect(waitBeforeLook(5, 39)).toBe(1);
  expect(waitBeforeLook(100, 480)).toBe(20);
  expect(waitBeforeLook(5000, 1000)).toBe(0);
});

it('joins the changes of a moment, never overlaps, and looks once more after a change during a look', async () => {
  let looks = 0;
  let end: () => void = () => undefined;
  const follower = openFollower(
    () => {
      looks += 1;
      return new Promise<void>((resolve) => {
        end = resolve;
      });
    },
    () => Date.now(),
  );
  for (let i = 0; i < 5; i++) follower.changed();
  await vi.advanceTimersByTimeAsync(40);
  expect(looks).toBe(1);
  follower.changed();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(looks).toBe(1);
  end();
  await vi.advanceTimersByTimeAsync(1000);
  expect(looks).toBe(2);
  end();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(looks).toBe(2);
});

it('a stopped one looks no more', async () => {
  const look = vi.fn(async () => undefined);
  const follower = openFollower(look);
  follower.changed();
  follower.stop();
  await vi.advanceTimersByTimeAsync(5000);
  expect(look).not.toHaveBeenCalled();
});
