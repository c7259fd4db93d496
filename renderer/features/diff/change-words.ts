// A change in words: its letter, and what a text comparison does not show (modes, links, endings, size). Pure.
import type { Change, FileSide } from '../../../shared/domain';
import type { Comparison } from '../../../shared/ipc';
import { bytesOf } from '../../components/time';

const KIND: Readonly<Record<Change['kind'], readonly [letter: string, words: string]>> = {
  added: ['A', 'added'],
  modified: ['M', 'modified'],
  deleted: ['D', 'deleted'],
  renamed: ['R', 'renamed'],
  type: ['T', 'type changed'],
  mode: ['M', 'permissions changed'],
};
export const kindWords = (kind: Change['kind']): readonly [letter: string, words: string] => KIND[kind];

/** Names may hold line breaks and other controls; they are shown as symbols. */
export const shownPath = (path: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  path.replace(/[\u0000-\u001f]/g, (c) => String.fromCharCode(0x2400 + c.charCodeAt(0)));

export const changeKey = (c: Change): string => `${c.path} ${c.pathBase64 ?? ''} ${c.kind}`;

/** The change is about a folder alone: an empty one that came or went. */
export const isFolder = (c: Change): boolean =>
  [c.oldMode, c.newMode].some((m) => m?.startsWith('040')) &&
  [c.oldMode, c.newMode].every((m) => m === undefined || /^(040|0+$)/.test(m));

const MODES: Readonly<Record<string, string>> = {
  '120000': 'link',
  '160000': 'repository',
  '040755': 'folder',
};
const modeText = (mode: string): string => MODES[mode] ?? mode.slice(-3);

export function modeNote(c: Change): string | null {
  if (c.oldMode === undefined || c.newMode === undefined || c.oldMode === c.newMode) return null;
  const from = modeText(c.oldMode);
  const to = modeText(c.newMode);
  return c.kind === 'type' ? `${from} → ${to}` : `mode ${from} → ${to}`;
}

const ENDINGS = { lf: 'LF', crlf: 'CRLF', cr: 'CR', mixed: 'mixed', none: 'none' } as const;

/** Line endings and a missing final newline, which look like nothing in a comparison of lines. */
export function sideNotes(before: FileSide | null, after: FileSide | null): readonly string[] {
  const notes: string[] = [];
  const sides = [before, after].filter((s) => s !== null);
  if (sides.some((s) => s.note === 'link')) notes.push('link: its target is shown as text');
  if (before !== null && after !== null && before.text !== null && after.text !== null) {
    if (before.endings !== after.endings && before.endings !== 'none' && after.endings !== 'none')
      notes.push(`line endings changed ${ENDINGS[before.endings]} → ${ENDINGS[after.endings]}`);
    if (before.encoding !== after.encoding && before.text !== '' && after.text !== '')
      notes.push(`encoding changed ${before.encoding} → ${after.encoding}`);
    const [hadEnd, hasEnd] = [endsInBreak(before.text), endsInBreak(after.text)];
    if (before.text !== '' && after.text !== '' && hadEnd !== hasEnd)
      notes.push(hasEnd ? 'a newline was added at the end' : 'the newline at the end was removed');
  }
  const encoding = after?.encoding ?? before?.encoding ?? '';
  if (!['', 'utf-8', 'ascii'].includes(encoding) && !notes.some((n) => n.startsWith('encoding')))
    notes.push(encoding);
  if (sides.some((s) => s.endings === 'cr')) notes.push('unusual line endings: CR alone');
  return notes;
}

const endsInBreak = (text: string): boolean => /[\r\n]$/.test(text);

/** Why there is no text to compare; null: there is. */
export function noTextWords(
  before: FileSide | null,
  after: FileSide | null,
): { words: string; large: boolean } | null {
  const notes = [before?.note, after?.note];
  const sizes = [before, after].filter((s) => s !== null).map((s) => bytesOf(s.bytes));
  if (notes.includes('large')) return { words: `Large file (${sizes.join(' → ')})`, large: true };
  if (notes.includes('binary')) return { words: `Binary file · ${sizes.join(' → ')}`, large: false };
  if (notes.includes('folder')) return { words: 'Folder', large: false };
  return null;
}

/** What to say of a change whose two texts are the same. */
export const sameWords = (change: Change, text: string): string =>
  change.kind === 'renamed' ? 'Only the name changed' : text === '' ? 'Empty file' : 'The text is the same';

/** The checkpoint that `Restore file` goes back to; null where the older side is none. */
export const oldSideWords = (comparison: Comparison): string =>
  comparison.kind === 'turn' || comparison.kind === 'completion'
    ? 'Take this file back to before these changes'
    : 'Take this file back to this checkpoint';
