import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Instruction, parsePrompt } from './practice-instructions';

const create = (path: string, content: string): Instruction => ({ kind: 'create', path, content });
const replace = (path: string, from: string, to: string, all = false): Instruction => ({
  kind: 'replace',
  path,
  from,
  to,
  all,
});

describe('parsePrompt', () => {
  test.each<[string, readonly Instruction[]]>([
    ['create notes.md with "# Notes"', [create('notes.md', '# Notes')]],
    ['Create a file notes.md with the text "# Notes".', [create('notes.md', '# Notes')]],
    ['make a new file called a/b.txt containing “x y”', [create('a/b.txt', 'x y')]],
    ["add a file 'my notes.md' with 'it is'", [create('my notes.md', 'it is')]],
    ['Please create `a.txt` with `x`', [create('a.txt', 'x')]],
    ['create a.txt that says "x\\ny\\t\\"z\\""', [create('a.txt', 'x\ny\t"z"')]],
    ['create a.txt with "C:\\\\new"', [create('a.txt', 'C:\\new')]],
    ['create a.txt with:\n```\none\n\ntwo. then run\n```', [create('a.txt', 'one\n\ntwo. then run\n')]],
    ['create a.txt with hello world', [create('a.txt', 'hello world')]],
    ['create an empty file a.txt', [create('a.txt', '')]],
    ['write "x" to a.txt', [create('a.txt', 'x')]],
    ['replace "a" with "b" in a.txt', [replace('a.txt', 'a', 'b')]],
    ['change "a. b" to "" in the file a.txt.', [replace('a.txt', 'a. b', '')]],
    ['in a.txt, replace all "a" with "b"', [replace('a.txt', 'a', 'b', true)]],
    ['replace foo with bar in a.txt everywhere', [replace('a.txt', 'foo', 'bar', true)]],
    ['rename a.txt to b.txt', [{ kind: 'rename', from: 'a.txt', to: 'b.txt' }]],
    ['move the file a.txt to sub/a.txt', [{ kind: 'rename', from: 'a.txt', to: 'sub/a.txt' }]],
    ['delete a.txt', [{ kind: 'delete', path: 'a.txt' }]],
    ['Remove the file "a b.txt"', [{ kind: 'delete', path: 'a b.txt' }]],
    ['run `echo "a; b" && ls`', [{ kind: 'run', command: 'echo "a; b" && ls' }]],
    ['run npm test -- "x y"', [{ kind: 'run', command: 'npm test -- "x y"' }]],
    ['run the command "ls -l"', [{ kind: 'run', command: 'ls -l' }]],
    ['read a.txt', [{ kind: 'read', path: 'a.txt' }]],
    ['show me the contents of a.txt', [{ kind: 'read', path: 'a.txt' }]],
    ['ask "Which one?"', [{ kind: 'ask', question: 'Which one?', choices: [] }]],
    [
      'ask "Which colour?" with "red", "blue" or "dark green"',
      [{ kind: 'ask', question: 'Which colour?', choices: ['red', 'blue', 'dark green'] }],
    ],
    ['fail', [{ kind: 'fail' }]],
    [
      '1. create a.txt with "1"\n2) delete b.txt\n- run `ls`\n* fail',
      [
        create('a.txt', '1'),
        { kind: 'delete', path: 'b.txt' },
        { kind: 'run', command: 'ls' },
        { kind: 'fail' },
      ],
    ],
    [
      'create a.txt with "1", then delete b.txt and run `ls`. After that read a.txt'.replace(
        'After that ',
        'Then ',
      ),
      [
        create('a.txt', '1'),
        { kind: 'delete', path: 'b.txt' },
        { kind: 'run', command: 'ls' },
        { kind: 'read', path: 'a.txt' },
      ],
    ],
  ])('%j', (prompt, instructions) => {
    expect(parsePrompt(prompt)).toEqual({ ok: true, instructions });
  });

  test.each([
    ['', ''],
    ['Hello!', 'Hello'],
    ['create a.txt with "x", then dance', 'dance'],
    ["I don't know what it's about", "I don't know what it's about"],
  ])('not understood: %j', (prompt, unclear) => {
    expect(parsePrompt(prompt)).toEqual({ ok: false, unclear });
  });

  test('any text in quotes arrives as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (text) => {
        fc.pre(!text.includes('\u0001'));
        const quoted = text.replace(/["\\]/g, '\\$&');
        expect(parsePrompt(`create a.txt with "${quoted}"`)).toEqual({
          ok: true,
          instructions: [create('a.txt', text)],
        });
      }),
    );
  });
});
