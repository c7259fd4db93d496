import { describe, expect, it } from 'vitest';
import { patchLines } from './patch';

const shown = (patch: string) => patchLines(patch).map((l) => `${l.kind} ${l.text}`);

describe('patch lines', () => {
  it('leaves out what says nothing in a card that names the file', () => {
    expect(shown('--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\n c\n')).toEqual(['del -a', 'add +b', 'same  c']);
  });
  it('marks the gap between hunks, not before the first', () => {
    expect(shown('@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-c\n+d')).toEqual([
      'del -a',
      'add +b',
      'gap ⋯',
      'del -c',
      'add +d',
    ]);
  });
  it('keeps removed lines that look like headers', () => {
    expect(shown('@@ -1,2 +1,1 @@\n--- old comment\n-- x\n+y')).toEqual([
      'del --- old comment',
      'del -- x',
      'add +y',
    ]);
  });
  it('names the files when there are several', () => {
    const patch = '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-c\n+d\n';
    expect(shown(patch)).toEqual(['file x', 'del -a', 'add +b', 'file y', 'del -c', 'add +d']);
  });
  it('says that there is no newline at the end', () => {
    expect(shown('@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file')).toContain('gap no newline at the end');
  });
});
