import {
  chmod,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeTempFolder, type TempFolder } from '../testing/temp-folder';
import { openWorkspace } from './workspace';

let temp: TempFolder;
beforeEach(async () => {
  temp = await makeTempFolder();
  await temp.put({ 'a.txt': 'a', 'sub/b.txt': 'b' });
  await writeFile(path.join(temp.outside, 'secret'), 's');
});
afterEach(() => temp.remove());

const at = (name: string) => path.join(temp.root, name);
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'accepted',
    (error: { code: string }) => error.code,
  );

describe('resolve', () => {
  beforeEach(async () => {
    await symlink(path.join(temp.outside, 'secret'), at('notes.txt'));
    await symlink(temp.outside, at('d'));
    await symlink(path.join(temp.outside, 'new'), at('n'));
    await symlink('loop', at('loop'));
    await symlink('nowhere', at('dangling'));
    await symlink('sub', at('inside'));
    await symlink('a.txt', at('link.txt'));
  });

  test.each([
    '../outside/secret',
    'sub/../../outside/secret',
    '/etc/passwd',
    'notes.txt',
    'd/secret',
    'd/new/file',
    'd/../a.txt/../../x',
    'n',
    'loop',
    'dangling',
    'dangling/x',
    'a\0b',
  ])('fault 89: %j is refused', async (asked) => {
    expect(await codeOf(temp.workspace.resolve(asked, 'target'))).toBe('path-refused');
  });

  test.each([
    ['a.txt', 'a.txt', 'file'],
    ['./sub//b.txt', 'sub/b.txt', 'file'],
    ['sub/../a.txt', 'a.txt', 'file'],
    ['..a', '..a', 'none'],
    ['new/deep/file', 'new/deep/file', 'none'],
    ['inside/b.txt', 'sub/b.txt', 'file'],
    ['link.txt', 'a.txt', 'file'],
    ['.', '', 'folder'],
  ])('%s lies at "%s"', async (asked, text, type) => {
    expect(await temp.workspace.resolve(asked, 'target')).toMatchObject({ text, type });
  });

  test('an absolute path that lies inside is accepted', async () => {
    expect(await temp.workspace.resolve(at('sub/b.txt'), 'target')).toMatchObject({ text: 'sub/b.txt' });
  });

  test('as an entry a link is itself, wherever it leads', async () => {
    expect(await temp.workspace.resolve('notes.txt', 'entry')).toMatchObject({
      text: 'notes.txt',
      type: 'link',
    });
    expect(await codeOf(temp.workspace.resolve('d/secret', 'entry'))).toBe('path-refused');
  });

  test('a path below a file is a fault of the call', async () => {
    expect(await codeOf(temp.workspace.resolve('a.txt/x', 'target'))).toBe('tool-failed');
  });

  test('.agentignore holds, also through a link and from the next call on', async () => {
    await temp.put({ '.agentignore': 'private/\n*.hidden\n', 'private/x': 'x', 'y.hidden': 'y' });
    await symlink('private', at('alias'));
    for (const asked of ['private/x', 'private', 'y.hidden', 'alias/x', 'private/new'])
      expect([asked, await codeOf(temp.workspace.resolve(asked, 'target'))]).toEqual([asked, 'path-refused']);
    await temp.put({ '.agentignore': 'alias' });
    expect(await codeOf(temp.workspace.resolve('alias/x', 'target'))).toBe('path-refused');
    await temp.put({ '.agentignore': '' });
    expect(await codeOf(temp.workspace.resolve('private/x', 'target'))).toBe('accepted');
  });

  test('fault 92: a guarded place is found behind a link and in another spelling', async () => {
    await mkdir(at('.git/hooks'), { recursive: true });
    await symlink('.git', at('innocent'));
    for (const asked of ['./.git/../.git/hooks/x', 'innocent/hooks/x', '.git/hooks/x']) {
      const place = await temp.workspace.resolve(asked, 'target');
      expect([asked, await temp.workspace.guard(place)]).toEqual([asked, 'git']);
    }
  });
});

