import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { revertedBytes } from './revert-hunk';

const utf8 = (text: string): Buffer => Buffer.from(text);
/** The hunk that puts lines [a, b) of the older text in the place of [c, d) of the newer one. */
function hunkOf(before: string, [a, b]: [number, number], now: string, [c, d]: [number, number]) {
  const lines = (text: string, from: number, to: number) => text.split(/\r\n|\r|\n/).slice(from, to);
  return { before: { from: a, lines: lines(before, a, b) }, after: { from: c, lines: lines(now, c, d) } };
}
const revert = (before: string, old: [number, number], now: string, range: [number, number]): string =>
  revertedBytes(utf8(before), utf8(now), hunkOf(before, old, now, range)).toString();

describe('taking back a hunk', () => {
  test('changed, added and removed lines', () => {
    expect(revert('a\nb\nc\n', [1, 2], 'a\nX\nY\nc\n', [1, 3])).toBe('a\nb\nc\n');
    expect(revert('a\nc\n', [1, 1], 'a\nb\nc\n', [1, 2])).toBe('a\nc\n');
    expect(revert('a\nb\nc\n', [1, 2], 'a\nc\n', [1, 1])).toBe('a\nb\nc\n');
  });

  test('only this one: other hunks stay', () => {
    expect(revert('1\n2\n3\n', [0, 1], 'one\n2\nthree\n', [0, 1])).toBe('1\n2\nthree\n');
  });

  test('a missing newline at the end comes back, or goes', () => {
    expect(revert('a\nb', [1, 2], 'a\nb\n', [1, 3])).toBe('a\nb');
    expect(revert('a\nb\n', [1, 3], 'a\nb', [1, 2])).toBe('a\nb\n');
    expect(revert('a\nb', [1, 2], 'a', [1, 1])).toBe('a\nb');
  });

  test('line breaks stay as the file has them; mixed ones as each line had them', () => {
    expect(revert('a\nb\nc\n', [1, 2], 'a\r\nX\r\nc\r\n', [1, 2])).toBe('a\r\nb\r\nc\r\n');
    expect(revert('a\r\nb\rc\n', [1, 2], 'a\r\nX\nc\n', [1, 2])).toBe('a\r\nb\rc\n');
  });

  test('white space that a comparison leaves out stays as it is', () => {
    // shown without white space: line 1 differs only in that and is no hunk
    expect(revert('if x:\n  a\n  b\n', [2, 3], 'if x:\n    a\n    B\n', [2, 3])).toBe('if x:\n    a\n  b\n');
  });
});

describe('encodings', () => {
  const line = (text: string) => ({ from: 0, lines: [text] });

  test('bytes of the same encoding go back as they were', () => {
    const before = Buffer.from('caf\xe9\nx\n', 'latin1');
    const now = Buffer.from('th\xe9\nx\n', 'latin1');
    const back = revertedBytes(before, now, { before: line('café'), after: line('thé') });
    expect(back).toEqual(before);
    const wide = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');
    expect(revertedBytes(wide('ö\nb\n'), wide('X\nb\n'), { before: line('ö'), after: line('X') })).toEqual(
      wide('ö\nb\n'),
    );
  });

  test('a mark that the file has now stays', () => {
    expect(revertedBytes(utf8('a\n'), utf8('\ufeffX\n'), { before: line('a'), after: line('X') })).toEqual(
      utf8('\ufeffa\n'),
    );
  });

  test('plain ASCII goes with any, other bytes only with their own', () => {
    const latin = Buffer.from('caf\xe9\n', 'latin1');
    expect(revertedBytes(latin, utf8('cafe\n'), { before: line('café'), after: line('cafe') })).toEqual(
      latin,
    );
    expect(() => revertedBytes(latin, utf8('ö\n'), { before: line('café'), after: line('ö') })).toThrow(
      /not the same kind of text/,
    );
    expect(() =>
      revertedBytes(Buffer.from([0, 1, 2]), utf8('a\n'), { before: line('a'), after: line('a') }),
    ).toThrow(/not the same kind/);
  });
});

test('lines that are not there as they were shown are refused', () => {
  const hunk = hunkOf('a\nb\n', [1, 2], 'a\nX\n', [1, 2]);
  for (const [before, now] of [
    ['a\nb\n', 'a\nY\n'],
    ['a\nB\n', 'a\nX\n'],
    ['a\nb\n', 'a'],
  ] as const)
    expect(() => revertedBytes(utf8(before), utf8(now), hunk)).toThrow(/has changed since/);
  const insertion = { before: { from: 9, lines: [] }, after: { from: 1, lines: ['X'] } };
  expect(() => revertedBytes(utf8('a\nb\n'), utf8('a\nX\n'), insertion)).toThrow(/has changed since/);
});

test('the other lines never change, whatever is taken back', () => {
  const texts = fc.array(fc.constantFrom('a', 'b', '', ' '), { minLength: 1, maxLength: 6 });
  const range = fc.tuple(fc.nat(6), fc.nat(6));
  fc.assert(
    fc.property(texts, texts, range, range, (old, now, r1, r2) => {
      const cut = (all: string[], [x, y]: [number, number]): [number, number] => {
        const from = Math.min(x, all.length);
        return [from, Math.min(all.length, from + y)];
      };
      const [a, b] = cut(old, r1);
      const [c, d] = cut(now, r2);
      const expected = [...now.slice(0, c), ...old.slice(a, b), ...now.slice(d)].join('\n');
      expect(revert(old.join('\n'), [a, b], now.join('\n'), [c, d])).toBe(expected);
    }),
  );
});
