// Text as it lies on disk: read and written without changing a byte that nobody meant to change.
// Owns: encodings (UTF-8, UTF-16 with a mark, GBK and Shift-JIS where they can be told, else one byte a character), line
// endings of a whole text. Does not own: paths, writing to disk. Pure.
// Invariant: encodeText(decodeText(bytes)) gives the same bytes for every text that decodeText accepts.
import iconv from 'iconv-lite';
import { TidemarkError } from '../../shared/errors';
import { type EastAsian, eastAsianOf } from './east-asian';

export type Encoding = 'utf8' | 'utf8-bom' | 'utf16le' | 'utf16be' | 'single-byte' | EastAsian;
export type Ending = '\n' | '\r\n' | '\r';
export type DecodedText = { readonly text: string; readonly encoding: Encoding };

/** How far a file is searched for a NUL, the sign of a binary file. git looks as far. */
const BINARY_SEARCH = 8000;

/**
 * Windows-1252 with its five undefined bytes read as the control characters of the same number: so each byte has a
 * character of its own and any file that is not Unicode comes back exactly.
 */
const SINGLE_BYTE: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  const char = iconv.decode(Buffer.from([byte]), 'windows-1252');
  return char === '\ufffd' ? String.fromCharCode(byte) : char;
});
const BYTE_OF: ReadonlyMap<string, number> = new Map(SINGLE_BYTE.map((char, byte) => [char, byte]));

/** The text of a file, or null when it is binary. */
export function decodeText(bytes: Uint8Array): DecodedText | null {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isUtf32(buffer)) return null;
  if (buffer[0] === 0xff && buffer[1] === 0xfe && buffer.length % 2 === 0)
    return { text: buffer.subarray(2).toString('utf16le'), encoding: 'utf16le' };
  if (buffer[0] === 0xfe && buffer[1] === 0xff && buffer.length % 2 === 0)
    return { text: Buffer.from(buffer.subarray(2)).swap16().toString('utf16le'), encoding: 'utf16be' };
  if (buffer.subarray(0, BINARY_SEARCH).includes(0)) return null;
  const marked = buffer[0] === 0xef && buffer[1] === 0xbb && buffer[2] === 0xbf;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      marked ? buffer.subarray(3) : buffer,
    );
    return { text, encoding: marked ? 'utf8-bom' : 'utf8' };
  } catch {
    return decodeLegacy(buffer);
  }
}

/** Nobody writes text in it, and its mark looks like that of UTF-16. */
const isUtf32 = (b: Buffer): boolean =>
  b.length >= 4 && b[0] === 0xff && b[1] === 0xfe && b[2] === 0 && b[3] === 0;

function decodeLegacy(buffer: Buffer): DecodedText {
  const guess = eastAsianOf(buffer);
  if (guess !== null) {
    const text = iconv.decode(buffer, guess);
    // Two bytes may stand for one character, or a byte for none: then only bytes are certain.
    if (iconv.encode(text, guess).equals(buffer)) return { text, encoding: guess };
  }
  let text = '';
  for (const byte of buffer) text += SINGLE_BYTE[byte];
  return { text, encoding: 'single-byte' };
}

/** @throws TidemarkError tool-failed when the encoding has no bytes for a character */
export function encodeText(text: string, encoding: Encoding): Buffer {
  switch (encoding) {
    case 'utf8':
      return Buffer.from(text, 'utf8');
    case 'utf8-bom':
      return Buffer.from(`\ufeff${text}`, 'utf8');
    case 'utf16le':
      return Buffer.from(`\ufeff${text}`, 'utf16le');
    case 'utf16be':
      return Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
    case 'gbk':
    case 'shift-jis':
      return encodeEastAsian(text, encoding);
    case 'single-byte': {
      const bytes = [...text].map((char) => BYTE_OF.get(char) ?? refuse(char, 'one byte a character'));
      return Buffer.from(bytes);
    }
  }
}

function encodeEastAsian(text: string, encoding: EastAsian): Buffer {
  const bytes = iconv.encode(text, encoding);
  const again = iconv.decode(bytes, encoding);
  if (again === text) return bytes;
  const lost = [...text].find((char) => iconv.decode(iconv.encode(char, encoding), encoding) !== char);
  return refuse(lost ?? text.slice(0, 20), ENCODING_NAMES[encoding]);
}

/** @throws TidemarkError tool-failed */
function refuse(char: string, encoding: string): never {
  throw new TidemarkError(
    'tool-failed',
    `The file is not Unicode (${encoding}), and "${char}" does not exist in its encoding. Nothing was written.`,
  );
}

/** How people call an encoding. */
export const ENCODING_NAMES: Readonly<Record<Encoding, string>> = {
  utf8: 'UTF-8',
  'utf8-bom': 'UTF-8 with BOM',
  utf16le: 'UTF-16LE',
  utf16be: 'UTF-16BE',
  gbk: 'GBK',
  'shift-jis': 'Shift-JIS',
  'single-byte': 'a single-byte encoding (shown as Windows-1252)',
};

/** The one line ending of a text; "mixed" when it has several, null when it has no line break. */
export function endingOf(text: string): Ending | 'mixed' | null {
  const found = new Set(text.match(/\r\n|\n|\r/g) ?? []);
  if (found.size > 1) return 'mixed';
  const [only] = found;
  return (only as Ending | undefined) ?? null;
}

/** The text with every line break as `ending`. */
export const withEnding = (text: string, ending: Ending): string => text.replace(/\r\n|\n|\r/g, ending);
