import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeText, encodeText, endingOf, withEnding } from './text-file';

const bytes = (...values: number[]) => Uint8Array.from(values);

describe('decodeText', () => {
  test.each([
    ['plain', Buffer.from('naïve 🎈\n'), 'naïve 🎈\n', 'utf8'],
    ['UTF-8 with a mark', Buffer.from('\ufeffa'), 'a', 'utf8-bom'],
    ['UTF-16LE', bytes(0xff, 0xfe, 0x61, 0x00, 0xac, 0x20), 'a€', 'utf16le'],
    ['UTF-16BE', bytes(0xfe, 0xff, 0x00, 0x61, 0x20, 0xac), 'a€', 'utf16be'],
    ['Windows-1252', bytes(0x41, 0x99), 'A™', 'single-byte'],
    ['empty', bytes(), '', 'utf8'],
  ])('%s', (_, content, text, encoding) => {
    expect(decodeText(content)).toEqual({ text, encoding });
  });

  test('a NUL means binary', () => {
    expect(decodeText(bytes(0x61, 0, 0x62))).toBeNull();
  });

  test('fault 31: whatever the bytes, they come back exactly', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (content) => {
        const decoded = decodeText(content);
        fc.pre(decoded !== null);
        if (decoded === null) return;
        expect(new Uint8Array(encodeText(decoded.text, decoded.encoding))).toEqual(content);
      }),
    );
  });

  test('every byte of a single-byte file has a character of its own', () => {
    const all = Uint8Array.from({ length: 255 }, (_, i) => i + 1);
    const decoded = decodeText(all);
    expect(new Set(decoded?.text).size).toBe(255);
    expect(new Uint8Array(encodeText(decoded?.text ?? '', 'single-byte'))).toEqual(all);
  });
});

test('fault 31: a character that the encoding lacks is refused, never replaced', () => {
  expect(() => encodeText('漢', 'single-byte')).toThrowError(/does not exist in its encoding/);
});

test.each([
  ['a\nb\n', '\n'],
  ['a\r\nb', '\r\n'],
  ['a\rb', '\r'],
  ['a\r\nb\n', 'mixed'],
  ['ab', null],
])('endingOf %j', (text, ending) => {
  expect(endingOf(text)).toBe(ending);
});

test('withEnding changes each kind of break', () => {
  expect(withEnding('a\nb\r\nc\rd', '\r\n')).toBe('a\r\nb\r\nc\r\nd');
});
