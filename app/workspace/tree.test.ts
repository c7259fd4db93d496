import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RelPath, relPathFromText, relPathOf } from '../../shared/rel-path';
import { openTree, type Tree } from './tree';

let root = '';
let tree: Tree;
const rel = relPathFromText;
const at = (...parts: string[]): string => path.join(root, ...parts);
const isLinux = process.platform === 'linux';

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(os.tmpdir(), 'tm-tree-')));
  tree = openTree(root);
});
afterEach(async () => {
  await tree.close();
  await rm(root, { recursive: true, force: true });
});

/** Texts of the folders told of, once those asked for are among them. */
function told(...folders: string[]): Promise<string[][]> {
  const batches: string[][] = [];
  return new Promise((resolve) => {
    tree.onChange((changed) => {
      batches.push(changed.map((f) => f.path));
      if (folders.every((f) => batches.flat().includes(f))) resolve(batches);
    });
  });
}
const names = async (folder = ''): Promise<string[]> => (await tree.open(rel(folder))).map((e) => e.name);

describe('listing', () => {
  it('has folders first, in the order people expect, without .git', async () => {
    for (const folder of ['b', 'a10', 'a9', '.git', '.github']) await mkdir(at(folder));
    for (const file of ['x10', 'x9', 'B', 'ä', 'a', '.gitignore']) await writeFile(at(file), 'abc');
    expect(await names()).toEqual(['.github', 'a9', 'a10', 'b', '.gitignore', 'a', 'ä', 'B', 'x9', 'x10']);
  });

  it('tells type, size and path', async () => {
    await mkdir(at('d'));
    await writeFile(at('d', 'f'), 'abc');
    await symlink('/nowhere', at('d', 'l'));
    expect(await tree.open(rel('d'))).toEqual([
      { path: 'd/f', name: 'f', type: 'file', size: 3 },
      { path: 'd/l', name: 'l', type: 'link', size: 0 },
    ]);
  });

  it.runIf(isLinux)('keeps names that are not UTF-8, also of folders', async () => {
    const odd = Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x66, 0xff])]);
    await mkdir(odd);
    await writeFile(Buffer.concat([odd, Buffer.from('/inner')]), '');
    const [folder] = await tree.open(rel(''));
    expect(folder).toMatchObject({ name: 'f\ufffd', type: 'folder', pathBase64: 'Zv8=' });
    const inside = await tree.open(relPathOf(folder ?? { path: '' }));
    expect(inside).toMatchObject([{ name: 'inner', path: 'f\ufffd/inner', pathBase64: 'Zv8vaW5uZXI=' }]);
  });

  it('refuses what is not a folder of the workspace', async () => {
    await mkdir(at('d'));
    await symlink('/', at('out'));
    await symlink('d', at('in'));
    await symlink('.', at('self'));
    for (const folder of ['..', 'd/..', '/etc', 'd//x', './d', 'd/', 'out', 'out/etc', 'in', 'self', 'd\0']) {
      await expect(tree.open(rel(folder)), folder).rejects.toMatchObject({ code: 'path-refused' });
    }
    await expect(tree.open(rel('gone'))).rejects.toMatchObject({ code: 'workspace-missing' });
    await writeFile(at('file'), '');
    await expect(tree.open(rel('file'))).rejects.toMatchObject({ code: 'workspace-missing' });
  });
});

describe('watching', () => {
  it('tells of a burst in an open folder at once', async () => {
    await mkdir(at('d'));
    await names('d');
    const done = told('d');
    await Promise.all(Array.from({ length: 20 }, (_, i) => writeFile(at('d', `f${i}`), '')));
    expect(await done).toEqual([['d']]);
    expect(await names('d')).toHaveLength(20);
  });

  it('does not tell of folders that are closed or below', async () => {
    await mkdir(at('d', 'e'), { recursive: true });
    await mkdir(at('c'));
    await names();
    await names('c');
    tree.closeFolder(rel('c'));
    const done = told('');
    await writeFile(at('d', 'e', 'deep'), '');
    await writeFile(at('c', 'closed'), '');
    await writeFile(at('top'), '');
    expect((await done).flat()).toEqual(['']);
  });

  it('tells of a folder that vanishes, and takes it up again', async () => {
    await mkdir(at('p', 'd'), { recursive: true });
    await names('p');
    await names('p/d');
    const gone = told('p', 'p/d');
    await rename(at('p', 'd'), at('moved'));
    await gone;
    expect(await names('p')).toEqual([]);
    await expect(tree.open(rel('p/d'))).rejects.toMatchObject({ code: 'workspace-missing' });
    await mkdir(at('p', 'd'));
    await names('p/d');
    const again = told('p/d');
    await writeFile(at('p', 'd', 'new'), '');
    await again;
  });

  it('tells of all open folders on demand, and of nothing after its close', async () => {
    await mkdir(at('d'));
    await names();
    await names('d');
    const done = told('', 'd');
    tree.refreshAll();
    expect((await done).flat().sort()).toEqual(['', 'd']);
    const seen: unknown[] = [];
    tree.onChange((f) => seen.push(f));
    tree.refreshAll();
    await tree.close();
    await new Promise((resolve) => setTimeout(resolve, 150)); // longer than changes are held back
    expect(seen).toEqual([]);
    expect(await tree.open('' as RelPath)).toEqual([]);
  });
});
