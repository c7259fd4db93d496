import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SnapshotId } from '../../shared/ids';
import { relPathFromText as rel } from '../../shared/rel-path';
import {
  makeTempWorkspace,
  repositoryPrint,
  type TempWorkspace,
  treeOf,
  userGit,
} from '../testing/temp-workspace';
import { type Bench, openBench } from './engine-bench';
import { storeFolderOf } from './shadow-repo';

let w: TempWorkspace;
let b: Bench;
beforeEach(() => {
  w = makeTempWorkspace();
  b = openBench(w);
});
afterEach(async () => {
  await b.close();
  w.dispose();
});

const has = async (id: SnapshotId, name: string, bench = b): Promise<boolean> =>
  (await bench.engine.read(id, rel(name), bench.cancel)) !== null;
const left = async (id: SnapshotId): Promise<string[]> =>
  (await b.engine.leftOut(id, b.cancel)).map((s) => `${s.path}: ${s.why}`);

/** Which of these a snapshot of the present holds. */
async function held(names: readonly string[], bench = b): Promise<string[]> {
  const id = await bench.capture();
  const there = await Promise.all(names.map((n) => has(id, n, bench)));
  return names.filter((_, i) => there[i]);
}

describe('what is captured', () => {
  it('leaves out what the project ignores, nested ignore files and info/exclude too', async () => {
    w.git('init', '-q');
    w.put('.gitignore', '/top.txt\n*.tmp2\n!keep.tmp2\n');
    w.put('sub/.gitignore', '*\n');
    w.put('other/.gitignore', 'x\n');
    w.put('.git/info/exclude', 'private-notes\n');
    for (const n of [
      'top.txt',
      'a.tmp2',
      'keep.tmp2',
      'sub/in',
      'other/x',
      'other/y',
      'private-notes',
      'deep/private-notes',
    ])
      w.put(n, 'x');
    expect(
      await held([
        'top.txt',
        'a.tmp2',
        'keep.tmp2',
        'sub/in',
        'other/x',
        'other/y',
        'private-notes',
        'deep/private-notes',
      ]),
    ).toEqual(['keep.tmp2', 'other/y']);
  });

  it('leaves out built-in groups, switched one by one, but never what the project tracks', async () => {
    w.git('init', '-q');
    for (const n of [
      'bin/tool',
      'bin/other',
      'node_modules/m/i.js',
      'pic.png',
      'tracked.png',
      'a.log',
      'd.csv',
      'src/a.ts',
    ])
      w.put(n, 'x');
    w.git('add', '-f', 'bin/tool', 'tracked.png');
    const names = [
      'a.log',
      'bin/other',
      'bin/tool',
      'd.csv',
      'node_modules/m/i.js',
      'pic.png',
      'src/a.ts',
      'tracked.png',
    ];
    expect(await held(names)).toEqual(['bin/tool', 'src/a.ts', 'tracked.png']);
    w.put('bin/tool', 'changed');
    expect(
      Buffer.from((await b.engine.read(await b.capture(), rel('bin/tool'), b.cancel)) ?? []).toString(),
    ).toBe('changed');
    await b.close();
    b = openBench(w, {
      groups: { build: true, media: false, caches: true, archives: true, databases: true, data: false },
    });
    expect(await held(names)).toEqual(['bin/tool', 'd.csv', 'pic.png', 'src/a.ts', 'tracked.png']);
  });

  it('notices when the ignore rules or the project index change', async () => {
    w.git('init', '-q');
    w.put('.gitignore', 'a\n');
    w.put('a', 'x');
    w.put('node_modules/m.js', 'x');
    expect(await held(['a', 'node_modules/m.js'])).toEqual([]);
    w.put('.gitignore', 'b\n');
    expect(await held(['a', 'node_modules/m.js'])).toEqual(['a']);
    w.git('add', '-f', 'node_modules/m.js');
    expect(await held(['a', 'node_modules/m.js'])).toEqual(['a', 'node_modules/m.js']);
  });

  it('keeps recorded paths although ignored, and goes on keeping them', async () => {
    w.put('.gitignore', 'ign/\n');
    w.put('ign/note.txt', 'one');
    const one = await b.capture([rel('ign/note.txt')]);
    w.put('ign/note.txt', 'two');
    const two = await b.capture();
    expect((await b.engine.changes(one, two, b.cancel)).map((c) => `${c.kind} ${c.path}`)).toEqual([
      'modified ign/note.txt',
    ]);
  });

  it('never takes a secret, a .git or the .tidemark folder, recorded or tracked', async () => {
    w.git('init', '-q');
    const key = '-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\n';
    const secrets = [
      '.env',
      '.env.local',
      'prod.env',
      'id_rsa',
      'deep/id_ed25519',
      'server.pem',
      'tls.key',
      '.netrc',
    ];
    for (const n of secrets) w.put(n, n.endsWith('.pem') || n.endsWith('.key') ? key : 'secret');
    for (const n of ['.env.example', '.env.sample', 'cert.pem', 'id_rsa.pub', 'key.ts']) w.put(n, 'public');
    w.put('.tidemark/rules/a.md', 'rule');
    w.git('add', '-f', '.');
    const id = await b.capture([...secrets, '.git/config', '.tidemark/rules/a.md'].map(rel));
    const named = await left(id);
    for (const n of secrets) {
      expect(await has(id, n), n).toBe(false);
      expect(
        named.some((l) => l.startsWith(`${n}: a secret is never captured`)),
        n,
      ).toBe(true);
    }
    for (const n of ['.env.example', '.env.sample', 'cert.pem', 'id_rsa.pub', 'key.ts'])
      expect(await has(id, n), n).toBe(true);
    expect(await has(id, '.git/config')).toBe(false);
    expect(await has(id, '.tidemark/rules/a.md')).toBe(false);
    const gitDir = path.join(storeFolderOf(w.checkpointsFolder, w.root), '.git');
    const all = userGit(w.root, '--git-dir', gitDir, 'cat-file', '--batch-all-objects', '--batch');
    expect(all).toContain('public');
    expect(all).not.toMatch(/PRIVATE KEY|secret$/m);
  });

  it('names what it leaves out: large, LFS, pipes; and takes a file once it is small again (fault 32, fault 56)', async () => {
    await b.close();
    b = openBench(w, { maxFileBytes: 1000 });
    w.put('.gitattributes', '*.model filter=lfs -text\n');
    w.put('a.model', 'lfs');
    w.put('large.txt', 'x'.repeat(1001));
    w.put('grows.txt', 'small');
    execFileSync('mkfifo', [path.join(w.root, 'pipe')]);
    const one = await b.capture();
    expect(await left(one)).toEqual([
      'a.model: Git LFS manages it',
      'large.txt: it is larger than the limit for one file',
      'pipe: a pipe, not a file',
    ]);
    fs.writeFileSync(path.join(w.root, 'grows.txt'), 'y'.repeat(2000));
    fs.writeFileSync(path.join(w.root, 'large.txt'), 'now small');
    const two = await b.capture();
    expect((await left(two)).filter((l) => l.includes('limit'))).toEqual([
      'grows.txt: it is larger than the limit for one file',
    ]);
    expect(await has(two, 'large.txt')).toBe(true);
    fs.writeFileSync(path.join(w.root, 'grows.txt'), 'small again');
    expect(await has(await b.capture(), 'grows.txt')).toBe(true);
    expect(await has(await b.capture([rel('a.model')]), 'a.model')).toBe(true);
  });

  it('keeps bytes whatever attributes and filters say (fault 32)', async () => {
    w.git('init', '-q');
    w.put(
      '.gitattributes',
      '* text=auto\n*.c ident\n*.w eol=crlf\n*.enc filter=missing\n*.u working-tree-encoding=UTF-16LE\n',
    );
    const files: Record<string, string> = {
      'a.txt': 'a\r\nb\n',
      'b.c': '$Id: x $\r\n',
      'c.w': 'lf\n',
      'd.enc': 'plain',
      'e.u': 'h\0',
    };
    for (const [n, body] of Object.entries(files)) w.put(n, body);
    const id = await b.capture();
    for (const [n, body] of Object.entries(files))
      expect(Buffer.from((await b.engine.read(id, rel(n), b.cancel)) ?? []).toString()).toBe(body);
  });

  it('names what is too deep, and takes the longest names (fault list H)', async () => {
    const long = 'n'.repeat(255);
    w.put(long, 'x');
    w.put('CON', 'x');
    w.put('name.', 'x');
    const here = process.cwd();
    process.chdir(w.root);
    for (let i = 0; i < 30; i++) {
      fs.mkdirSync('deep'.repeat(50));
      process.chdir('deep'.repeat(50));
    }
    fs.writeFileSync('file', 'too deep');
    process.chdir(here);
    const id = await b.capture();
    expect(await Promise.all([long, 'CON', 'name.'].map((n) => has(id, n)))).toEqual([true, true, true]);
    expect((await left(id)).map((l) => l.split(': ')[1])).toEqual(['its path is too long']);
    await b.restore(id, [], { kind: 'workspace' });
    execFileSync('rm', ['-rf', path.join(w.root, 'deep'.repeat(50))]);
  });

  it('is not held up by a file that keeps growing (fault list H)', async () => {
    w.put('still.txt', 'x');
    w.put('grows.txt', 'x');
    const writer = spawn('sh', ['-c', 'while :; do echo more >> grows.txt; done'], {
      cwd: w.root,
      stdio: 'ignore',
    });
    try {
      for (let i = 0; i < 5; i++) expect(await has(await b.capture(), 'still.txt')).toBe(true);
    } finally {
      writer.kill('SIGKILL');
      await once(writer, 'close');
    }
    expect(await b.engine.changes(await b.capture(), 'workspace', b.cancel)).toEqual([]);
    expect(
      Buffer.from((await b.engine.read(await b.capture(), rel('grows.txt'), b.cancel)) ?? []).toString(),
    ).toBe(w.text('grows.txt'));
  });

  it('takes the files of nested repositories and leaves their .git alone (fault 37, fault 38, fault 39)', async () => {
    w.git('init', '-q');
    fs.mkdirSync(path.join(w.root, 'lib/inner'), { recursive: true });
    userGit(path.join(w.root, 'lib'), 'init', '-q');
    userGit(path.join(w.root, 'lib/inner'), 'init', '-q');
    w.put('lib/.gitignore', '*.o2\n');
    for (const n of ['lib/main.go', 'lib/x.o2', 'lib/inner/deep.txt']) w.put(n, 'one');
    userGit(path.join(w.root, 'lib'), 'add', 'main.go');
    userGit(path.join(w.root, 'lib'), 'commit', '-qm', 'x');
    const prints = (): string[] => ['', 'lib', 'lib/inner'].map((d) => repositoryPrint(path.join(w.root, d)));
    const before = prints();
    const one = await b.capture();
    expect(
      await Promise.all(
        ['lib/main.go', 'lib/x.o2', 'lib/inner/deep.txt', 'lib/.git/HEAD'].map((n) => has(one, n)),
      ),
    ).toEqual([true, false, true, false]);
    w.put('lib/main.go', 'two');
    w.remove('lib/inner/deep.txt');
    w.put('lib/new.txt', 'n');
    const two = await b.capture();
    await b.restore(one, [{ before: one, after: two, only: null }]);
    expect([w.text('lib/main.go'), w.text('lib/inner/deep.txt'), w.has('lib/new.txt')]).toEqual([
      'one',
      'one',
      false,
    ]);
    expect(prints()).toEqual(before);
  });
});

