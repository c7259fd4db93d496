import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { relPathFromText } from '../../shared/rel-path';
import { makeTempFolder, type TempFolder } from '../testing/temp-folder';
import { namedRoots } from './roots';
import type { Tree } from './tree';
import { openTrees } from './tree-of-several';

let temp: TempFolder;
let tree: Tree;
beforeEach(async () => {
  temp = await makeTempFolder();
  await temp.put({ 'app/src/a.txt': 'a', 'lib/b.txt': 'b' });
  tree = openTrees(namedRoots([path.join(temp.root, 'app'), path.join(temp.root, 'lib')]));
});
afterEach(async () => {
  await tree.close();
  await temp.remove();
});

const open = async (folder: string): Promise<string[]> =>
  (await tree.open(relPathFromText(folder))).map((e) => `${e.type} ${e.path} ${e.name}`);

test('the folders stand at the top, and what is in them has their names before it', async () => {
  expect(await open('')).toEqual(['folder app app', 'folder lib lib']);
  expect(await open('app')).toEqual(['folder app/src src']);
  expect(await open('app/src')).toEqual(['file app/src/a.txt a.txt']);
  await expect(open('other')).rejects.toMatchObject({ code: 'path-refused' });
  await expect(open('app/..')).rejects.toMatchObject({ code: 'path-refused' });
});

test('a change is told under the same name', async () => {
  await open('lib');
  const told = new Promise<readonly { path: string }[]>((resolve) => tree.onChange(resolve));
  await writeFile(path.join(temp.root, 'lib/new.txt'), 'n');
  expect(await told).toEqual([{ path: 'lib' }]);
});
