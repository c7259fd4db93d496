import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { replaceText } from './match';

const replaced = (text: string, from: string, to: string, all = false): string => {
  const result = replaceText(text, from, to, all);
  return result.kind === 'replaced' ? result.text : result.kind;
};

describe('replaceText', () => {
  test.each([
    ['one of several lines', 'a\nb\nc\n', 'b', 'B', 'a\nB\nc\n'],
    ['fault 29a: CRLF file, LF in the call', 'a\r\nb\r\nc\r\n', 'a\nb', 'a\nX', 'a\r\nX\r\nc\r\n'],
    ['fault 29a: new lines take CRLF', 'a\r\nb\r\n', 'b', 'b\nc\nd', 'a\r\nb\r\nc\r\nd\r\n'],
    [
      'fault 29b: mixed, each line keeps its own',
      'a\r\nb\nc\r\nd\n',
      'a\nb\nc',
      'a\nB\nc',
      'a\r\nB\nc\r\nd\n',
    ],
    [
      'fault 29b: a line more before the same end',
      'a\r\nb\nc\r\n',
      'a\nb\nc',
      'a\nx\nb\nc',
      'a\r\nx\nb\nc\r\n',
    ],
    ['fault 29c: a lone CR is data', 'a\rb\nc\n', 'c', 'd\ne', 'a\rb\nd\ne\n'],
    ['fault 29c: a lone CR inside the match stays', 'a\rb\nc\n', 'a\rb\nc', 'a\rb\nd', 'a\rb\nd\n'],
    ['fault 29d: CRLF in the call, LF file', 'a\nb\nc\n', 'a\r\nb', 'a\r\nX', 'a\nX\nc\n'],
    ['old Mac line ends', 'a\rb\rc\r', 'a\nb', 'a\nX\nY', 'a\rX\rY\rc\r'],
    ['deleting a line', 'a\r\nb\r\nc', 'b\n', '', 'a\r\nc'],
    ['at the end without a line break', 'a\r\nb', 'b', 'b\nc', 'a\r\nb\r\nc'],
    ['dollar signs are plain text', 'a', 'a', '$&$1', '$&$1'],
  ])('%s', (_, text, from, to, expected) => {
    expect(replaced(text, from, to)).toBe(expected);
  });

  test('absent, several, all', () => {
    expect(replaceText('a', 'b', 'c', false)).toEqual({ kind: 'absent' });
    expect(replaceText('x x x', 'x', 'y', false)).toEqual({ kind: 'several', count: 3 });
    expect(replaceText('a\r\na\r\n', 'a\n', 'b\n', true)).toEqual({
      kind: 'replaced',
      text: 'b\r\nb\r\n',
      count: 2,
    });
  });

  test('fault 29: nothing outside the match changes, whatever the line endings', () => {
    const piece = fc
      .array(fc.constantFrom('a', 'b', '\n', '\r\n', '\r', ' '), { maxLength: 12 })
      .map((p) => p.join(''));
    fc.assert(
      fc.property(
        piece,
        piece,
        fc.array(fc.constantFrom('x', 'y', '\n'), { maxLength: 6 }),
        (before, after, to) => {
          const text = `${before}<one\n two>${after}`;
          const result = replaced(text, '<one\n two>', `<${to.join('')}>`);
          expect(result.startsWith(`${before}<`)).toBe(true);
          expect(result.endsWith(`>${after}`)).toBe(true);
        },
      ),
    );
  });
});
