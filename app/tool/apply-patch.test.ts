import { execFileSync } from 'node:child_process';
import { chmod, lstat, mkdir, readdir, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { relPathToText } from '../../shared/rel-path';
import { makeTempFolder, type TempFolder } from '../testing/temp-folder';
import { toolContextOf } from '../testing/tool-context';
import type { Place } from '../workspace/workspace';
import { writeTogether } from '../workspace/write-together';
import { applyPatchTool } from './apply-patch';
import { replaceTextTool } from './replace-text';
import type { ToolContext } from './tool';

let temp: TempFolder;
let context: ToolContext;
beforeEach(async () => {
  temp = await makeTempFolder();
  context = toolContextOf(temp);
});
afterEach(() => temp.remove());

const apply = (patch: string) => applyPatchTool.run({ patch }, context);
const preview = (patch: string) => applyPatchTool.preview({ patch }, context);
const at = (name: string) => path.join(temp.root, name);
const change = (name: string, from: string, to: string) =>
  `--- a/${name}\n+++ b/${name}\n@@\n-${from}\n+${to}\n`;

/** Every file with its bytes and whether it can be run, every link with its target. */
async function tree(folder = temp.root, prefix = ''): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.name === '.git') continue;
    const full = path.join(folder, entry.name);
    const name = prefix + entry.name;
    if (entry.isDirectory()) Object.assign(found, { [`${name}/`]: '' }, await tree(full, `${name}/`));
    else if (entry.isSymbolicLink()) found[name] = `-> ${await readlink(full)}`;
    else {
      const { mode } = await lstat(full);
      found[name] = `${(mode & 0o777).toString(8)} ${(await temp.bytes(name)).toString('latin1')}`;
    }
  }
  return found;
}

describe('several files at once', () => {
  const PATCH = `diff --git a/src/a.txt b/src/a.txt
--- a/src/a.txt
+++ b/src/a.txt
@@ -1,3 +1,3 @@
 one
-two
+2
 three
diff --git a/old.txt b/new/name.txt
similarity index 80%
rename from old.txt
rename to new/name.txt
--- a/old.txt
+++ b/new/name.txt
@@ -1 +1 @@
-old
+new
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-gone
diff --git a/run.sh b/run.sh
new file mode 100755
--- /dev/null
+++ b/run.sh
@@ -0,0 +1 @@
+echo hi
`;
  beforeEach(() => temp.put({ 'src/a.txt': 'one\ntwo\nthree\n', 'old.txt': 'old\n', 'gone.txt': 'gone\n' }));

  test('are changed, renamed, deleted and created', async () => {
    const outcome = await apply(PATCH);
    expect(await tree()).toEqual({
      'src/': '',
      'src/a.txt': '644 one\n2\nthree\n',
      'new/': '',
      'new/name.txt': '644 new\n',
      'run.sh': '755 echo hi\n',
    });
    expect(outcome).toMatchObject({
      ok: true,
      display: { kind: 'edit', path: '4 files', added: 3, removed: 3 },
    });
    expect(outcome.touched.map((p) => relPathToText(p).path)).toEqual([
      'src/a.txt',
      'old.txt',
      'new/name.txt',
      'gone.txt',
      'run.sh',
    ]);
  });

  test('are all on the card before, and all its paths are known', async () => {
    const before = await tree();
    const card = await preview(PATCH);
    expect(card.title).toBe('Patch 4 files');
    expect(card.detail.split('\n').filter((l) => l.startsWith('+++ '))).toEqual([
      '+++ b/src/a.txt',
      '+++ b/old.txt → new/name.txt',
      '+++ b/gone.txt (deleted)',
      '+++ b/run.sh (new) (executable)',
    ]);
    expect(card.paths.length).toBe(5);
    expect(await tree()).toEqual(before);
  });

  test.each([
    ['a hunk that does not fit', 'src/a.txt', 'changed\n'],
    ['a file that is there already', 'run.sh', 'mine\n'],
    ['a target that is there already', 'new/name.txt', 'mine\n'],
    ['more in a file than the patch deletes', 'gone.txt', 'gone\nmore\n'],
    ['a binary file', 'old.txt', 'a\0b'],
  ])('%s: nothing is changed', async (_, name, content) => {
    await temp.put({ [name]: content });
    const before = await tree();
    await expect(apply(PATCH)).rejects.toThrow(/Nothing was changed/);
    expect(await tree()).toEqual(before);
  });
});