describe('the project repository', () => {
  it('may lie above the workspace, with its rules (fault 51)', async () => {
    await b.close();
    const top = w.root;
    w.git('init', '-q');
    w.put('.gitignore', '/app/made/\n*.skip\n');
    w.put('.git/info/exclude', 'app/mine\n');
    for (const n of ['outside.txt', 'app/a.txt', 'app/made/x', 'app/b.skip', 'app/mine', 'app/bin/tracked'])
      w.put(n, 'x');
    w.git('add', '-f', 'app/bin/tracked');
    b = openBench({ ...w, root: path.join(top, 'app') });
    expect(await held(['a.txt', 'made/x', 'b.skip', 'mine', 'bin/tracked'])).toEqual([
      'a.txt',
      'bin/tracked',
    ]);
  });

  it('does not empty a workspace that it ignores as a whole', async () => {
    await b.close();
    w.git('init', '-q');
    w.put('.gitignore', 'sandbox/\n');
    w.put('sandbox/a.txt', 'x');
    b = openBench({ ...w, root: path.join(w.root, 'sandbox') });
    expect(await held(['a.txt'])).toEqual(['a.txt']);
  });

  it('may be broken, bare, or a work tree whose repository is gone (fault 50)', async () => {
    for (const prepare of [
      () => w.put('.git', 'gitdir: /nowhere/at/all\n'),
      () => {
        w.git('init', '-q');
        w.put('.git/HEAD', 'garbage');
      },
      () => {
        w.git('init', '-q');
        w.put('.git/index', 'garbage');
      },
    ]) {
      fs.rmSync(path.join(w.root, '.git'), { recursive: true, force: true });
      prepare();
      w.put('a.txt', `${Math.random()}`);
      const id = await b.capture();
      expect(await has(id, 'a.txt')).toBe(true);
      expect((await left(id)).some((l) => l.startsWith('.git: '))).toBe(true);
    }
  });

  it('may come to be in the middle (fault 52)', async () => {
    w.put('a.txt', 'one');
    const one = await b.capture();
    w.git('init', '-q');
    w.git('add', '-A');
    w.git('commit', '-qm', 'x');
    const print = repositoryPrint(w.root);
    w.put('a.txt', 'two');
    const two = await b.capture();
    await b.restore(one, [{ before: one, after: two, only: null }]);
    expect(w.text('a.txt')).toBe('one');
    expect(repositoryPrint(w.root)).toBe(print);
  });
});

