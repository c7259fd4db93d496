// Known faults around the user's own repository and git settings, through the command line as people start it.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { repositoryPrint, treeOf, userGit, workTreeOf } from '../testing/temp-workspace';
import { type Bench, openBench, PRACTICE, type RunResult } from './cli-harness';

let bench: Bench;
beforeEach(async () => {
  bench = await openBench({ 'a.txt': 'one\n', 'sub/b.txt': 'two\n' });
});
afterEach(() => bench.close());

const at = (...names: string[]): string => path.join(bench.folder, ...names);
const git = (...args: string[]): string => userGit(bench.folder, ...args);
const text = (name: string): string => fs.readFileSync(at(name), 'utf8');
const NOBODY = 65534;

/** A run that edits, adds and removes, then the way back: everything is as it was. */
async function thereAndBack(o: Parameters<Bench['result']>[1] = {}): Promise<RunResult> {
  const before = workTreeOf(bench.folder);
  const run = await bench.result(
    ['run', 'replace "one" with "ONE" in a.txt\nrun `rm sub/b.txt; echo n > new.txt`', ...PRACTICE],
    o,
  );
  expect(run.outcome).toBe('completed');
  expect(text('a.txt')).toBe('ONE\n');
  const { changes } = (await bench.json(['diff', run.checkpoints[0] ?? ''], o)) as unknown as {
    changes: { path: string; kind: string; added: number | null; removed: number | null }[];
  };
  expect(changes.map((c) => [c.kind, c.path, c.added, c.removed])).toEqual([
    ['modified', 'a.txt', 1, 1],
    ['added', 'new.txt', 1, 0],
    ['deleted', 'sub/b.txt', 0, 1],
  ]);
  await bench.json(['rewind', run.checkpoints[0] ?? '', '--yes'], o);
  expect(workTreeOf(bench.folder)).toEqual(before);
  return run;
}

describe('settings and environment', () => {
  test('fault 3, fault 41, fault 42, fault 43, fault 55: the user’s hooks, signing and diff settings play no part', async () => {
    const user = path.join(bench.temp, 'user');
    const hooks = path.join(user, 'hooks');
    const ran = path.join(bench.temp, 'ran');
    fs.mkdirSync(hooks, { recursive: true });
    for (const h of ['pre-commit', 'post-commit', 'post-checkout', 'post-index-change', 'gpg', 'diff'])
      fs.writeFileSync(path.join(hooks, h), `#!/bin/sh\necho ${h} >> '${ran}'\nexit 1\n`, { mode: 0o755 });
    const config = `[core]\n hooksPath = ${hooks}\n pager = less\n[commit]\n gpgsign = true\n[gpg]\n program = ${hooks}/gpg\n[color]\n ui = always\n`;
    git('init', '-q');
    const print = repositoryPrint(bench.folder);
    for (const diff of [
      `external = ${hooks}/diff`,
      'noprefix = true\n mnemonicPrefix = true',
      'renames = copies',
    ]) {
      fs.writeFileSync(path.join(user, '.gitconfig'), `${config}[diff]\n ${diff}\n`);
      const was = [...treeOf(user)];
      await thereAndBack();
      expect([...treeOf(user)]).toEqual(was);
    }
    expect(fs.existsSync(ran)).toBe(false);
    expect(repositoryPrint(bench.folder)).toBe(print);
  });

  test('fault 40: GIT_DIR and its kin name another repository: it stays as it is', async () => {
    const other = path.join(bench.temp, 'other');
    fs.mkdirSync(other);
    userGit(other, 'init', '-q');
    userGit(other, 'commit', '-q', '--allow-empty', '-m', 'x');
    const print = repositoryPrint(other);
    const env = {
      GIT_DIR: path.join(other, '.git'),
      GIT_WORK_TREE: other,
      GIT_INDEX_FILE: path.join(other, '.git/index'),
      GIT_OBJECT_DIRECTORY: path.join(other, '.git/objects'),
    };
    for (let i = 0; i < 2; i++) await thereAndBack({ env });
    expect(repositoryPrint(other)).toBe(print);
  });

  test('fault 48, fault 49: no home, no settings, no repository: it works the same', async () => {
    await thereAndBack({ env: { HOME: '/nonexistent' } });
  });

  test('fault 53: a folder of another user: it works, and nothing is written into git’s settings', async () => {
    git('init', '-q');
    execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, bench.folder]);
    await thereAndBack();
    expect(fs.existsSync(path.join(bench.temp, 'user', '.gitconfig'))).toBe(false);
  });
});

