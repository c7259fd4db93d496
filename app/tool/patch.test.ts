import { describe, expect, test } from 'vitest';
import { parsePatch } from './patch';

const names = (text: string) => parsePatch(text).map((f) => `${f.from} > ${f.to}`);
const lines = (text: string) =>
  parsePatch(text).map((f) =>
    f.hunks.map((h) => h.lines.map((l) => `${l.kind} ${l.text}${l.unended ? ' (unended)' : ''}`)),
  );

describe('names', () => {
  const hunk = '@@ -1 +1 @@\n-a\n+b\n';
  test.each([
    ['with prefixes', `--- a/x.txt\n+++ b/x.txt\n${hunk}`, 'x.txt > x.txt'],
    ['without', `--- x.txt\n+++ x.txt\n${hunk}`, 'x.txt > x.txt'],
    ['in a folder called a', `--- a/x.txt\n+++ a/x.txt\n${hunk}`, 'a/x.txt > a/x.txt'],
    ['with times', `--- a/x.txt\t2024-01-01 00:00:00\n+++ b/x.txt\t2024-01-02\n${hunk}`, 'x.txt > x.txt'],
    ['with spaces', `--- a/my x.txt\n+++ b/my x.txt\n${hunk}`, 'my x.txt > my x.txt'],
    ['created', '--- /dev/null\n+++ b/x.txt\n@@ -0,0 +1 @@\n+b\n', 'null > x.txt'],
    ['deleted', '--- a/x.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n', 'x.txt > null'],
    [
      'quoted',
      `--- "a/\\303\\244 \\"x\\".txt"\n+++ "b/\\303\\244 \\"x\\".txt"\n${hunk}`,
      'ä "x".txt > ä "x".txt',
    ],
    [
      'renamed only',
      'diff --git a/x.txt b/y.txt\nsimilarity index 100%\nrename from x.txt\nrename to y.txt\n',
      'x.txt > y.txt',
    ],
    [
      'empty and new',
      'diff --git a/x.txt b/x.txt\nnew file mode 100644\nindex 0000000..e69de29\n',
      'null > x.txt',
    ],
    [
      'empty and gone',
      'diff --git a/x.txt b/x.txt\ndeleted file mode 100644\nindex e69de29..0\n',
      'x.txt > null',
    ],
    ['only its mode', 'diff --git a/my x b/my x\nold mode 100644\nnew mode 100755\n', 'my x > my x'],
    ['behind a message', `From: me\nSubject: change\n\n---\n\n--- a/x\n+++ b/x\n${hunk}`, 'x > x'],
    ['in a fence', `\`\`\`diff\n--- a/x\n+++ b/x\n${hunk}\`\`\`\n`, 'x > x'],
    ['carried with CR LF', `--- a/x\n+++ b/x\n${hunk}`.replaceAll('\n', '\r\n'), 'x > x'],
  ])('%s', (_, text, expected) => {
    expect(names(text)).toEqual([expected]);
  });
});

describe('hunks', () => {
  test('a removed line that looks like a head stays one, by the counts', () => {
    const text =
      '--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,2 @@\n--- old\n-b\n+++ new\n+c\n--- a/r\n+++ b/r\n@@ -1 +1 @@\n-a\n+b\n';
    expect(lines(text)).toEqual([[['old -- old', 'old b', 'new ++ new', 'new c']], [['old a', 'new b']]]);
  });

  test.each([
    ['too low', '@@ -1,1 +1,1 @@'],
    ['too high', '@@ -1,9 +1,9 @@'],
    ['none', '@@'],
    ['none, with words', '@@ function x() {'],
    ['none, twice', '@@ ... @@'],
  ])('counts that are %s end the hunk where its lines end', (_, head) => {
    const text = `--- a/x\n+++ b/x\n${head}\n a\n-b\n+c\n d\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-e\n+f\n`;
    expect(lines(text)).toEqual([[['same a', 'old b', 'new c', 'same d']], [['old e', 'new f']]]);
  });

  test('an empty line that stays may have lost its space', () => {
    expect(lines('--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n')).toEqual([
      [['same a', 'same ', 'old b', 'new c']],
    ]);
  });

  test('a missing final newline belongs to the line before the note', () => {
    expect(lines('--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n')).toEqual([
      [['old a (unended)', 'new a']],
    ]);
  });
});

test.each([
  ['nothing', '', /changes no file/],
  ['words alone', 'please change it', /changes no file/],
  ['a hunk without names', '@@ -1 +1 @@\n-a\n+b\n', /line 1: .*names of its file/],
  ['half of the names', '--- a/x\n@@ -1 +1 @@\n', /line 1: .*followed by/],
  ['no change', '--- a/x\n+++ b/x\n@@ -1 +1 @@\n a\n', /line 3: this hunk changes nothing/],
  ['names alone', '--- a/x\n+++ b/x\n', /no change of "x"/],
  ['two names', '--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n', /rename from OLD/],
  ['a binary file', 'diff --git a/x b/x\nGIT binary patch\nliteral 0\n', /binary/],
  ['a link', 'diff --git a/x b/x\nnew file mode 120000\n', /ordinary files/],
  ['a copy', 'diff --git a/x b/y\ncopy from x\ncopy to y\n', /cannot be copied/],
  ['a stray line', '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\nstray\n', /line 6: "stray"/],
])('%s is refused with its place', (_, text, why) => {
  expect(() => parsePatch(text)).toThrow(why);
});
