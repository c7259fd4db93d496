import { symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeTempFolder, type TempFolder } from '../testing/temp-folder';
import { foldersOf } from './workspace-file';

let temp: TempFolder;
beforeEach(async () => {
  temp = await makeTempFolder();
  await temp.put({ 'app/a.txt': 'a', 'lib/b.txt': 'b', 'my.code-workspace/c.txt': 'c' });
});
afterEach(() => temp.remove());

const at = (name: string): string => path.join(temp.root, name);
async function workspaceFile(text: string): Promise<string> {
  const file = path.join(temp.outside, 'x.code-workspace');
  await writeFile(file, text);
  return file;
}
const problem = (asked: readonly string[]): Promise<{ code: string; message: string }> =>
  foldersOf(asked).then(
    () => ({ code: 'accepted', message: '' }),
    (error: { code: string; message: string }) => error,
  );

test('folders are taken as they are, by their real paths, each once', async () => {
  await symlink(at('lib'), at('alias'));
  expect(await foldersOf([at('app'), at('alias'), at('lib')])).toEqual([at('app'), at('lib')]);
});

test('a folder whose name ends like a workspace file is a folder', async () => {
  expect(await foldersOf([at('my.code-workspace')])).toEqual([at('my.code-workspace')]);
});

describe('a workspace file', () => {
  test('stands for its folders, relative to itself, with comments and commas as editors write them', async () => {
    const file = await workspaceFile(`\ufeff{
      // the two parts
      "folders": [{ "path": "../work/app", "name": "App" }, { "uri": "${pathToFileURL(at('lib')).href}" },],
      "settings": {},
    }`);
    expect(await foldersOf([file])).toEqual([at('app'), at('lib')]);
  });

  test('with one folder is that folder', async () => {
    expect(await foldersOf([await workspaceFile('{"folders":[{"path":"../work/app"}]}')])).toEqual([
      at('app'),
    ]);
  });

  test.each([
    ['{"folders": [', 'workspace-denied', /is damaged \(line 1/],
    ['{"folders": [{"path": 7}]}', 'workspace-denied', /no list of folders/],
    ['[]', 'workspace-denied', /no list of folders/],
    ['', 'workspace-denied', /is damaged/],
    ['{"folders": []}', 'workspace-missing', /names no folder/],
    [
      '{"folders": [{"path": "gone"}]}',
      'workspace-missing',
      /gone is not there\. It is named in .*x\.code-workspace/,
    ],
    ['{"folders": [{"uri": "vscode-remote://ssh/x"}]}', 'workspace-denied', /no folder on this machine/],
  ])('that says %s is refused', async (text, code, words) => {
    const error = await problem([await workspaceFile(text)]);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(words);
  });

  test('that is not there is missing, and any other file is not a folder', async () => {
    expect(await problem([at('gone.code-workspace')])).toMatchObject({ code: 'workspace-missing' });
    expect((await problem([at('app'), at('app/a.txt')])).message).toMatch(/a\.txt is not a folder/);
  });
});