describe('a hostile environment', () => {
  const saved = { ...process.env };
  afterEach(() => {
    for (const name of Object.keys(process.env)) if (!(name in saved)) delete process.env[name];
    Object.assign(process.env, saved);
  });

  it('other repositories, configuration, hooks, signing, filters and templates are neither read nor written (fault 3, fault 40 to 43, fault 48, fault 55)', async () => {
    const other = path.join(w.outside, 'other');
    fs.mkdirSync(other);
    userGit(other, 'init', '-q');
    userGit(other, 'commit', '-q', '--allow-empty', '-m', 'x');
    const home = path.join(w.outside, 'home');
    fs.mkdirSync(path.join(home, 'hooks'), { recursive: true });
    const ran = path.join(w.outside, 'ran');
    for (const h of [
      'pre-commit',
      'post-commit',
      'post-checkout',
      'post-index-change',
      'reference-transaction',
      'gpg',
    ]) {
      fs.writeFileSync(path.join(home, 'hooks', h), `#!/bin/sh\necho ${h} >> ${ran}\nexit 1\n`, {
        mode: 0o755,
      });
    }
    const hooks = path.join(home, 'hooks');
    const config = `[core]\n hooksPath=${hooks}\n autocrlf=true\n fsmonitor=true\n pager=less\n[commit]\n gpgsign=true\n[gpg]\n program=${hooks}/gpg\n[filter "x"]\n clean=false\n smudge=false\n required=true\n[init]\n templateDir=${home}\n[diff]\n external=false\n noprefix=true\n renames=copies\n[color]\n ui=always\n[include]\n path=/nonexistent\n`;
    fs.writeFileSync(path.join(home, '.gitconfig'), config);
    const print = repositoryPrint(other);
    const homePrint = [...treeOf(home)];
    Object.assign(process.env, {
      HOME: home,
      GIT_DIR: path.join(other, '.git'),
      GIT_WORK_TREE: other,
      GIT_INDEX_FILE: path.join(other, '.git/index'),
      GIT_OBJECT_DIRECTORY: path.join(other, '.git/objects'),
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.hooksPath',
      GIT_CONFIG_VALUE_0: hooks,
      GIT_CONFIG_PARAMETERS: "'core.hooksPath=/x'",
      GIT_EXTERNAL_DIFF: 'false',
      GIT_TEMPLATE_DIR: home,
      GIT_NAMESPACE: 'n',
      EDITOR: 'false',
      PAGER: 'false',
      GIT_CEILING_DIRECTORIES: '/',
      GIT_TRACE: path.join(w.outside, 'trace'),
    });
    w.put('.gitattributes', '* filter=x\n');
    w.put('a.txt', 'one\n');
    const one = await b.capture();
    w.put('a.txt', 'two\n');
    w.put('b.txt', 'b\n');
    const two = await b.capture();
    const counted = await b.engine.changes(one, two, { ...b.cancel, counts: true });
    expect(counted.map((c) => [c.path, c.added, c.removed])).toEqual([
      ['a.txt', 1, 1],
      ['b.txt', 1, 0],
    ]);
    await b.restore(one, [{ before: one, after: two, only: null }]);
    expect(w.text('a.txt')).toBe('one\n');
    expect(fs.existsSync(ran)).toBe(false);
    expect(fs.existsSync(path.join(w.outside, 'trace'))).toBe(false);
    expect(repositoryPrint(other)).toBe(print);
    expect([...treeOf(home)]).toEqual(homePrint);
  });

  it('a PATH without git, and a git that is too old, are said so (fault 48)', async () => {
    const old = path.join(w.outside, 'git');
    fs.writeFileSync(old, '#!/bin/sh\necho git version 2.20.1\n', { mode: 0o755 });
    for (const [gitProgram, code] of [
      [path.join(w.outside, 'nothing'), 'git-missing'],
      [old, 'git-too-old'],
    ] as const) {
      const bench = openBench(w, { gitProgram });
      await expect(bench.engine.start(bench.cancel)).rejects.toMatchObject({ code });
      await bench.close();
    }
  });
});

