import { expect, it } from 'vitest';
import type { TreeEntry } from '../../../shared/domain';
import { badgeIndex, treeModel } from './tree-model';

const file = (path: string): TreeEntry => ({
  path,
  name: path.split('/').at(-1) ?? path,
  type: 'file',
  size: 1,
});

it('shows a deleted file in its folder when that is open, and only then', () => {
  const badges = [
    { path: 'src/b.ts', badge: 'D' },
    { path: 'lib/c.ts', badge: 'D' },
  ] as const;
  const model = treeModel(new Map([['src', [file('src/a.ts'), file('src/z.ts')]]]), badges);
  expect(model.children.get('src')).toEqual(['src/a.ts', 'src/b.ts', 'src/z.ts']);
  expect(model.nodes.get('src/b.ts')?.gone).toBe(true);
  expect(model.nodes.has('lib/c.ts')).toBe(false);
});

it('shows a file that is there again once', () => {
  const model = treeModel(new Map([['', [file('a.ts')]]]), [{ path: 'a.ts', badge: 'D' }]);
  expect(model.children.get('')).toEqual(['a.ts']);
});

it('tells apart names whose bytes are not UTF-8', () => {
  const odd = [
    { ...file('\ufffd'), pathBase64: '/w==' },
    { ...file('\ufffd'), pathBase64: '/g==' },
  ];
  expect(new Set(treeModel(new Map([['', odd]]), []).children.get('')).size).toBe(2);
});

it('knows the folders above a changed file', () => {
  const index = badgeIndex([{ path: 'src/pricing/a.ts', badge: 'M' }]);
  expect([...index.folders].sort()).toEqual(['src', 'src/pricing']);
});