describe('write', () => {
  const write = async (name: string, text: string) =>
    temp.workspace.write(await temp.workspace.resolve(name, 'target'), Buffer.from(text));

  test('fault 26: the mode stays, and nothing else is left in the folder', async () => {
    await chmod(at('a.txt'), 0o751);
    await write('a.txt', 'new');
    expect((await lstat(at('a.txt'))).mode & 0o7777).toBe(0o751);
    expect(await temp.text('a.txt')).toBe('new');
    expect((await readdir(temp.root)).sort()).toEqual(['a.txt', 'sub']);
  });

  test('fault 27: through a link the real file changes and the link stays', async () => {
    await symlink('sub/b.txt', at('link'));
    await write('link', 'new');
    expect(await readlink(at('link'))).toBe('sub/b.txt');
    expect(await temp.text('sub/b.txt')).toBe('new');
  });

  test('fault 28: a hard-linked file is written in place, so both names see it', async () => {
    await link(at('a.txt'), at('other.txt'));
    await write('a.txt', 'new');
    expect(await temp.text('other.txt')).toBe('new');
    await write('a.txt', 'n');
    expect(await temp.text('other.txt')).toBe('n');
    expect((await readdir(temp.root)).sort()).toEqual(['a.txt', 'other.txt', 'sub']);
  });

  test('missing folders are made', async () => {
    await write('x/y/z.txt', 'new');
    expect(await readFile(at('x/y/z.txt'), 'utf8')).toBe('new');
  });

  test('a folder is no file: nothing is written and no temporary file stays', async () => {
    expect(await codeOf(write('sub', 'x'))).not.toBe('accepted');
    expect((await readdir(temp.root)).sort()).toEqual(['a.txt', 'sub']);
  });
});

describe('openWorkspace', () => {
  test('knows a folder by its real path', async () => {
    await symlink(temp.root, path.join(temp.outside, 'alias'));
    expect((await openWorkspace(path.join(temp.outside, 'alias'))).root).toBe(temp.root);
  });

  test.each([
    ['gone', 'workspace-missing'],
    ['a.txt', 'workspace-missing'],
  ])('%s is %s', async (name, code) => {
    expect(await codeOf(openWorkspace(at(name)))).toBe(code);
  });
});

test('reading has a limit, and says what is no file', async () => {
  const read = async (name: string) => temp.workspace.read(await temp.workspace.resolve(name, 'target'), 3);
  expect(Buffer.from(await read('a.txt')).toString()).toBe('a');
  await temp.put({ 'large.txt': 'four' });
  for (const name of ['large.txt', 'sub', 'gone']) expect(await codeOf(read(name))).toBe('tool-failed');
});

describe.runIf(process.platform === 'linux')('fault 89: a swap between the look and the use', () => {
  const swap = async () => {
    await rename(at('sub'), at('aside'));
    await symlink(temp.outside, at('sub'));
  };

  test('of a folder above is not followed', async () => {
    const { workspace } = temp;
    await writeFile(path.join(temp.outside, 'b.txt'), 'theirs');
    const old = await workspace.resolve('sub/b.txt', 'target');
    const fresh = await workspace.resolve('sub/new/c.txt', 'target');
    const mine = await workspace.resolve('a.txt', 'entry');
    await swap();
    expect(await codeOf(workspace.read(old, 100))).toBe('path-refused');
    expect(await codeOf(workspace.write(old, Buffer.from('x')))).toBe('path-refused');
    expect(await codeOf(workspace.write(fresh, Buffer.from('x')))).toBe('path-refused');
    expect(await codeOf(workspace.remove(old))).toBe('path-refused');
    expect(await codeOf(workspace.move(mine, fresh))).toBe('path-refused');
    expect(await codeOf(workspace.setPermissions(old, 0o777))).toBe('path-refused');
    expect((await readdir(temp.outside)).sort()).toEqual(['b.txt', 'secret']);
    expect(await readFile(path.join(temp.outside, 'b.txt'), 'utf8')).toBe('theirs');
    expect(await temp.text('a.txt')).toBe('a');
  });

  test('of the file itself is not followed', async () => {
    const { workspace } = temp;
    const place = await workspace.resolve('a.txt', 'target');
    await rm(at('a.txt'));
    await symlink(path.join(temp.outside, 'secret'), at('a.txt'));
    expect(await codeOf(workspace.read(place, 100))).toBe('path-refused');
    expect(await codeOf(workspace.write(place, Buffer.from('x')))).toBe('path-refused');
    expect(await readFile(path.join(temp.outside, 'secret'), 'utf8')).toBe('s');
  });

  test('a folder without the right to list it is passed', async () => {
    await mkdir(at('closed/in'), { recursive: true });
    await chmod(at('closed'), 0o311);
    const place = await temp.workspace.resolve('closed/in/x.txt', 'target');
    await temp.workspace.write(place, Buffer.from('x'));
    expect(await readFile(at('closed/in/x.txt'), 'utf8')).toBe('x');
  });
});
