import { describe, expect, it } from 'vitest';
import type { Change } from '../../../shared/domain';
import { side } from '../../dev/fake-files';
import { isFolder, modeNote, noTextWords, sameWords, shownPath, sideNotes } from './change-words';

const change = (part: Partial<Change>): Change => ({
  path: 'a',
  kind: 'mode',
  added: 0,
  removed: 0,
  binary: false,
  ...part,
});

describe('what a comparison of lines does not show', () => {
  it('names modes and types', () => {
    expect(modeNote(change({ oldMode: '100644', newMode: '100755' }))).toBe('mode 644 → 755');
    expect(modeNote(change({ kind: 'type', oldMode: '100644', newMode: '120000' }))).toBe('644 → link');
    expect(modeNote(change({}))).toBeNull();
  });
  it('knows a folder that came or went from a file', () => {
    expect(isFolder(change({ kind: 'added', newMode: '040755' }))).toBe(true);
    expect(isFolder(change({ kind: 'deleted', oldMode: '040755', newMode: '000000' }))).toBe(true);
    expect(isFolder(change({ kind: 'type', oldMode: '100644', newMode: '040755' }))).toBe(false);
    expect(isFolder(change({ kind: 'added', newMode: '100644' }))).toBe(false);
  });
  it('names line endings, the last newline and encodings', () => {
    expect(sideNotes(side('a\n'), side('a\r\n', { endings: 'crlf' }))).toEqual([
      'line endings changed LF → CRLF',
    ]);
    expect(sideNotes(side('a\n'), side('a', { endings: 'none' }))).toEqual([
      'the newline at the end was removed',
    ]);
    expect(sideNotes(side('a'), side('a\n'))).toEqual(['a newline was added at the end']);
    expect(sideNotes(side('a\n'), side('a\n', { encoding: 'utf-16le' }))).toEqual([
      'encoding changed utf-8 → utf-16le',
    ]);
    expect(sideNotes(null, side('a\rb', { endings: 'cr' }))).toEqual(['unusual line endings: CR alone']);
    expect(sideNotes(side('a\n'), side('b\n'))).toEqual([]);
  });
  it('says why there is no text', () => {
    const binary = side(null, { note: 'binary', bytes: 2000 });
    expect(noTextWords(binary, side(null, { note: 'binary', bytes: 3000 }))).toEqual({
      words: 'Binary file · 2.0 KB → 3.0 KB',
      large: false,
    });
    expect(noTextWords(null, side(null, { note: 'large', bytes: 6_000_000 }))).toEqual({
      words: 'Large file (6.0 MB)',
      large: true,
    });
    expect(noTextWords(side('a'), side('b'))).toBeNull();
  });
  it('says what changed when the text is the same', () => {
    expect(sameWords(change({ kind: 'renamed', oldPath: 'b' }), 'text')).toBe('Only the name changed');
    expect(sameWords(change({ kind: 'added' }), '')).toBe('Empty file');
  });
  it('shows a line break in a name as a symbol', () => {
    expect(shownPath('a\nb.txt')).toBe('a␊b.txt');
  });
});
