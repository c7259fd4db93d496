import { describe, expect, test } from 'vitest';
import { fileSide, LARGE_BYTES } from './file-side';

const side = (bytes: readonly number[] | string, force = false) =>
  fileSide(typeof bytes === 'string' ? Buffer.from(bytes) : Uint8Array.from(bytes), force);

describe('what a file looks like in a diff', () => {
  test.each([
    ['plain', 'a\nb\n', 'utf-8', 'lf'],
    ['fault 97: windows endings', 'a\r\nb\r\n', 'utf-8', 'crlf'],
    ['fault 98: old endings', 'a\rb\r', 'utf-8', 'cr'],
    ['mixed endings', 'a\nb\r\n', 'utf-8', 'mixed'],
    ['one line', 'a', 'utf-8', 'none'],
    ['empty', '', 'utf-8', 'none'],
  ])('%s', (_what, text, encoding, endings) => {
    expect(side(text)).toMatchObject({ text, encoding, endings, note: null });
  });

  test('fault 99: UTF-16 with and without a mark is text', () => {
    expect(side([0xff, 0xfe, 0x61, 0, 0x0a, 0])).toMatchObject({ text: 'a\n', encoding: 'utf-16le' });
    expect(side([0xfe, 0xff, 0, 0x61])).toMatchObject({ text: 'a', encoding: 'utf-16be' });
    expect(side([0x61, 0, 0x62, 0, 0x0a, 0])).toMatchObject({ text: 'ab\n', encoding: 'utf-16le' });
  });

  test('a mark is named, not shown; bytes that are not UTF-8 are read as Windows-1252', () => {
    expect(side([0xef, 0xbb, 0xbf, 0x61])).toMatchObject({ text: 'a', encoding: 'utf-8 with BOM' });
    expect(side([0x63, 0x61, 0x66, 0xe9])).toMatchObject({ text: 'café', encoding: 'windows-1252' });
  });

  test('binary has no text', () => {
    expect(side([0, 1, 2, 3, 0xff])).toMatchObject({ text: null, note: 'binary', bytes: 5 });
  });

  test('a picture comes with its bytes, by what it is and not by its name', () => {
    const png = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13];
    expect(side(png)).toMatchObject({
      text: null,
      note: 'binary',
      image: { mediaType: 'image/png', base64: Buffer.from(png).toString('base64') },
    });
    expect(side([0xff, 0xd8, 0xff, 0xe0, 0, 16]).image?.mediaType).toBe('image/jpeg');
    expect(side([0, 1, 2, 3]).image).toBeUndefined();
    expect(side('GIF89a is how such files begin').image).toBeUndefined();
  });

  test('fault 100: large files only on request', () => {
    const large = Buffer.alloc(LARGE_BYTES + 1, 'a');
    expect(fileSide(large, false)).toMatchObject({ text: null, note: 'large' });
    expect(fileSide(large, true).text).toHaveLength(LARGE_BYTES + 1);
    expect(side('x\n'.repeat(50_001))).toMatchObject({ text: null, note: 'large' });
  });
});
