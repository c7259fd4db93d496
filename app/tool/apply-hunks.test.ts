import { createTwoFilesPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyHunks } from './apply-hunks';
import { parsePatch } from './patch';

const apply = (text: string, body: string): string => {
  const [file] = parsePatch(`--- a/x\n+++ b/x\n${body}`);
  return applyHunks(text, file?.hunks ?? [], 'x');
};

/** Few different lines, so that contexts repeat, as in real files. */
const line = fc.constantFrom('a', 'b', 'c', '', '  d', '--- e', '+++ f', '@@ g', '\\h');
const text = fc
  .tuple(fc.array(line, { maxLength: 14 }), fc.boolean())
  .map(([all, ended]) => (all.length === 0 ? '' : all.join('\n') + (ended ? '\n' : '')));

describe('what another program writes is applied exactly', () => {
  test.each([0, 1, 3])('with %i lines of context', (context) => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        fc.pre(before !== after);
        const patch = createTwoFilesPatch('a/x', 'b/x', before, after, '', '', { context });
        const [file] = parsePatch(patch);
        expect(applyHunks(before, file?.hunks ?? [], 'x')).toBe(after);
      }),
      { numRuns: 400 },
    );
  });

  test('endings of all other lines stay, whatever they are; new lines take those around', () => {
    const ending = fc.constantFrom('\n', '\r\n');
    const lines = fc.array(fc.tuple(fc.stringMatching(/^[a-z]{1,4}$/), ending), {
      minLength: 1,
      maxLength: 9,
    });
    fc.assert(
      fc.property(lines, fc.nat(), fc.boolean(), (all, seed, ended) => {
        const unique = all.map(([body, end], i) => ({ body: `${body}${i}`, end }));
        const at = seed % unique.length;
        const put = (change: (body: string, i: number) => string) =>
          unique.map((l, i) => change(l.body, i) + (i === unique.length - 1 && !ended ? '' : l.end)).join('');
        const wanted = unique[at]?.body ?? '';
        expect(
          apply(
            put((body) => body),
            `@@\n-${wanted}\n+NEW\n`,
          ),
        ).toBe(put((body, i) => (i === at ? 'NEW' : body)));
      }),
    );
  });
});

describe('where a hunk goes', () => {
  const repeated = 'x\na\ny\nx\na\ny\n';

  test('lines that are in the file once are found whatever the head says', () => {
    expect(apply('1\n2\n3\n4\n', '@@ -9,2 +9,2 @@\n 3\n-4\n+5\n')).toBe('1\n2\n3\n5\n');
  });

  test('of several places the one that the head names is taken', () => {
    expect(apply(repeated, '@@ -4,3 +4,3 @@\n x\n-a\n+b\n y\n')).toBe('x\na\ny\nx\nb\ny\n');
  });

  test.each([['@@'], ['@@ -2,3 +2,3 @@']])(
    'several places and a head that names none of them: refused (%s)',
    (head) => {
      expect(() => apply(repeated, `${head}\n x\n-a\n+b\n y\n`)).toThrow(/2 times/);
    },
  );

  test('a later hunk is looked for behind the one before', () => {
    expect(apply(repeated, '@@ -4,2 +4,2 @@\n x\n-a\n+b\n@@\n-y\n+z\n')).toBe('x\na\ny\nx\nb\nz\n');
  });

  test('what one hunk adds moves the lines that the next one names', () => {
    expect(apply(repeated, '@@ -1,1 +1,3 @@\n x\n+n\n+n\n@@ -5,1 +7,1 @@\n-a\n+b\n')).toBe(
      'x\nn\nn\na\ny\nx\nb\ny\n',
    );
  });

  test('fault 20: old lines that are not there any more are refused', () => {
    expect(() => apply('1\n2\n3\n', '@@ -1,2 +1,2 @@\n 1\n-two\n+2\n')).toThrow(
      /line 3 of the patch.*Read the file/,
    );
  });

  test('lines added with no word on where are refused, except to an empty file', () => {
    expect(() => apply('1\n', '@@\n+2\n')).toThrow(/does not say where/);
    expect(apply('', '@@\n+2\n')).toBe('2\n');
  });
});

describe('the end of the file', () => {
  test.each([
    ['stays open when the patch does not speak of it', 'a\nb', '@@\n-b\n+c\n', 'a\nc'],
    ['stays open behind lines that are added', 'a', '@@\n a\n+b\n', 'a\nb'],
    ['stays closed', 'a\nb\n', '@@\n-b\n+c\n', 'a\nc\n'],
    ['is closed on request', 'a\nb', '@@\n-b\n\\ No newline at end of file\n+b\n', 'a\nb\n'],
    ['is opened on request', 'a\nb\n', '@@\n-b\n+b\n\\ No newline at end of file\n', 'a\nb'],
    ['of CR LF', 'a\r\nb', '@@\n b\n+c\n', 'a\r\nb\r\nc'],
  ])('%s', (_, before, body, after) => {
    expect(apply(before, body)).toBe(after);
  });

  test('a line that is called the last and is not is no find', () => {
    expect(() => apply('b\nc\n', '@@\n-b\n\\ No newline at end of file\n+d\n')).toThrow(/not in the file/);
  });
});

describe('line endings', () => {
  test('fault 29: lone CRs stay data in a file with other breaks', () => {
    expect(apply('a\rb\nc\n', '@@\n-c\n+d\n')).toBe('a\rb\nd\n');
  });
  test('fault 29: a file of lone CRs is one of lines', () => {
    expect(apply('a\rb\rc', '@@\n a\n-b\n+x\n+y\n c\n')).toBe('a\rx\ry\rc');
  });
  test('a patch that changes the endings changes them', () => {
    expect(apply('a\r\nb\r\n', '@@ -1,2 +1,2 @@\n a\r\n-b\r\n+b\n')).toBe('a\r\nb\n');
  });
});