test('what git writes is applied to the same tree, byte for byte', async () => {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'core.autocrlf=false', ...args], {
      cwd: temp.root,
      env: { PATH: process.env.PATH ?? '', HOME: temp.outside, GIT_CONFIG_NOSYSTEM: '1' },
    }).toString('utf8');
  const name = fc.constantFrom('a.txt', 'b c.txt', 'sub/ä.txt', 'd"q.txt', 'e/f/g.txt');
  const line = fc.constantFrom('a\n', 'b\n', 'c\r\n', '\n', '--- x\n', 'ü\n');
  const file = fc.record({
    name,
    lines: fc.array(line, { minLength: 1, maxLength: 8 }),
    open: fc.boolean(),
    run: fc.boolean(),
  });
  const state = fc.uniqueArray(file, { selector: (f) => f.name, maxLength: 4 });
  const put = async (files: readonly { name: string; lines: string[]; open: boolean; run: boolean }[]) => {
    for (const entry of await readdir(temp.root))
      if (entry !== '.git') await rm(at(entry), { recursive: true });
    for (const { name: n, lines, open, run } of files) {
      await temp.put({ [n]: lines.join('') + (open ? 'end' : '') });
      await chmod(at(n), run ? 0o755 : 0o644);
    }
  };
  git('init', '-q');
  await fc.assert(
    fc.asyncProperty(state, state, async (before, after) => {
      await put(before);
      git('add', '-A');
      git('commit', '-q', '--allow-empty', '-m', 'before');
      await put(after);
      git('add', '-A');
      const patch = git('diff', '--cached', '-M', 'HEAD');
      fc.pre(patch !== '');
      const wanted = await tree();
      await put(before);
      await apply(patch);
      const found = await tree();
      // git does not know of empty folders
      const files = (t: Record<string, string>) =>
        Object.entries(t)
          .filter(([n]) => !n.endsWith('/'))
          .sort();
      expect(files(found)).toEqual(files(wanted));
    }),
    { numRuns: 40 },
  );
}, 60_000);