describe('the user’s repository', () => {
  test('fault 44, fault 46: staging, refs, history and objects are as before after many turns', async () => {
    git('init', '-q');
    git('add', '-A');
    git('commit', '-qm', 'x');
    fs.writeFileSync(at('a.txt'), 'one\nstaged\n');
    git('add', 'a.txt');
    fs.writeFileSync(at('a.txt'), 'one\nstaged\nnot staged\n');
    const look = (): string[] => [
      git('diff', '--cached'),
      git('for-each-ref'),
      git('log', '--all'),
      git('count-objects', '-v'),
    ];
    const [print, said] = [repositoryPrint(bench.folder), look()];
    const first = await bench.result(['run', 'create c.txt with "0"', ...PRACTICE]);
    const index = fs.readFileSync(at('.git/index'));
    for (let n = 0; n < 4; n++) {
      const more = [`replace "${n}" with "${n + 1}" in c.txt`, ...PRACTICE, '--task', first.taskId];
      await bench.result(['run', ...more]);
    }
    await bench.json(['rewind', first.checkpoints[0] ?? '', '--yes']);
    expect(repositoryPrint(bench.folder).replace(/^index .*$/m, '')).toBe(print.replace(/^index .*$/m, ''));
    expect(fs.readFileSync(at('.git/index'))).toEqual(index);
    expect(look()).toEqual(said);
  });

  test('fault 45: the user commits what the agent made, goes back and commits again: git finds no fault', async () => {
    git('init', '-q');
    git('add', '-A');
    git('commit', '-qm', 'x');
    const run = await bench.result(['run', 'create made.txt with "m"', ...PRACTICE]);
    git('add', '-A');
    git('commit', '-qm', 'made');
    await bench.json(['rewind', run.checkpoints[0] ?? '', '--yes']);
    expect(fs.existsSync(at('made.txt'))).toBe(false);
    git('commit', '-qam', 'gone');
    git('fsck', '--strict', '--full');
    expect(git('log', '--format=%s').trim().split('\n')).toEqual(['gone', 'made', 'x']);
  });

  test('fault 47: git of the user beside a run: their index is theirs', async () => {
    git('init', '-q');
    git('add', '-A');
    git('commit', '-qm', 'x');
    const slow = 'run `for i in 1 2 3 4 5 6 7 8; do echo $i > made-$i.txt; sleep 0.05; done`';
    const running = bench.result(['run', `${slow}\ncreate end.txt with "e"`, ...PRACTICE]);
    for (let i = 0; i < 8; i++) {
      fs.writeFileSync(at(`mine-${i}.txt`), `${i}\n`);
      git('add', `mine-${i}.txt`);
      git('commit', '-qm', `mine ${i}`);
      git('worktree', 'add', '-q', path.join(bench.temp, `tree-${i}`));
    }
    const run = await running;
    expect(git('status', '--porcelain', '--untracked-files=no')).toBe('');
    await bench.json(['rewind', run.checkpoints[0] ?? '', '--yes']);
    expect(git('status', '--porcelain', '--untracked-files=all')).toBe('');
    git('fsck', '--full');
  });

  test('fault 50, fault list H: kinds of repositories that git itself may refuse', async () => {
    const source = path.join(bench.temp, 'source');
    fs.mkdirSync(source);
    userGit(source, 'init', '-q');
    for (let i = 0; i < 3; i++) userGit(source, 'commit', '-q', '--allow-empty', '-m', `${i}`);
    const cloned = (...args: string[]): void => {
      const clone = path.join(bench.temp, 'clone');
      userGit(bench.temp, 'clone', '-q', '--no-local', ...args, `file://${source}`, clone);
      fs.renameSync(path.join(clone, '.git'), at('.git'));
      fs.rmSync(clone, { recursive: true });
    };
    const kinds: Record<string, () => void> = {
      'broken HEAD': () => {
        git('init', '-q');
        fs.writeFileSync(at('.git/HEAD'), 'garbage');
      },
      bare: () => git('init', '-q', '--bare', '.git'),
      'a work tree whose repository is gone': () =>
        fs.writeFileSync(at('.git'), 'gitdir: /nowhere/.git/worktrees/x\n'),
      shallow: () => cloned('--depth=1'),
      partial: () => cloned('--filter=blob:none'),
      'separate git folder': () =>
        git('init', '-q', `--separate-git-dir=${path.join(bench.temp, 'apart.git')}`),
      'core.worktree elsewhere': () => {
        git('init', '-q');
        git('config', 'core.worktree', source);
      },
      sha256: () => git('init', '-q', '--object-format=sha256'),
      'reftable, or whatever is not known': () => {
        git('init', '-q');
        git('config', 'core.repositoryformatversion', '1');
        git('config', 'extensions.refstorage', 'reftable');
      },
      'sparse checkout': () => {
        git('init', '-q');
        git('add', '-A');
        git('commit', '-qm', 'x');
        git('sparse-checkout', 'set', '--no-cone', '/a.txt', '/sub/');
      },
    };
    for (const [kind, make] of Object.entries(kinds)) {
      fs.rmSync(at('.git'), { recursive: true, force: true });
      make();
      await thereAndBack().catch((error: unknown) => expect.fail(`${kind}: ${error}`));
    }
  });

  test('fault 51: the folder is a part of a repository: only the part is saved and restored', async () => {
    fs.renameSync(bench.folder, path.join(bench.temp, 'app'));
    fs.mkdirSync(bench.folder);
    git('init', '-q');
    fs.renameSync(path.join(bench.temp, 'app'), at('app'));
    fs.writeFileSync(at('beside.txt'), 'beside\n');
    git('add', '-A');
    git('commit', '-qm', 'x');
    const print = repositoryPrint(bench.folder);
    const cwd = at('app');
    const run = await bench.result(
      ['run', 'replace "one" with "ONE" in a.txt\nrun `echo changed > ../beside.txt`', ...PRACTICE],
      { cwd },
    );
    await bench.json(['rewind', run.checkpoints[0] ?? '', '--yes', '--whole'], { cwd });
    expect([text('app/a.txt'), text('beside.txt')]).toEqual(['one\n', 'changed\n']);
    expect(repositoryPrint(bench.folder)).toBe(print);
  });

  test('fault 52: git init between two turns: both points are there, and the new repository stays', async () => {
    const first = await bench.result(['run', 'replace "one" with "1" in a.txt', ...PRACTICE]);
    git('init', '-q');
    git('add', '-A');
    git('commit', '-qm', 'x');
    const print = repositoryPrint(bench.folder);
    await bench.result(['run', 'replace "1" with "2" in a.txt', ...PRACTICE, '--task', first.taskId]);
    await bench.json(['rewind', first.checkpoints.at(-1) ?? '', '--files', '--yes']);
    expect(text('a.txt')).toBe('1\n');
    await bench.json(['rewind', first.checkpoints[0] ?? '', '--files', '--yes']);
    expect(text('a.txt')).toBe('one\n');
    expect(repositoryPrint(bench.folder)).toBe(print);
  });

  test('fault 54: the folder by a link, with a slash, by dots: the same checkpoints', async () => {
    const run = await bench.result(['run', 'create c.txt with "c"', ...PRACTICE]);
    const link = path.join(bench.temp, 'link');
    fs.symlinkSync(bench.folder, link);
    for (const spelt of [link, `${bench.folder}/`, `${bench.folder}/sub/..`, `${link}/./`]) {
      const list = await bench.json(['checkpoints', '--workspace', spelt]);
      expect(list.checkpoints, spelt).toHaveLength(run.checkpoints.length);
    }
    await bench.json(['rewind', run.checkpoints[0] ?? '', '--yes', '--workspace', link]);
    expect(fs.existsSync(at('c.txt'))).toBe(false);
    expect(fs.readdirSync(path.join(bench.home, 'checkpoints'))).toHaveLength(1);
  });
});

