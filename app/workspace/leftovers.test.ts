import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeTempFolder, type TempFolder } from '../testing/temp-folder';
import { removeLeftovers, temporaryBeside } from './leftovers';

let t: TempFolder;
beforeEach(async () => {
  t = await makeTempFolder();
});
afterEach(() => t.remove());

it('removes what writes left beside their files, and nothing else', async () => {
  await t.put({ 'lib/a.txt': 'a', 'lib/.0123456789abcdef.tidemark-tmp.txt': 'mine', 'other/b.txt': 'b' });
  const at = (name: string): string => path.join(t.root, name);
  const [here, there] = [temporaryBeside(at('lib/a.txt')), temporaryBeside(at('other/b.txt'))];
  await writeFile(here, 'half');
  await writeFile(there, 'half');
  await writeFile(at('lib/notes.tidemark-tmp'), 'mine');
  await mkdir(at('lib/.0123456789abcdef.tidemark-tmp'));
  await removeLeftovers(t.root, ['lib/a.txt', 'gone/c.txt', '../outside.txt']);
  expect((await readdir(at('lib'))).sort()).toEqual([
    '.0123456789abcdef.tidemark-tmp',
    '.0123456789abcdef.tidemark-tmp.txt',
    'a.txt',
    'notes.tidemark-tmp',
  ]);
  expect(await readdir(at('other'))).toContain(path.basename(there));
});

it('looks into no folder outside the workspace, by whatever way', async () => {
  const left = temporaryBeside(path.join(t.outside, 'x'));
  await writeFile(left, 'somebody else is writing');
  await symlink(t.outside, path.join(t.root, 'link'));
  await removeLeftovers(t.root, ['link/x', path.join(t.outside, 'x'), '../x']);
  expect(await readdir(t.outside)).toContain(path.basename(left));
});
