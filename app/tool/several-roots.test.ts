// The tools in a workspace of several folders: paths begin with a folder's name, and each folder keeps its own rules.
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { relPathToText } from '../../shared/rel-path';
import { makeTempFolder, type TempFolder } from '../testing/temp-folder';
import { toolContextOf } from '../testing/tool-context';
import { openSeveral } from '../workspace/several';
import type { Workspace } from '../workspace/workspace';
import { toolsFor } from './registry';
import type { ToolContext, ToolOutcome } from './tool';

let temp: TempFolder;
let workspace: Workspace;
let context: ToolContext;
const at = (name: string): string => path.join(temp.root, name);
const text = (name: string): Promise<string> => readFile(at(name), 'utf8');

beforeEach(async () => {
  temp = await makeTempFolder();
  await temp.put({
    'app/src/a.txt': 'needle in app\n',
    'app/.agentignore': 'hidden/\n',
    'app/hidden/h.txt': 'needle\n',
    'lib/b.txt': 'needle in lib\n',
    'lib/hidden/h.txt': 'needle, not hidden here\n',
    'other/c.txt': 'c\n',
  });
  workspace = await openSeveral([at('app'), at('lib')]);
  context = toolContextOf(temp, { workspace });
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
const why = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'accepted',
    (error: Error) => error.message,
  );

describe('paths', () => {
  test('begin with the name of a folder, in what is written and in what is told', async () => {
    const outcome = await run('write_file', { path: 'lib/new/x.txt', content: 'x' });
    expect(await text('lib/new/x.txt')).toBe('x');
    expect(outcome.touched.map((p) => relPathToText(p).path)).toEqual(['lib/new/x.txt']);
    expect(outcome.display).toMatchObject({ kind: 'edit', path: 'lib/new/x.txt' });
    expect((await run('read_file', { path: at('app/src/a.txt') })).text).toContain('needle in app');
  });

  test('without such a name are refused, and so is every way out', async () => {
    expect(await why(run('read_file', { path: 'src/a.txt' }))).toMatch(/name of a folder here \(app, lib\)/);
    expect(await why(run('read_file', { path: '../other/c.txt' }))).toMatch(/refused/);
    expect(await why(run('read_file', { path: 'app/../../other/c.txt' }))).toMatch(/refused/);
    expect(await why(run('read_file', { path: at('other/c.txt') }))).toMatch(/outside the folders/);
    await symlink(at('other'), at('app/out'));
    expect(await why(run('read_file', { path: 'app/out/c.txt' }))).toMatch(/^"app\/out\/c\.txt" was refused/);
  });

  test('pass from one folder to another by name, never through a link', async () => {
    expect((await run('read_file', { path: 'app/../lib/b.txt' })).text).toContain('needle in lib');
    await symlink(at('lib'), at('app/link'));
    expect(await why(run('write_file', { path: 'app/link/b.txt', content: 'x' }))).toMatch(/link out/);
  });

  test('what lies above the folders can be listed and nothing else', async () => {
    expect((await run('list_files', {})).text).toBe('app/\nlib/');
    expect(await why(run('write_file', { path: '.', content: 'x' }))).not.toBe('accepted');
    expect(await why(run('move_file', { from: 'app', to: 'lib/app' }))).toMatch(/stays where it is/);
    expect(await why(run('move_file', { from: '.', to: 'lib/all' }))).not.toBe('accepted');
    expect(await why(run('delete_file', { path: 'lib' }))).not.toBe('accepted');
  });
});

describe('rules of one folder', () => {
  test('.agentignore holds in its own folder', async () => {
    expect(await why(run('read_file', { path: 'app/hidden/h.txt' }))).toMatch(/\.agentignore/);
    expect((await run('read_file', { path: 'lib/hidden/h.txt' })).text).toContain('not hidden here');
    const found = (await run('search_files', { pattern: 'needle' })).text;
    expect(found.split('\n').sort()).toEqual([
      'app/src/a.txt:1: needle in app',
      'lib/b.txt:1: needle in lib',
      'lib/hidden/h.txt:1: needle, not hidden here',
    ]);
    const listed = (await run('list_files', { recursive: true })).text;
    expect(listed).toContain('lib/b.txt');
    expect(listed).not.toContain('app/hidden');
  });

  test('.agentignore holds for a folder that lies in another one', async () => {
    const nested = await openSeveral([temp.root, at('app')]);
    expect(await why(nested.resolve('work/app/hidden/h.txt', 'target'))).toMatch(/\.agentignore/);
    expect((await nested.agentIgnore())('work/app/hidden', true)).toBe(true);
    expect(await why(nested.resolve('work/app', 'entry'))).toMatch(/stays where it is/);
  });

  test('secrets, .git and .tidemark are guarded in each', async () => {
    await mkdir(at('lib/.git'));
    await writeFile(at('lib/.env'), 'KEY=1');
    for (const [name, guard] of [
      ['lib/.git/config', 'git'],
      ['app/.tidemark/mcp.json', 'tidemark'],
      ['lib/.env', 'secret'],
    ]) {
      const asked = await preview('write_file', { path: name, content: 'x' });
      expect(asked.guarded).toEqual([{ path: name, guard }]);
    }
  });
});

describe('moving', () => {
  test('goes from one folder to another, with every file named', async () => {
    const outcome = await run('move_file', { from: 'app/src', to: 'lib/src' });
    expect(await text('lib/src/a.txt')).toBe('needle in app\n');
    expect(outcome.touched.map((p) => relPathToText(p).path)).toEqual(['app/src/a.txt', 'lib/src/a.txt']);
  });
});

describe('run_command', () => {
  test('runs in the first folder, or in the one that cwd names', async () => {
    expect((await run('run_command', { command: 'pwd' })).text).toContain(at('app'));
    expect((await run('run_command', { command: 'pwd', cwd: '.' })).text).toContain(at('app'));
    expect((await run('run_command', { command: 'pwd', cwd: 'lib/hidden' })).text).toContain(
      at('lib/hidden'),
    );
    expect((await preview('run_command', { command: 'pwd' })).title).toBe('Run command in app');
    expect(await why(run('run_command', { command: 'pwd', cwd: 'app/hidden' }))).toMatch(/\.agentignore/);
  });
});

test('one patch may change files of both', async () => {
  const patch = `--- a/app/src/a.txt
+++ b/app/src/a.txt
@@ -1 +1 @@
-needle in app
+pin in app
--- a/lib/b.txt
+++ b/lib/b.txt
@@ -1 +1 @@
-needle in lib
+pin in lib
`;
  await run('apply_patch', { patch });
  expect([await text('app/src/a.txt'), await text('lib/b.txt')]).toEqual(['pin in app\n', 'pin in lib\n']);
});