describe('repositories in the folder', () => {
  test('fault 38, fault 39: nested ones, a linked work tree and a link to one elsewhere', async () => {
    const elsewhere = path.join(bench.temp, 'elsewhere');
    for (const [folder, file] of [
      [at('fe'), 'index.ts'],
      [at('be'), 'main.go'],
      [elsewhere, 'theirs.txt'],
    ] as const) {
      fs.mkdirSync(folder);
      fs.writeFileSync(path.join(folder, file), 'old\n');
      userGit(folder, 'init', '-q');
      if (folder === at('be')) continue; // one without a commit
      userGit(folder, 'add', '-A');
      userGit(folder, 'commit', '-qm', 'x');
    }
    userGit(at('fe'), 'worktree', 'add', '-q', at('wt'));
    fs.symlinkSync(elsewhere, at('outside'));
    const gits = ['fe', 'be'].map((n) => at(n));
    const [before, prints] = [workTreeOf(bench.folder), gits.map(repositoryPrint)];
    const run = await bench.result([
      'run',
      'create fe/new.txt with "n"\nreplace "old" with "new" in be/main.go\nreplace "old" with "new" in wt/index.ts\nrun `echo theirs > outside/theirs.txt`',
      ...PRACTICE,
    ]);
    expect([text('be/main.go'), text('wt/index.ts')]).toEqual(['new\n', 'new\n']);
    await bench.json(['rewind', run.checkpoints[0] ?? '', '--yes']);
    expect(workTreeOf(bench.folder)).toEqual(before);
    expect(gits.map(repositoryPrint)).toEqual(prints);
    expect(fs.readFileSync(path.join(elsewhere, 'theirs.txt'), 'utf8')).toBe('theirs\n');
  });
});
