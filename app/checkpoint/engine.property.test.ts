// The property that defines the product: after any edits, captures, crashes and restores, a restore makes the workspace
// equal to the checkpoint in bytes, modes, links and empty folders; redo brings everything back; every repository and
// what no snapshot covers stay as they are, down to the inode.
// TIDEMARK_TEST_RUNS and TIDEMARK_TEST_SEED choose how many histories and which; `npm run test:long` sets them anew each
// time, while `npm test` lives through the same ones, so that a change is judged by what it changes.
import fs from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, it, vi } from 'vitest';
import { live } from '../testing/history';
import { histories, longText } from '../testing/history-edits';
import { makeTempWorkspace, type TempWorkspace, userGit } from '../testing/temp-workspace';

const seed = Number(process.env.TIDEMARK_TEST_SEED ?? 20261130);
const options = {
  numRuns: Math.ceil(Number(process.env.TIDEMARK_TEST_RUNS ?? 201) / 3),
  endOnFailure: process.env.TIDEMARK_TEST_SHRINK === undefined,
  ...(process.env.TIDEMARK_TEST_PATH === undefined ? {} : { path: process.env.TIDEMARK_TEST_PATH }),
};

/** @param place keeps the places from living through the same histories */
const inAny = (place: number, prepare: (w: TempWorkspace) => void): Promise<void> =>
  fc.assert(
    fc.asyncProperty(histories, (steps) => live(makeTempWorkspace(), prepare, steps)),
    { ...options, seed: seed + place },
  );

function putFiles(w: TempWorkspace): void {
  w.put('.gitignore', '*.log\nign/\n');
  w.put('a', 'one\n');
  w.put('d/x', longText('line', 'line'));
  w.put('b', 'tracked\n');
  w.put('x.log', 'ignored');
  w.put('ign/kept.txt', 'ignored');
}

// A power loss is not among the crashes here, so nothing has to reach a disk: in memory it is several times as quick.
const IN_MEMORY = '/dev/shm';
beforeAll(() => {
  if (fs.existsSync(IN_MEMORY)) vi.stubEnv('TMPDIR', IN_MEMORY);
  vi.spyOn(fs, 'fsyncSync').mockImplementation(() => undefined);
});
afterAll(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

describe.concurrent('any history', () => {
  it('in a plain folder (fault 49)', { timeout: 600_000 }, () => inAny(0, putFiles));

  it(
    'in a git repository with staged, modified, untracked and ignored files (fault 10, fault 44, fault 46)',
    {
      timeout: 600_000,
    },
    () =>
      inAny(1, (w) => {
        w.git('init', '-q', '--template=');
        putFiles(w);
        w.git('add', '-A');
        w.git('commit', '-qm', 'x');
        w.put('b', 'staged\n');
        w.git('add', 'b');
        w.put('b', 'modified\n');
        w.put('sp ace/untracked', 'u');
      }),
  );

  it(
    'around nested repositories, one in another, with and without commits (fault 37, fault 38, fault 39)',
    {
      timeout: 600_000,
    },
    () =>
      inAny(2, (w) => {
        w.git('init', '-q', '--template=');
        putFiles(w);
        fs.mkdirSync(`${w.root}/lib/inner`, { recursive: true });
        const lib = (...args: string[]): unknown => userGit(`${w.root}/lib`, ...args);
        lib('init', '-q', '--template=');
        userGit(`${w.root}/lib/inner`, 'init', '-q', '--template=');
        w.put('lib/main.go', longText('line', 'line'));
        w.put('lib/inner/deep', 'one\n');
        lib('add', 'main.go');
        lib('commit', '-qm', 'x');
        // the outer repository holds the inner one as a link to its commit
        w.git('add', '-A');
        w.git('commit', '-qm', 'x');
      }),
  );
});
