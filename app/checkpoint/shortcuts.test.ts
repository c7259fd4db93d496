// The quick ways are as exact as the plain ones that they stand for.
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { relPathFromText as rel } from '../../shared/rel-path';
import { makeTempWorkspace, type TempWorkspace, userGit } from '../testing/temp-workspace';
import { type Bench, openBench } from './engine-bench';
import { storeFolderOf } from './shadow-repo';
import { refOf } from './task-ref';

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

const gitDir = (): string => path.join(storeFolderOf(w.checkpointsFolder, w.root), '.git');
const git = (...args: string[]): string => userGit(w.root, `--git-dir=${gitDir()}`, ...args).trim();
const tip = (): string => git('rev-parse', refOf(b.trailers.taskId));
const changed = async (from: string, to: string): Promise<string[]> =>
  (await b.engine.changes(from as never, to as never, b.cancel)).map((c) => `${c.kind} ${c.path}`);

describe('moving a ref without git', () => {
  it('leaves what git itself would: the ref, HEAD, and no lock', async () => {
    w.put('a.txt', 'one');
    await b.capture();
    w.put('a.txt', 'two');
    const two = await b.capture();
    expect([tip(), git('rev-parse', 'HEAD')]).toEqual([two, two]);
    expect(fs.readdirSync(gitDir()).filter((n) => n.endsWith('.lock'))).toEqual([]);
    expect(git('fsck', '--full', '--no-dangling')).toBe('');
  });

  it('leaves it to git where the ref has no file of its own', async () => {
    w.put('a.txt', 'one');
    const one = await b.capture();
    git('pack-refs', '--all');
    w.put('a.txt', 'two');
    const two = await b.capture();
    expect(tip()).toBe(two);
    expect(git('rev-parse', `${two}^`)).toBe(one);
  });

  it('moves nothing while another process holds the ref', async () => {
    w.put('a.txt', 'one');
    const one = await b.capture();
    w.put('a.txt', 'two');
    const lock = path.join(gitDir(), `${refOf(b.trailers.taskId)}.lock`);
    const saving = b.held(async (h) => {
      fs.writeFileSync(lock, '');
      return h.capture({ ...b.cancel, trailers: b.trailers });
    });
    await expect(saving).rejects.toMatchObject({ code: 'git-failed' });
    expect([tip(), git('rev-parse', 'HEAD')]).toEqual([one, one]);
    expect(fs.existsSync(lock)).toBe(true);
  });
});

describe('looking at few files without git', () => {
  it('sees that a folder became a link to the place where its files are now', async () => {
    w.put('d/a.txt', 'one');
    const one = await b.capture();
    fs.renameSync(path.join(w.root, 'd'), path.join(w.root, 'e'));
    fs.symlinkSync('e', path.join(w.root, 'd'));
    expect(await changed(one, await b.capture())).toEqual(['added d', 'deleted d/a.txt', 'added e/a.txt']);
  });

  it('sees a change that keeps size and time of the content', async () => {
    w.put('a.txt', 'one');
    const old = new Date(2020, 1, 1);
    fs.utimesSync(path.join(w.root, 'a.txt'), old, old);
    const one = await b.capture();
    w.put('a.txt', 'two');
    fs.utimesSync(path.join(w.root, 'a.txt'), old, old);
    expect(await changed(one, await b.capture())).toEqual(['modified a.txt']);
  });
});

describe('not asking the rules twice', () => {
  it('asks again when a name becomes a folder, and when the rules change', async () => {
    w.put('.gitignore', 'only-folder/\n');
    w.put('only-folder', 'a file');
    w.put('x/late.txt', 'x');
    const one = await b.capture();
    w.remove('only-folder');
    w.put('only-folder/in.txt', 'ignored');
    const two = await b.capture();
    expect(await changed(one, two)).toEqual(['deleted only-folder']);
    w.put('.gitignore', '');
    expect(await changed(two, await b.capture())).toEqual([
      'modified .gitignore',
      'added only-folder/in.txt',
    ]);
  });
});

describe('the snapshot after a restore', () => {
  it('holds what the restore made; an edit made meanwhile is found by the next one at the latest', async () => {
    w.put('a.txt', 'one');
    w.put('other.txt', 'x');
    const one = await b.capture();
    w.put('a.txt', 'two');
    const two = await b.capture();
    const plan = await b.plan(one, [{ before: one, after: two, only: null }]);
    const after = await b.held(async (h) => {
      const redo = await h.capture({ ...b.cancel, trailers: b.trailers });
      w.put('other.txt', 'by hand');
      const receipt = await h.apply(plan, { ...b.cancel, redo: redo.id, note: '', trailers: b.trailers });
      await h.acknowledge();
      return receipt.after;
    });
    expect(await changed(two, after)).toContain('modified a.txt');
    expect(w.text('other.txt')).toBe('by hand');
    const next = await b.capture();
    expect(await changed(two, next)).toEqual(['modified a.txt', 'modified other.txt']);
    const body = await b.engine.read(next, rel('other.txt'), b.cancel);
    expect(Buffer.from(body ?? []).toString()).toBe('by hand');
  });
});
