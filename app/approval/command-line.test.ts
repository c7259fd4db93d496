import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseCommandLine } from './command-line';

describe('parseCommandLine', () => {
  test.each([
    ['ls -la', [['ls', '-la']]],
    ["echo 'a b' c", [['echo', 'a b', 'c']]],
    ['echo "a \\"b\\"" \'\'', [['echo', 'a "b"', '']]],
    ['echo a\\ b', [['echo', 'a b']]],
    ['a && b || c; d & e | f\ng', [['a'], ['b'], ['c'], ['d'], ['e'], ['f'], ['g']]],
    ['echo a"b"c', [['echo', 'abc']]],
    ['echo \'a;b\' "c&d"', [['echo', 'a;b', 'c&d']]],
    ['ls # comment ; rm x', [['ls']]],
    ['echo a#b', [['echo', 'a#b']]],
    ['ls src/*.ts', [['ls', 'src/*.ts']]],
    ['a\\\nb', [['ab']]],
    ['', []],
  ])('plain: %j', (line, parts) => {
    expect(parseCommandLine(line, 'sh')).toEqual({ parts, odd: [] });
  });

  test.each([
    'ls $(rm x)',
    'ls `rm x`',
    'ls "$(rm x)"',
    'ls > x',
    'ls 2>x',
    'ls>x',
    'cat < x',
    'cat <<E\nx\nE',
    'diff <(a) <(b)',
    '(ls)',
    '{ ls; }',
    'X=1 ls',
    'ls $HOME',
    "ls $'a'",
    'ls *',
    '[ a ]',
    'l? x',
    'l*s',
    'ls {a,b}',
    "ls 'a",
    'ls "a',
    'ls \\',
    '! ls',
    'if ls; then ls; fi',
    'for x in a; do ls; done',
    'ls\rrm',
    'ls\u0007',
  ])('beyond plain words: %j', (line) => {
    expect(parseCommandLine(line, 'sh').odd).not.toEqual([]);
  });

  test('parts of substitutions are listed for deny rules', () => {
    const { parts } = parseCommandLine('ls "$(rm a | sh)" `rm b`', 'sh');
    expect(parts).toEqual(expect.arrayContaining([['rm', 'a'], ['sh'], ['rm', 'b']]));
  });

  test('never throws, and always ends', () => {
    const text = fc.array(fc.constantFrom(...'ab \'"\\$`(){}<>|&;#\n*?[]!=0'), { maxLength: 30 });
    fc.assert(
      fc.property(text, (chars) => {
        expect(Array.isArray(parseCommandLine(chars.join(''), 'sh').parts)).toBe(true);
      }),
    );
  });

  test.runIf(process.platform !== 'win32')('a line called plain is split just as the shell splits it', () => {
    const piece = fc.constantFrom(
      'a',
      'b',
      ' ',
      "'",
      '"',
      '\\',
      '#',
      '\\\n',
      '~',
      '=',
      '.',
      '-',
      ',',
      '%',
      ']',
      '$',
      '(',
      '*',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (chars) => {
        const line = `printf '%s\\037' x ${chars.join('')}`;
        const { parts, odd } = parseCommandLine(line, 'sh');
        // a newline after an escaped backslash makes two commands of it
        if (odd.length > 0 || parts.length !== 1) return;
        // -f: a pattern stands for itself, whatever files there are
        const said = execFileSync('/bin/sh', ['-fc', line], {
          env: { HOME: '~' },
          encoding: 'utf8',
        });
        expect(said).toBe(
          (parts[0] ?? [])
            .slice(2)
            .map((w) => `${w}\u001f`)
            .join(''),
        );
      }),
      { numRuns: 150 },
    );
  });

  test.each([
    ['dir /b src', true],
    ['dir & del x', false],
    ['echo %PATH%', false],
    ['echo ^& del', false],
    ['dir > x', false],
    ['"a" b', false],
  ])('cmd.exe: %j is plain: %s', (line, plain) => {
    expect(parseCommandLine(line, 'cmd').odd.length === 0).toBe(plain);
  });
});
