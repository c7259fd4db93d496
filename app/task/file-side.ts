// One side of a diff, from bytes: text with its encoding and line endings, or why there is none. Pure.
import { decode } from 'iconv-lite';
import type { FileSide } from '../../shared/domain';
import { eastAsianOf } from '../workspace/east-asian';
import { imageType } from './image-type';

/** Above these a file is shown only on request (SPEC 5). */
export const LARGE_BYTES = 5_000_000;
export const LARGE_LINES = 50_000;

/** What a file's bytes look like in a diff. `force` shows a large one all the same. */
export function fileSide(bytes: Uint8Array, force: boolean): FileSide {
  const none = { text: null, bytes: bytes.length, encoding: '', endings: 'none' as const };
  if (bytes.length > LARGE_BYTES && !force) return { ...none, note: 'large' };
  const encoding = encodingOf(bytes);
  if (encoding === null) return { ...none, note: 'binary', ...imageOf(bytes) };
  const text = decode(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
    encoding.split(' ')[0] ?? encoding,
    {
      stripBOM: true,
    },
  );
  if (!force && text.length > LARGE_LINES && countLines(text) > LARGE_LINES)
    return { ...none, note: 'large' };
  return { text, bytes: bytes.length, encoding, endings: endingsOf(text), note: null };
}

/** Larger pictures are not sent to a window, whatever was asked. */
const MOST_IMAGE_BYTES = 20_000_000;

function imageOf(bytes: Uint8Array): Pick<FileSide, 'image'> {
  const mediaType = bytes.length > MOST_IMAGE_BYTES ? null : imageType(bytes);
  if (mediaType === null) return {};
  return { image: { mediaType, base64: Buffer.from(bytes).toString('base64') } };
}

/** The target of a symbolic link, shown as text. */
export const linkSide = (target: Uint8Array): FileSide => ({
  text: Buffer.from(target).toString('utf8'),
  bytes: target.length,
  encoding: 'utf-8',
  endings: 'none',
  note: 'link',
});

/** null: binary. A NUL byte without a byte-order mark means binary, as git has it. */
export function encodingOf(bytes: Uint8Array): string | null {
  const [a, b, c] = bytes;
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8 with BOM';
  const head = bytes.subarray(0, 8000);
  if (head.includes(0)) return looksLikeUtf16(head);
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return 'utf-8';
  } catch {
    return eastAsianOf(bytes) ?? 'windows-1252';
  }
}

/** Text in UTF-16 without a mark: nearly every second byte is zero, on one side only. */
function looksLikeUtf16(head: Uint8Array): string | null {
  const zeros: [number, number] = [0, 0];
  head.forEach((byte, i) => {
    if (byte === 0) zeros[i % 2 === 0 ? 0 : 1] += 1;
  });
  const half = head.length / 2;
  if (half < 2) return null;
  if (zeros[1] > half * 0.7 && zeros[0] === 0) return 'utf-16le';
  if (zeros[0] > half * 0.7 && zeros[1] === 0) return 'utf-16be';
  return null;
}

function countLines(text: string): number {
  let lines = 1;
  for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) lines += 1;
  return lines;
}

function endingsOf(text: string): FileSide['endings'] {
  const crlf = text.includes('\r\n');
  const lf = /(^|[^\r])\n/.test(text);
  const cr = /\r(?!\n)/.test(text);
  const kinds = [crlf, lf, cr].filter(Boolean).length;
  if (kinds > 1) return 'mixed';
  if (crlf) return 'crlf';
  if (lf) return 'lf';
  return cr ? 'cr' : 'none';
}
