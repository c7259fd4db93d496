// Finds the text that an edit means and replaces it, changing no other byte. Pure.
// Owns: tolerance for line endings, and which ending a new line gets. Does not own: files, encodings.
// Invariant: everything outside the matched ranges is in the result as it was, character for character.

export type Replaced =
  | { readonly kind: 'replaced'; readonly text: string; readonly count: number }
  | { readonly kind: 'absent' }
  | { readonly kind: 'several'; readonly count: number };

type Line = { readonly body: string; readonly ending: string };
type Range = { readonly start: number; readonly end: number };

/**
 * Replaces `oldText` in `text`. Line breaks of `oldText` match any line break of the file; those of `newText` become
 * what their place in the file has. With several finds nothing is replaced unless `all` is true.
 */
export function replaceText(text: string, oldText: string, newText: string, all: boolean): Replaced {
  const ranges = findRanges(text, oldText);
  if (ranges.length === 0) return { kind: 'absent' };
  if (ranges.length > 1 && !all) return { kind: 'several', count: ranges.length };
  let out = '';
  let at = 0;
  for (const range of ranges) {
    out += text.slice(at, range.start) + replacement(text, range, newText);
    at = range.end;
  }
  return { kind: 'replaced', text: out + text.slice(at), count: ranges.length };
}

/** A lone CR is a line break only in files that have no other: elsewhere it is data. */
const breaksOf = (text: string): RegExp => (text.includes('\n') ? /\r?\n/g : /\r/g);

function findRanges(text: string, oldText: string): readonly Range[] {
  const exact = searchAll(text, oldText);
  if (exact.length > 0) return exact.map((start) => ({ start, end: start + oldText.length }));
  const { plain, origins } = withPlainBreaks(text);
  const wanted = oldText.replace(/\r\n/g, '\n');
  return searchAll(plain, wanted).map((start) => ({
    start: originOf(origins, start),
    end: originOf(origins, start + wanted.length),
  }));
}

function searchAll(text: string, wanted: string): readonly number[] {
  const found: number[] = [];
  if (wanted === '') return found;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) found.push(at);
  return found;
}

/** Where the plain text moved away from the original: from `plain` on, the original is at `plain + shift`. */
type Origin = { readonly plain: number; readonly shift: number };

function withPlainBreaks(text: string): { plain: string; origins: readonly Origin[] } {
  const origins: Origin[] = [{ plain: 0, shift: 0 }];
  let plain = '';
  let at = 0;
  for (const found of text.matchAll(breaksOf(text))) {
    plain += `${text.slice(at, found.index)}\n`;
    at = found.index + found[0].length;
    origins.push({ plain: plain.length, shift: at - plain.length });
  }
  return { plain: plain + text.slice(at), origins };
}

function originOf(origins: readonly Origin[], plain: number): number {
  let low = 0;
  let high = origins.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((origins[middle]?.plain ?? 0) <= plain) low = middle;
    else high = middle - 1;
  }
  return plain + (origins[low]?.shift ?? 0);
}

function splitLines(text: string, breaks: RegExp): readonly Line[] {
  const lines: Line[] = [];
  let at = 0;
  for (const found of text.matchAll(breaks)) {
    lines.push({ body: text.slice(at, found.index), ending: found[0] });
    at = found.index + found[0].length;
  }
  lines.push({ body: text.slice(at), ending: '' });
  return lines;
}

/** The new text for a range: lines that stay keep their ending, others take that of the line they stand for. */
function replacement(text: string, range: Range, newText: string): string {
  const before = splitLines(text.slice(range.start, range.end), breaksOf(text));
  const after = splitLines(newText, newText.includes('\n') ? /\r?\n/g : /\r(?!$)/g);
  const spare = neighbourEnding(text, range);
  const kept = sameAtEnd(before, after);
  return after
    .map((line, index) => {
      if (index === after.length - 1) return line.body;
      const fromEnd = after.length - index;
      const stands = fromEnd <= kept ? before.at(-fromEnd) : before[Math.min(index, before.length - 1)];
      return line.body + (stands?.ending || spare);
    })
    .join('');
}

function sameAtEnd(before: readonly Line[], after: readonly Line[]): number {
  let same = 0;
  while (
    same < Math.min(before.length, after.length) &&
    before.at(-1 - same)?.body === after.at(-1 - same)?.body
  )
    same++;
  return same;
}

/** The line break that ends the line of the range, else the one before it, else the first of the file. */
function neighbourEnding(text: string, range: Range): string {
  const breaks = breaksOf(text);
  breaks.lastIndex = range.start;
  const next = breaks.exec(text);
  if (next !== null) return next[0];
  const last = [...text.slice(0, range.start).matchAll(breaksOf(text))].at(-1);
  return last?.[0] ?? '\n';
}
