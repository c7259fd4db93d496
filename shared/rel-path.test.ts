import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type RelPath, relPathFromText, relPathOf, relPathToText } from './rel-path';

const bytes = (...values: number[]): RelPath => String.fromCharCode(...values) as RelPath;

it('shows UTF-8 as it is', () => {
  for (const text of ['', 'a/b', 'été.txt', '日本/語', '\uFEFFbom', 'a\nb', '💾']) {
    expect(relPathToText(relPathFromText(text))).toEqual({ path: text });
  }
});

it('keeps the bytes beside a name that is not UTF-8', () => {
  expect(relPathToText(bytes(0x61, 0xff))).toEqual({ path: 'a\uFFFD', pathBase64: 'Yf8=' });
  // CESU-8, an overlong form, a lone surrogate, a cut sequence
  for (const odd of [
    [0xed, 0xa0, 0x80],
    [0xc0, 0xaf],
    [0xed, 0xbf, 0xbf],
    [0xe2, 0x82],
  ]) {
    expect(relPathToText(bytes(...odd)).pathBase64).toBeDefined();
  }
});

it('tells a real replacement character from a stand-in', () => {
  expect(relPathToText(relPathFromText('\uFFFD'))).toEqual({ path: '\uFFFD' });
});

it('brings any bytes there and back', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (values) => {
      const path = bytes(...values);
      expect(relPathOf(relPathToText(path))).toBe(path);
      expect(relPathOf(JSON.parse(JSON.stringify(relPathToText(path))))).toBe(path);
    }),
  );
});

it('brings any text there and back', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const path = relPathFromText(text);
      expect([...path].every((c) => c.charCodeAt(0) < 256)).toBe(true);
      expect(relPathToText(path)).toEqual({ path: text });
    }),
  );
});
