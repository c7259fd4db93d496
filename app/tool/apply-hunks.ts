// Puts the hunks of a patch into a text, changing no other character. Pure.
// Owns: finding where a hunk belongs, and which ending a new line gets. Does not own: reading patches, files.
// Invariant: a hunk goes where its old lines stand: at the line that it names, or, when they are not there, at the one
// other place behind the hunk before it. With no such place, or several, nothing is changed.
import { TidemarkError } from '../../shared/errors';
import type { Hunk, HunkLine } from './hunk-text';

type Line = { readonly body: string; readonly ending: string };

/** @throws TidemarkError tool-failed, saying which hunk and why */
export function applyHunks(text: string, hunks: readonly Hunk[], path: string): string {
  const lines = splitLines(text);
  const out: Line[] = [];
  let at = 0;
  let shift = 0;
  for (const hunk of hunks) {
    const place = placeOf(lines, hunk, at, shift, path);
    out.push(...lines.slice(at, place), ...changed(lines, place, hunk));
    at = place + oldLines(hunk).length;
    if (hunk.start !== null) shift = place - indexOf(hunk);
  }
  out.push(...lines.slice(at));
  return out
    .map((line, index) => line.body + (index < out.length - 1 ? line.ending || spare(lines) : line.ending))
    .join('');
}

const oldLines = (hunk: Hunk): readonly HunkLine[] => hunk.lines.filter((l) => l.kind !== 'new');

/** A hunk without old lines names the line behind which it goes, others their first line. */
const indexOf = (hunk: Hunk): number => {
  const start = hunk.start ?? 0;
  return oldLines(hunk).length === 0 ? start : Math.max(0, start - 1);
};

/** A lone CR is a line break only in files that have no other: elsewhere it is data. */
function splitLines(text: string): readonly Line[] {
  const lines: Line[] = [];
  let at = 0;
  for (const found of text.matchAll(text.includes('\n') ? /\r?\n/g : /\r/g)) {
    lines.push({ body: text.slice(at, found.index), ending: found[0] });
    at = found.index + found[0].length;
  }
  if (at < text.length) lines.push({ body: text.slice(at), ending: '' });
  return lines;
}

function placeOf(lines: readonly Line[], hunk: Hunk, from: number, shift: number, path: string): number {
  const old = oldLines(hunk);
  const fail = (why: string): never => {
    throw new TidemarkError(
      'tool-failed',
      `The hunk at line ${hunk.number} of the patch does not fit "${path}": ${why}. Nothing was changed.`,
    );
  };
  const named = hunk.start === null ? null : indexOf(hunk) + shift;
  if (old.length === 0) {
    if (lines.length === 0) return 0;
    if (named === null) return fail('it adds lines and does not say where; give lines around them');
    return named >= from && named <= lines.length ? named : fail(`the file has ${lines.length} lines`);
  }
  if (named !== null && named >= from && fits(lines, named, old)) return named;
  const found: number[] = [];
  for (let i = from; i <= lines.length - old.length; i++) if (fits(lines, i, old)) found.push(i);
  const [only, ...more] = found;
  if (only === undefined)
    return fail(
      'its old lines are not in the file as they stand in the patch. Read the file: it may have changed',
    );
  if (more.length > 0)
    return fail(
      `its old lines are in the file ${found.length} times, and not where it says; give more lines around them`,
    );
  return only;
}

function fits(lines: readonly Line[], at: number, old: readonly HunkLine[]): boolean {
  return old.every((want, i) => {
    const line = lines[at + i];
    if (line === undefined || (want.unended && (line.ending !== '' || at + i !== lines.length - 1)))
      return false;
    return line.body === want.text || `${line.body}${line.ending}` === `${want.text}\n`;
  });
}

/** Old lines that stay keep their ending; new ones take it from the line that they stand for, else from the one before. */
function changed(lines: readonly Line[], place: number, hunk: Hunk): readonly Line[] {
  const out: Line[] = [];
  const removed: Line[] = [];
  // A patch of which some lines end in CR speaks of endings itself.
  const literal = hunk.lines.some((l) => l.text.endsWith('\r'));
  let at = place;
  for (const line of hunk.lines) {
    if (line.kind === 'new') {
      out.push(
        literal
          ? literalLine(line)
          : { body: line.text, ending: removed.shift()?.ending || before(out, lines, place) },
      );
      continue;
    }
    const here = lines[at++] ?? { body: line.text, ending: '' };
    if (line.kind === 'old') removed.push(here);
    else {
      out.push(here);
      removed.length = 0;
    }
  }
  return atEnd(out, lines, at, hunk);
}

function literalLine(line: HunkLine): Line {
  return line.text.endsWith('\r')
    ? { body: line.text.slice(0, -1), ending: '\r\n' }
    : { body: line.text, ending: '\n' };
}

const before = (out: readonly Line[], lines: readonly Line[], place: number): string =>
  out.at(-1)?.ending || lines[place - 1]?.ending || lines[place]?.ending || spare(lines);

const spare = (lines: readonly Line[]): string => lines.find((l) => l.ending !== '')?.ending ?? '\n';

/** The end of the file gets or loses its line break only where the patch says so. */
function atEnd(out: readonly Line[], lines: readonly Line[], at: number, hunk: Hunk): readonly Line[] {
  const last = out.at(-1);
  if (at < lines.length || last === undefined) return out;
  const newest = hunk.lines.findLast((l) => l.kind !== 'old');
  if (newest?.kind !== 'new') return out;
  const speaks = hunk.lines.some((l) => l.unended);
  const wasOpen = lines.length > 0 && lines.at(-1)?.ending === '';
  const open = speaks ? newest.unended : wasOpen;
  return [...out.slice(0, -1), { body: last.body, ending: open ? '' : last.ending || spare(lines) }];
}
