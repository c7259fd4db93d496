// What is copied from the project's own repository is exactly what would have been written.
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SnapshotId } from '../../shared/ids';
import {
  makeTempWorkspace,
  repositoryPrint,
  type TempWorkspace,
  userGit,
  workTreeOf,
} from '../testing/temp-workspace';
import { openBench } from './engine-bench';
import { storeFolderOf } from './shadow-repo';

/** More than the engine thinks worth lending. */
const MANY = 400;
let w: TempWorkspace;
beforeEach(() => {
  w = makeTempWorkspace();
});
afterEach(() => w.dispose());

const gitDir = (): string => path.join(storeFolderOf(w.checkpointsFolder, w.root), '.git');
const git = (...args: string[]): string => userGit(w.outside, `--git-dir=${gitDir()}`, ...args);
const textOf = (i: number): string => `file ${i}\n${'some words of it\n'.repeat(i % 90)}`;

function makeProject(): void {
  for (let i = 0; i < MANY; i++) w.put(`lib/${i % 7}/f${i}.txt`, textOf(i));
  w.git('init', '-q');
  w.git('add', '-A');
  w.git('commit', '-qm', 'x');
}

type Captured = { readonly id: SnapshotId; readonly packs: number; readonly tree: string };

/** Captures in a fresh store and returns what the snapshot holds, and of how many packs the store is made. */
async function captured(of: TempWorkspace = w): Promise<Captured> {
  const b = openBench(of);
  const store = path.join(storeFolderOf(of.checkpointsFolder, of.root), '.git');
  try {
    const id = await b.capture();
    const packs = fs.readdirSync(path.join(store, 'objects', 'pack')).filter((f) => f.endsWith('.idx'));
    const tree = userGit(of.outside, `--git-dir=${store}`, 'ls-tree', '-r', id, 'lib');
    return { id, packs: packs.length, tree };
  } finally {
    await b.close();
  }
}

/** The same workspace without a repository: every content is deflated here. */
async function capturedWithoutLending(): Promise<Captured> {
  const own = makeTempWorkspace();
  try {
    fs.cpSync(path.join(w.root, 'lib'), path.join(own.root, 'lib'), { recursive: true });
    return await captured(own);
  } finally {
    own.dispose();
  }
}

describe('a first snapshot of a project with a repository', () => {
  it.each(['loose objects', 'one pack', 'packs and loose objects'])(
    'copies what is there: %s',
    async (how) => {
      makeProject();
      if (how !== 'loose objects') w.git('repack', '-adq');
      if (how === 'packs and loose objects') {
        for (let i = 0; i < 30; i++) w.put(`lib/0/f${i * 7}.txt`, `newer ${i}`);
        w.git('add', '-A');
      }
      w.put('lib/1/f1.txt', 'changed by hand, so not in the repository');
      w.put('lib/new.txt', 'never added');
      const before = repositoryPrint(w.root);
      const { packs, tree } = await captured();
      expect(repositoryPrint(w.root)).toBe(before);
      expect(packs).toBeGreaterThan(1); // one of copies, one of our own
      expect(tree).toBe((await capturedWithoutLending()).tree);
      git('fsck', '--full', '--strict', '--no-dangling');
    },
  );

  it('needs the repository no more: it may go, and everything can be brought back', async () => {
    makeProject();
    w.git('repack', '-adq');
    const b = openBench(w);
    const id = await b.capture();
    const before = workTreeOf(w.root);
    fs.rmSync(path.join(w.root, '.git'), { recursive: true });
    fs.rmSync(path.join(w.root, 'lib'), { recursive: true });
    const gone = await b.capture();
    await b.restore(id, [{ before: id, after: gone, only: null }]);
    await b.close();
    expect(workTreeOf(w.root)).toEqual(before);
  });

  it('takes the bytes on disk where git has converted them (line endings, ident, a filter of equal length)', async () => {
    for (let i = 0; i < MANY; i++) w.put(`lib/f${i}.txt`, `${textOf(i)}abc\r\n`);
    w.put('lib/id.txt', '$Id$\n');
    w.put('.gitattributes', '*.txt text=auto\nlib/id.txt ident\nlib/f9.txt filter=turn\n');
    w.git('init', '-q');
    w.git('config', 'filter.turn.clean', 'tr abc bca');
    w.git('config', 'core.autocrlf', 'true');
    w.git('add', '-A');
    w.git('commit', '-qm', 'x');
    w.git('checkout', '-q', '-f', 'HEAD');
    const { id, tree } = await captured();
    expect(tree).toBe((await capturedWithoutLending()).tree);
    expect(git('show', `${id}:lib/f9.txt`)).toBe(fs.readFileSync(path.join(w.root, 'lib/f9.txt'), 'utf8'));
  });

  it('copies no secret, although the project tracks it', async () => {
    makeProject();
    w.put('.env', 'TOKEN=of-the-project');
    w.git('add', '-f', '.env');
    w.git('repack', '-adq');
    await captured();
    expect(git('cat-file', '--batch-all-objects', '--batch')).not.toContain('of-the-project');
  });

  it('reads the files where the repository is damaged', async () => {
    makeProject();
    w.git('repack', '-adq');
    const packs = path.join(w.root, '.git/objects/pack');
    const pack = path.join(packs, fs.readdirSync(packs).find((f) => f.endsWith('.pack')) ?? '');
    const whole = fs.readFileSync(pack);
    fs.chmodSync(pack, 0o600);
    // damaged where its checksum does not tell
    fs.writeFileSync(pack, Buffer.from(whole).fill(0x55, whole.length >> 1, (whole.length >> 1) + 400));
    const { tree } = await captured();
    expect(tree).toBe((await capturedWithoutLending()).tree);
    git('fsck', '--full', '--strict', '--no-dangling');
  });

  it('asks nothing of a clone that leaves objects at its origin', async () => {
    makeProject();
    w.git('repack', '-adq');
    const packs = path.join(w.root, '.git/objects/pack');
    const pack = fs.readdirSync(packs).find((f) => f.endsWith('.pack')) ?? '';
    fs.writeFileSync(path.join(packs, pack.replace('.pack', '.promisor')), '');
    const { packs: made, tree } = await captured();
    const plain = await capturedWithoutLending();
    expect({ made, tree }).toEqual({ made: plain.packs, tree: plain.tree });
  });
});
