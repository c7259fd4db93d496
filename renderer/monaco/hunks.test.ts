import { expect, it } from 'vitest';
import { hunksOf } from './hunks';

const change = (a: number, b: number, c: number, d: number) => ({
  originalStartLineNumber: a,
  originalEndLineNumber: b,
  modifiedStartLineNumber: c,
  modifiedEndLineNumber: d,
});

it('takes changed, added and removed lines from both sides', () => {
  const before = ['a', 'b', 'c', 'd'];
  const after = ['new', 'a', 'B', 'd'];
  expect(hunksOf([change(0, 0, 1, 1), change(2, 2, 3, 3), change(3, 3, 3, 0)], before, after, false)).toEqual(
    [
      { before: { from: 0, lines: [] }, after: { from: 0, lines: ['new'] } },
      { before: { from: 1, lines: ['b'] }, after: { from: 2, lines: ['B'] } },
      { before: { from: 2, lines: ['c'] }, after: { from: 3, lines: [] } },
    ],
  );
});

it('knows changes of other texts: those are never acted on', () => {
  const found = [change(2, 2, 2, 2)];
  expect(hunksOf(found, ['a', 'b'], ['a', 'X'], false)).toHaveLength(1);
  expect(hunksOf(found, ['a', 'b'], ['moved', 'a', 'X'], false)).toBeNull();
  expect(hunksOf(found, ['a', 'b', 'c'], ['a', 'X', 'd'], false)).toBeNull();
  expect(hunksOf([change(5, 5, 5, 5)], ['a'], ['a'], false)).toBeNull();
});

it('lets white space between hunks differ only when that is left out', () => {
  const found = [change(2, 2, 2, 2)];
  expect(hunksOf(found, ['  a', 'b'], ['\ta ', 'X'], true)).toHaveLength(1);
  expect(hunksOf(found, ['  a', 'b'], ['\ta ', 'X'], false)).toBeNull();
});