describe('the store', () => {
  it('is private, can be looked into with plain git, and is set aside when damaged', async () => {
    w.put('a.txt', 'one\n');
    const one = await b.capture();
    const folder = storeFolderOf(w.checkpointsFolder, w.root);
    expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
    const plain = (...args: string[]): string =>
      userGit(w.outside, '--git-dir', path.join(folder, '.git'), ...args);
    expect(plain('show', `${one}:a.txt`)).toBe('one\n');
    expect(
      plain(
        'log',
        '-1',
        '--format=%an %ae %(trailers:key=Tidemark-Kind,valueonly)',
        'refs/tidemark/t/t_0123456789ab',
      ).trim(),
    ).toBe('Tidemark Checkpoint checkpoints@tidemark.invalid turn');
    expect(plain('config', 'core.worktree').trim()).toBe(w.root);
    await b.close();
    fs.writeFileSync(path.join(folder, '.git', 'HEAD'), 'damaged');
    b = openBench(w);
    await expect(b.engine.hold(b.cancel)).rejects.toMatchObject({ code: 'store-damaged' });
    expect(fs.readdirSync(w.checkpointsFolder).some((n) => n.includes('.broken-'))).toBe(true);
    expect(w.text('a.txt')).toBe('one\n');
    expect(await b.capture()).toBeTruthy();
  });

  it('is not held up by a stale index.lock or a lost index, and goes on across restarts', async () => {
    w.put('a.txt', 'one');
    const one = await b.capture();
    await b.close();
    const gitDir = path.join(storeFolderOf(w.checkpointsFolder, w.root), '.git');
    for (const name of ['index.lock', 'HEAD.lock', 'refs/tidemark/t/t_0123456789ab.lock'])
      fs.writeFileSync(path.join(gitDir, name), '');
    fs.rmSync(path.join(gitDir, 'index'));
    b = openBench(w);
    expect(await b.capture()).toBe(one);
    w.put('a.txt', 'two');
    expect(await has(await b.capture(), 'a.txt')).toBe(true);
    await b.close();
    fs.writeFileSync(path.join(gitDir, 'index'), 'garbage');
    b = openBench(w);
    w.put('a.txt', 'one');
    expect(await b.engine.changes(one, await b.capture(), b.cancel)).toEqual([]);
  });

  it('serves two engines at once on one workspace', async () => {
    w.put('a.txt', 'one');
    const c = openBench(w, { taskId: 't_other0000000' });
    await b.capture();
    for (let i = 0; i < 5; i++) {
      w.put('a.txt', `version ${i}`);
      w.put(`f${i}.txt`, 'x');
      const [x, y] = await Promise.all([b.capture(), c.capture()]);
      expect(await b.engine.changes(x, y, b.cancel)).toEqual([]);
      expect(await c.engine.changes(x, 'workspace', c.cancel)).toEqual([]);
    }
    await c.close();
  });

  it('refuses what it cannot read instead of guessing (fault 4, fault 14)', async () => {
    w.put('a.txt', 'one');
    const one = await b.capture();
    w.put('a.txt', 'two');
    const two = await b.capture();
    const never = 'f'.repeat(40) as SnapshotId;
    expect(await b.engine.has(never, b.cancel)).toBe(false);
    await expect(b.plan(never, [])).rejects.toMatchObject({ code: 'snapshot-missing' });
    await b.close();
    const packs = path.join(storeFolderOf(w.checkpointsFolder, w.root), '.git/objects/pack');
    for (const p of fs.readdirSync(packs)) fs.rmSync(path.join(packs, p));
    const gone = openBench(w, { taskId: 't_other0000000' });
    const three = await gone.capture();
    expect(await gone.engine.has(three, gone.cancel)).toBe(true);
    expect(Buffer.from((await gone.engine.read(three, rel('a.txt'), gone.cancel)) ?? []).toString()).toBe(
      'two',
    );
    await gone.close();
    b = openBench(w);
    expect(await b.engine.has(one, b.cancel)).toBe(false);
    await expect(b.capture()).rejects.toMatchObject({ code: 'store-damaged' });
    await expect(b.plan(one, [{ before: one, after: two, only: null }])).rejects.toMatchObject({
      code: 'snapshot-missing',
    });
    expect(w.text('a.txt')).toBe('two');
  });
});