describe('fault 31: the encoding stays, with every byte that is not changed', () => {
  const words: Readonly<Record<string, fc.Arbitrary<string>>> = {
    utf8: fc.constantFrom('plain', 'naïve', '漢字', '🎈'),
    'utf8-bom': fc.constantFrom('plain', 'naïve', '漢字'),
    utf16le: fc.constantFrom('plain', 'naïve', '漢字', '🎈'),
    utf16be: fc.constantFrom('plain', 'naïve', '🎈'),
    'windows-1252': fc.constantFrom('plain', 'naïve', 'A™', '“quoted”', 'é'),
    gbk: fc.constantFrom('plain', '这是文件', '内容和测试', '中文的行'),
    'shift-jis': fc.constantFrom('plain', 'これはテスト', '日本語のファイル', 'カタカナです'),
  };
  const encode = (text: string, encoding: string): Buffer => {
    if (encoding === 'utf8-bom') return Buffer.from(`\ufeff${text}`);
    if (encoding === 'utf16le') return Buffer.from(`\ufeff${text}`, 'utf16le');
    if (encoding === 'utf16be') return Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
    return encoding === 'utf8' ? Buffer.from(text) : iconv.encode(text, encoding);
  };
  const tools = {
    replace_text: (old: string, now: string) =>
      replaceTextTool.run({ path: 'a.txt', old_text: old, new_text: now }, context),
    apply_patch: (old: string, now: string) => apply(change('a.txt', old, now)),
  };
  const cases = Object.keys(words).flatMap((e) =>
    (Object.keys(tools) as (keyof typeof tools)[]).map((t) => [e, t] as const),
  );

  test.each(cases)('%s, %s', async (encoding, tool) => {
    const word = words[encoding] ?? fc.constant('');
    const ends = fc.constantFrom('\n', '\r\n');
    const rows = fc.array(word, { minLength: 2, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(rows, fc.nat(), ends, fc.boolean(), async (all, seed, end, ended) => {
        const index = seed % all.length;
        const unique = all.map((text, i) => `${text} ${i}`);
        const join = (lines: readonly string[]) => encode(lines.join(end) + (ended ? end : ''), encoding);
        await writeFile(at('a.txt'), join(unique));
        await tools[tool](unique[index] ?? '', 'changed 100%');
        expect(await temp.bytes('a.txt')).toEqual(
          join(unique.map((l, i) => (i === index ? 'changed 100%' : l))),
        );
      }),
      { numRuns: 40 },
    );
  });

  test.each([
    ['gbk', '这是文件的内容\n', '한'],
    ['shift-jis', 'これはテスト\n', '한'],
    ['windows-1252', 'naïve\n', '漢'],
  ])('%s: a character that it lacks is refused, and the file stays', async (encoding, text, char) => {
    const bytes = iconv.encode(text, encoding);
    await writeFile(at('a.txt'), bytes);
    await expect(apply(`--- a/a.txt\n+++ b/a.txt\n@@ -1,0 +2,1 @@\n+${char}\n`)).rejects.toThrow(
      /does not exist in its/,
    );
    expect(await temp.bytes('a.txt')).toEqual(bytes);
  });

  test('UTF-32, and UTF-16 without a mark, are refused', async () => {
    for (const encoding of ['utf-32le', 'utf-16le']) {
      const bytes = iconv.encode(encoding === 'utf-32le' ? '\ufeffa\nb\n' : 'a\nb\n', encoding);
      await writeFile(at('a.txt'), bytes);
      await expect(apply(change('a.txt', 'a', 'c'))).rejects.toThrow(/binary/);
      expect(await temp.bytes('a.txt')).toEqual(bytes);
    }
  });
});

describe('places', () => {
  test('fault 89: no name leads out of the workspace', async () => {
    await symlink(temp.outside, at('d'));
    await symlink(path.join(temp.outside, 'new'), at('dangling'));
    for (const name of ['../outside/x', '/etc/x', 'd/x', 'dangling']) {
      const patch = `--- /dev/null\n+++ ${name}\n@@ -0,0 +1 @@\n+x\n`;
      await expect(apply(patch)).rejects.toThrow();
    }
    expect(await readdir(temp.outside)).toEqual([]);
  });

  test('fault 27: a change through a link changes its target, and the link stays', async () => {
    await temp.put({ 'real.md': 'a\n' });
    await symlink('real.md', at('link.md'));
    await apply(change('link.md', 'a', 'b'));
    expect(await tree()).toEqual({ 'real.md': '644 b\n', 'link.md': '-> real.md' });
  });

  test('secrets and places under .git are named on the card; a secret gets no open name', async () => {
    await temp.put({ '.env': 'A=1\n', 'a.txt': 'a\n' });
    expect((await preview(change('.env', 'A=1', 'A=2') + change('a.txt', 'a', 'b'))).guarded).toEqual([
      { path: '.env', guard: 'secret' },
    ]);
    expect((await preview('--- /dev/null\n+++ b/.git/hooks/x\n@@ -0,0 +1 @@\n+x\n')).guarded).toHaveLength(1);
    const rename = 'diff --git a/.env b/env.txt\nrename from .env\nrename to env.txt\n';
    await expect(apply(rename)).rejects.toThrow(/secret/);
  });
});

describe('a failure in the middle', () => {
  test('takes back what was done, with bytes, permissions and folders', async () => {
    await temp.put({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' });
    await chmod(at('a.txt'), 0o640);
    await chmod(at('b.txt'), 0o750);
    const before = await tree();
    const place = async (name: string): Promise<Place> => temp.workspace.resolve(name, 'entry');
    const lost = await place('c.txt');
    await mkdir(at('later'));
    const wrong: Place = { ...(await place('later')), type: 'file' };
    const steps = [
      { kind: 'write', place: await place('a.txt'), bytes: Buffer.from('A') },
      { kind: 'remove', place: await place('b.txt') },
      { kind: 'move', from: lost, to: await place('x/y/c.txt') },
      { kind: 'write', place: await place('n/e/w.txt'), bytes: Buffer.from('N') },
      { kind: 'executable', place: await place('a.txt'), on: true },
      { kind: 'write', place: wrong, bytes: Buffer.from('!') },
    ] as const;
    await expect(writeTogether(temp.workspace, steps)).rejects.toThrow();
    expect(await tree()).toEqual({ ...before, 'later/': '' });
  });

  test('through the tool: a folder that cannot be written', async () => {
    await temp.put({ 'a.txt': 'a\n' });
    // a link put where the folder of the new file will be made, after everything was looked at
    const original = temp.workspace.write;
    const workspace = {
      ...temp.workspace,
      write: async (p: Place, bytes: Uint8Array) => {
        if (p.text === 'sub/new.txt') await symlink(temp.outside, at('sub'));
        return original(p, bytes);
      },
    };
    const patch = `${change('a.txt', 'a', 'b')}--- /dev/null\n+++ b/sub/new.txt\n@@ -0,0 +1 @@\n+x\n`;
    await expect(applyPatchTool.run({ patch }, { ...context, workspace })).rejects.toThrow(
      /not the folder any more/,
    );
    expect(await temp.text('a.txt')).toBe('a\n');
    expect(await readdir(temp.outside)).toEqual([]);
  });
});
