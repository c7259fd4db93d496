// One hunk of a comparison taken back: the older side's lines in the place of the newer ones, every other byte as it is.
// Owns: what the file's new bytes are. Does not own: the redo point, writing, the log (rewind-hunk). Pure.
// Invariant: nothing is guessed: both sides must hold, at the places given, exactly the lines that the window showed.
import iconv from 'iconv-lite';
import { TidemarkError } from '../../shared/errors';
import type { Hunk } from '../../shared/ipc';
import { encodingOf } from './file-side';

/** A file's bytes as lines of one character a byte (or a UTF-16 unit), each with the break behind it. */
type Lines = {
  readonly encoding: string;
  readonly mark: Buffer;
  readonly lines: readonly { readonly text: string; readonly end: string }[];
};

const MARKS: Readonly<Record<string, readonly number[]>> = {
  'utf-8 with BOM': [0xef, 0xbb, 0xbf],
  'utf-16le': [0xff, 0xfe],
  'utf-16be': [0xfe, 0xff],
};

/**
 * @param before the older side, from which `hunk.before` comes
 * @param now the file as it is
 * @throws plan-stale when a side does not hold the lines; unsupported when the two are not the same kind of text
 */
export function revertedBytes(before: Uint8Array, now: Uint8Array, hunk: Hunk): Buffer {
  const old = linesOf(before);
  const present = linesOf(now);
  if (!areAlike(old, before, present, now)) throw unlike();
  needLines(old, hunk.before);
  needLines(present, hunk.after);
  const end = breakOf(present) ?? breakOf(old) ?? '\n';
  // A file that has one kind of line break keeps it: breaks are no part of a hunk.
  const only = uniform(present);
  const back = old.lines
    .slice(hunk.before.from, hunk.before.from + hunk.before.lines.length)
    .map((l) => ({ text: l.text, end: l.end === '' ? '' : (only ?? l.end) }));
  const all = [
    ...present.lines.slice(0, hunk.after.from),
    ...back,
    ...present.lines.slice(hunk.after.from + hunk.after.lines.length),
  ];
  const text = all.map((l, i) => (i === all.length - 1 ? l.text : l.text + (l.end || end))).join('');
  return Buffer.concat([present.mark, toBytes(text, present.encoding)]);
}

function linesOf(bytes: Uint8Array): Lines {
  const encoding = encodingOf(bytes);
  if (encoding === null) throw unlike();
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const marks = MARKS[encoding] ?? [];
  const mark =
    marks.length > 0 && marks.every((b, i) => buffer[i] === b) ? buffer.subarray(0, marks.length) : EMPTY;
  const text = toText(buffer.subarray(mark.length), encoding);
  const lines: { text: string; end: string }[] = [];
  let at = 0;
  for (const found of text.matchAll(/\r\n|\r|\n/g)) {
    lines.push({ text: text.slice(at, found.index), end: found[0] });
    at = found.index + found[0].length;
  }
  return { encoding, mark, lines: [...lines, { text: text.slice(at), end: '' }] };
}

const EMPTY = Buffer.alloc(0);

/** @throws unsupported for half a unit at the end, which would be lost */
function toText(bytes: Buffer, encoding: string): string {
  if (!encoding.startsWith('utf-16')) return bytes.toString('latin1');
  if (bytes.length % 2 !== 0) throw unlike();
  return (encoding === 'utf-16le' ? bytes : Buffer.from(bytes).swap16()).toString('utf16le');
}

function toBytes(text: string, encoding: string): Buffer {
  if (!encoding.startsWith('utf-16')) return Buffer.from(text, 'latin1');
  const bytes = Buffer.from(text, 'utf16le');
  return encoding === 'utf-16le' ? bytes : bytes.swap16();
}

/** ASCII is the same in all of them but UTF-16; a mark makes no other encoding. */
function areAlike(old: Lines, before: Uint8Array, present: Lines, now: Uint8Array): boolean {
  const [a, b] = [old, present].map((l) => l.encoding.split(' ')[0] ?? '') as [string, string];
  if (a === b) return true;
  const isAscii = (bytes: Uint8Array): boolean => bytes.every((byte) => byte < 0x80);
  return !a.startsWith('utf-16') && !b.startsWith('utf-16') && (isAscii(before) || isAscii(now));
}

/** @throws plan-stale */
function needLines({ lines, encoding }: Lines, wanted: Hunk['before']): void {
  const there = lines.slice(wanted.from, wanted.from + wanted.lines.length);
  const name = encoding.split(' ')[0] ?? encoding;
  const shown = (text: string): string => iconv.decode(toBytes(text, encoding), name, { stripBOM: false });
  const same =
    wanted.from <= lines.length &&
    there.length === wanted.lines.length &&
    there.every((l, i) => shown(l.text) === wanted.lines[i]);
  if (same) return;
  throw new TidemarkError('plan-stale', 'The file has changed since this comparison. Nothing was changed.', {
    hint: 'Look at the comparison as it is now.',
  });
}

const breaksOf = ({ lines }: Lines): Set<string> =>
  new Set(lines.map((l) => l.end).filter((end) => end !== ''));

function uniform(lines: Lines): string | null {
  const [only, ...more] = breaksOf(lines);
  return only !== undefined && more.length === 0 ? only : null;
}

const breakOf = (lines: Lines): string | null => [...breaksOf(lines)][0] ?? null;

const unlike = (): TidemarkError =>
  new TidemarkError(
    'unsupported',
    'The two sides are not the same kind of text, so no single hunk can be taken back.',
    {
      hint: 'Use Restore file for the whole of it. Nothing was changed.',
    },
  );
