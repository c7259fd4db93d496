import { describe, expect, test } from 'vitest';
import { summarizeEdit } from './unified-diff';

const lines = (count: number, word: string) =>
  Array.from({ length: count }, (_, i) => `${word} ${i}\n`).join('');

describe('summarizeEdit', () => {
  test.each([
    ['nothing', 'a\n', 'a\n', { added: 0, removed: 0, patch: '' }],
    ['a new file', null, 'a\nb\n', { added: 2, removed: 0, patch: '@@ -0,0 +1,2 @@\n+a\n+b' }],
    ['a deleted file', 'a\n', null, { added: 0, removed: 1, patch: '@@ -1,1 +0,0 @@\n-a' }],
    ['an empty new file', null, '', { added: 0, removed: 0, patch: '' }],
    ['CRLF', 'a\r\nb\r\n', 'a\r\nc\r\n', { added: 1, removed: 1, patch: '@@ -1,2 +1,2 @@\n a\n-b\n+c' }],
    [
      'the last line break',
      'a\n',
      'a',
      { added: 1, removed: 1, patch: '@@ -1,1 +1,1 @@\n-a\n+a\n\\ No newline at end of file' },
    ],
  ])('%s', (_, before, after, summary) => {
    expect(summarizeEdit(before, after)).toEqual(summary);
  });

  test('at most 200 lines are shown, and how many are not', () => {
    const { patch, added } = summarizeEdit(null, lines(500, 'x'));
    expect(added).toBe(500);
    expect(patch.split('\n')).toHaveLength(200);
    expect(patch).toMatch(/\(302 more lines\)$/);
  });

  test('too much to compare: counted between the first and the last difference', () => {
    const before = `same\n${lines(3000, 'old')}end\n`;
    const after = `same\n${lines(2500, 'new')}end\n`;
    expect(summarizeEdit(before, after)).toMatchObject({ added: 2500, removed: 3000 });
    expect(summarizeEdit(before, after).patch).toContain('too different');
  });
});
