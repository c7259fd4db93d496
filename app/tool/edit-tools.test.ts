import { execFileSync } from 'node:child_process';
import { lstat, mkdir, readlink, symlink } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { relPathToText } from '../../shared/rel-path';
import { makeTempFolder, type TempFolder } from '../testing/temp-folder';
import { toolContextOf } from '../testing/tool-context';
import { toolsFor } from './registry';
import type { ToolContext, ToolOutcome } from './tool';

let temp: TempFolder;
let context: ToolContext;
beforeEach(async () => {
  temp = await makeTempFolder();
  context = toolContextOf(temp);
});
afterEach(() => temp.remove());

const toolNamed = (name: string) => {
  const tool = toolsFor('apply').find((t) => t.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool;
};
const run = (name: string, input: unknown): Promise<ToolOutcome> => {
  const tool = toolNamed(name);
  return tool.run(tool.schema.parse(input), context);
};
const preview = (name: string, input: unknown) => toolNamed(name).preview(input, context);
const touched = (outcome: ToolOutcome) => outcome.touched.map((p) => relPathToText(p).path);

describe('write_file', () => {
  test('creates with the text exactly, and shows it as added', async () => {
    const outcome = await run('write_file', { path: 'src/a.txt', content: 'one\ntwo' });
    expect(await temp.text('src/a.txt')).toBe('one\ntwo');
    expect(outcome).toMatchObject({
      ok: true,
      display: { kind: 'edit', path: 'src/a.txt', added: 2, removed: 0 },
    });
    expect(touched(outcome)).toEqual(['src/a.txt']);
  });

  test('fault 30: exactly one mark, however often', async () => {
    await temp.put({ 'a.txt': '\ufeffone\r\n' });
    await run('write_file', { path: 'a.txt', content: 'two\n' });
    await run('write_file', { path: 'a.txt', content: 'three\n' });
    expect(await temp.bytes('a.txt')).toEqual(Buffer.from('\ufeffthree\r\n'));
  });

  test('fault 31: a UTF-16 file stays one', async () => {
    await temp.put({ 'a.txt': Buffer.from('\ufeffone\n', 'utf16le') });
    const outcome = await run('write_file', { path: 'a.txt', content: 'zwölf\n' });
    expect(await temp.bytes('a.txt')).toEqual(Buffer.from('\ufeffzwölf\n', 'utf16le'));
    expect(outcome.text).toContain('UTF-16LE');
  });

  test('fault 31: what a legacy encoding lacks is refused and the file stays', async () => {
    await temp.put({ 'a.txt': Uint8Array.from([0x41, 0x99]) });
    await expect(run('write_file', { path: 'a.txt', content: '漢' })).rejects.toThrow(/Nothing was written/);
    expect(await temp.bytes('a.txt')).toEqual(Buffer.from([0x41, 0x99]));
  });

  test('the card shows the difference before anything is written', async () => {
    await temp.put({ 'a.txt': 'one\ntwo\n' });
    const card = await preview('write_file', { path: 'a.txt', content: 'one\n2\n' });
    expect(card.detail.split('\n')).toEqual(['@@ -1,2 +1,2 @@', ' one', '-two', '+2']);
    expect(await temp.text('a.txt')).toBe('one\ntwo\n');
  });

  test('a secret and a place under .git are named as guarded', async () => {
    expect((await preview('write_file', { path: '.env', content: 'A=1' })).guarded).toEqual([
      { path: '.env', guard: 'secret' },
    ]);
    expect((await preview('write_file', { path: '.git/hooks/x', content: '' })).guarded).toHaveLength(1);
  });
});

describe('replace_text', () => {
  test('fault 20: matched against the disk, not against what was read before', async () => {
    await temp.put({ 'a.txt': '1\n4\n3\n' });
    await temp.put({ 'a.txt': '1\n2\n3\n' });
    await run('replace_text', { path: 'a.txt', old_text: '3', new_text: '1' });
    expect(await temp.text('a.txt')).toBe('1\n2\n1\n');
    await expect(run('replace_text', { path: 'a.txt', old_text: '4', new_text: '5' })).rejects.toThrow(
      /does not occur/,
    );
  });

  test('fault 31: the byte 0x99 on line 999 is untouched', async () => {
    const lines = Array.from({ length: 1000 }, (_, i) => `line ${i + 1}`).join('\r\n');
    const before = Buffer.concat([Buffer.from(lines.replace('line 999', 'line ')), Buffer.from([0x99])]);
    await temp.put({ 'a.txt': before });
    await run('replace_text', { path: 'a.txt', old_text: 'line 2\nline 3', new_text: 'line 2\nLINE 3' });
    expect(await temp.bytes('a.txt')).toEqual(
      Buffer.from(before.toString('latin1').replace('line 3\r', 'LINE 3\r'), 'latin1'),
    );
  });

  test('several finds say how often', async () => {
    await temp.put({ 'a.txt': 'x x x' });
    await expect(run('replace_text', { path: 'a.txt', old_text: 'x', new_text: 'y' })).rejects.toThrow(
      /3 times/,
    );
    await run('replace_text', { path: 'a.txt', old_text: 'x', new_text: 'y', replace_all: true });
    expect(await temp.text('a.txt')).toBe('y y y');
  });

  test('fault 27: editing through a link changes and records the real file', async () => {
    await temp.put({ 'real.md': 'old' });
    await symlink('real.md', path.join(temp.root, 'link.md'));
    const outcome = await run('replace_text', { path: 'link.md', old_text: 'old', new_text: 'new' });
    expect(touched(outcome)).toEqual(['real.md']);
    expect(await readlink(path.join(temp.root, 'link.md'))).toBe('real.md');
    expect(await temp.text('real.md')).toBe('new');
  });

  test('a binary file is refused', async () => {
    await temp.put({ 'a.bin': Uint8Array.from([0x61, 0, 0x61]) });
    await expect(run('replace_text', { path: 'a.bin', old_text: 'a', new_text: 'b' })).rejects.toThrow(
      /binary/,
    );
  });
});

describe('move_file', () => {
  test('never overwrites', async () => {
    await temp.put({ 'a.txt': 'a', 'b.txt': 'b' });
    await expect(run('move_file', { from: 'a.txt', to: 'b.txt' })).rejects.toThrow(/never overwrites/);
    expect([await temp.text('a.txt'), await temp.text('b.txt')]).toEqual(['a', 'b']);
  });

  test('a folder moves with all its files, each recorded at both ends', async () => {
    await temp.put({ 'old/a.txt': 'a', 'old/deep/b.txt': 'b' });
    const outcome = await run('move_file', { from: 'old', to: 'x/new' });
    expect(touched(outcome).sort()).toEqual([
      'old/a.txt',
      'old/deep/b.txt',
      'x/new/a.txt',
      'x/new/deep/b.txt',
    ]);
    expect(await temp.text('x/new/deep/b.txt')).toBe('b');
  });

  test('a link is moved itself', async () => {
    await symlink('nowhere', path.join(temp.root, 'link'));
    await run('move_file', { from: 'link', to: 'moved' });
    expect(await readlink(path.join(temp.root, 'moved'))).toBe('nowhere');
  });

  test('a folder with a file kept from the agent, or into itself: refused', async () => {
    await temp.put({ 'd/private.txt': 'p', '.agentignore': 'd/private.txt' });
    await expect(run('move_file', { from: 'd', to: 'e' })).rejects.toThrow(/kept from the agent/);
    await temp.put({ '.agentignore': '' });
    await expect(run('move_file', { from: 'd', to: 'd/e' })).rejects.toThrow(/into itself/);
  });

  test('a secret inside the folder, or at its target, is guarded', async () => {
    await temp.put({ 'd/.env': 's', 'plain.txt': 'p' });
    expect((await preview('move_file', { from: 'd', to: 'e' })).guarded.map((g) => g.path)).toEqual([
      'd/.env',
      'e/.env',
    ]);
    expect((await preview('move_file', { from: 'plain.txt', to: 'x.pem' })).guarded).toHaveLength(1);
  });
});

describe('delete_file', () => {
  test('deletes a file, and a link without its target', async () => {
    await temp.put({ 'a.txt': 'a\n' });
    await symlink('a.txt', path.join(temp.root, 'link'));
    await run('delete_file', { path: 'link' });
    expect(await temp.text('a.txt')).toBe('a\n');
    const outcome = await run('delete_file', { path: 'a.txt' });
    expect(outcome.display).toMatchObject({ kind: 'edit', added: 0, removed: 1 });
    await expect(lstat(path.join(temp.root, 'a.txt'))).rejects.toThrow();
  });

  test('a folder stays', async () => {
    await mkdir(path.join(temp.root, 'd'));
    await expect(run('delete_file', { path: 'd' })).rejects.toThrow(/is a folder/);
  });
});

describe('read_file', () => {
  test('by lines, with what is left out said', async () => {
    await temp.put({ 'a.txt': 'one\r\ntwo\r\nthree\r\n' });
    expect((await run('read_file', { path: 'a.txt' })).text).toBe('one\ntwo\nthree');
    expect((await run('read_file', { path: 'a.txt', start_line: 2, end_line: 2 })).text).toBe(
      '(Lines 2 to 2 of 3.)\ntwo',
    );
    await expect(run('read_file', { path: 'a.txt', start_line: 9 })).rejects.toThrow(/has 3 lines/);
  });

  test('long files come in parts', async () => {
    await temp.put({ 'a.txt': 'x\n'.repeat(2500) });
    expect((await run('read_file', { path: 'a.txt' })).text).toMatch(/^\(Lines 1 to 2000 of 2500\.\)/);
  });

  test('an empty file says so', async () => {
    await temp.put({ 'a.txt': '' });
    expect((await run('read_file', { path: 'a.txt' })).text).toContain('empty');
  });
});

describe('list_files and search_files', () => {
  beforeEach(async () => {
    await temp.put({
      'src/a.ts': 'const tide = 1;\n',
      'src/.hidden': 'tide\n',
      'out/b.ts': 'tide\n',
      '.gitignore': 'out/\n!private.txt\n',
      '.agentignore': 'private.txt\n',
      'private.txt': 'tide\n',
      '.git/config': 'tide\n',
    });
  });

  test('one folder, sorted, folders with a slash', async () => {
    expect((await run('list_files', {})).text.split('\n')).toEqual([
      '.agentignore',
      '.git/',
      '.gitignore',
      'out/',
      'src/',
    ]);
  });

  test('all files, without what the project ignores or keeps from the agent', async () => {
    expect((await run('list_files', { recursive: true })).text.split('\n')).toEqual([
      '.agentignore',
      '.gitignore',
      'src/.hidden',
      'src/a.ts',
    ]);
  });

  test('finds lines; a .gitignore cannot overrule .agentignore', async () => {
    const { text } = await run('search_files', { pattern: 't[i]de' });
    expect(text.split('\n').sort()).toEqual(['src/.hidden:1: tide', 'src/a.ts:1: const tide = 1;']);
    expect((await run('search_files', { pattern: 'tide', glob: '*.ts' })).text).toBe(
      'src/a.ts:1: const tide = 1;',
    );
    expect((await run('search_files', { pattern: '--pre=sh' })).text).toBe('Nothing found.');
  });

  test('a secret is searched only when it is named, which asks', async () => {
    await temp.put({ '.env': 'tide=1\n', '.env.example': 'tide=\n' });
    expect((await run('search_files', { pattern: 'tide=' })).text).toBe('.env.example:1: tide=');
    expect((await run('search_files', { pattern: 'tide=', path: '.env' })).text).toBe('.env:1: tide=1');
    expect((await preview('search_files', { pattern: 'x', path: '.env' })).guarded).toHaveLength(1);
  });

  test('a wrong expression is told in clear words', async () => {
    await expect(run('search_files', { pattern: '(' })).rejects.toThrow(/regex|unclosed|missing/i);
  });
});

test('Ask mode has only tools that change nothing', () => {
  expect(toolsFor('ask').filter((t) => t.effect === 'edit' || t.effect === 'run')).toEqual([]);
});

describe('what cannot be taken back', () => {
  test.each([
    ['.npmrc', '//registry.npmjs.org/:_authToken=a'],
    ['sa.json', '{"private_key": "-----BEGIN PRIVATE KEY-----"}'],
    ['my.asc', '-----BEGIN PGP PRIVATE KEY BLOCK-----'],
  ])('%s is a secret by what it holds, or will hold', async (name, secret) => {
    expect((await preview('write_file', { path: name, content: secret })).guarded).toHaveLength(1);
    await temp.put({ [name]: 'harmless' });
    expect((await preview('delete_file', { path: name })).guarded).toEqual([]);
    await temp.put({ [name]: secret, [`d/${name}`]: secret });
    for (const card of [
      await preview('delete_file', { path: name }),
      await preview('write_file', { path: name, content: 'x' }),
      await preview('move_file', { from: 'd', to: 'e' }),
    ])
      expect(card.guarded[0]).toMatchObject({ guard: 'secret' });
    await expect(run('move_file', { from: name, to: 'notes.txt' })).rejects.toThrow(/notes\.txt\.env/);
  });

  test('a secret moves only to a name that checkpoints leave out too', async () => {
    await temp.put({ '.env': 's' });
    await expect(preview('move_file', { from: '.env', to: 'notes.txt' })).rejects.toThrow(/kept out/);
    expect((await preview('move_file', { from: '.env', to: 'old.env' })).guarded).toHaveLength(2);
  });

  test('moves into, out of or with a guarded folder, also without a file in it', async () => {
    for (const name of ['.git/refs', 'empty', 'lib/.git', 'own/.tidemark'])
      await mkdir(path.join(temp.root, name), { recursive: true });
    for (const [from, to] of [
      ['.git/refs', 'r'],
      ['empty', '.git/index.lock'],
      ['lib', 'lib2'],
      ['own', 'own2'],
    ])
      expect([from, (await preview('move_file', { from, to })).guarded.length > 0]).toEqual([from, true]);
    expect((await preview('move_file', { from: 'empty', to: 'e2' })).guarded).toEqual([]);
  });

  test.runIf(process.platform !== 'win32')('a pipe is not deleted', async () => {
    execFileSync('mkfifo', [path.join(temp.root, 'p')]);
    await expect(preview('delete_file', { path: 'p' })).rejects.toThrow(/pipe/);
  });

  test('a command that runs inside .git or .tidemark is guarded', async () => {
    for (const cwd of ['.git/hooks', '.tidemark/rules']) {
      await mkdir(path.join(temp.root, cwd), { recursive: true });
      expect((await preview('run_command', { command: 'ls', cwd })).guarded).toHaveLength(1);
    }
  });
});
