// SIGKILL at moments spread over all that a run and a restore change on disk, in the real command line: no file lost,
// none half written, no repository touched, and the store of use each time. TIDEMARK_TEST_KILLS says how often.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { repositoryPrint, userGit, workTreeOf } from '../testing/temp-workspace';
import { type Bench, openBench, PRACTICE } from './cli-harness';

const KILLS = Number(process.env.TIDEMARK_TEST_KILLS ?? 60);
const HALF = Math.ceil(KILLS / 2);
const PRELOAD = path.resolve(import.meta.dirname, '../testing/kill-before.cjs');
const LIMIT = { timeout: 60_000 + KILLS * 10_000 };
type Tree = Map<string, string>;

let bench: Bench;
beforeEach(async () => {
  bench = await openBench({
    'a.txt': 'one\n',
    'big.txt': 'line of a large file\n'.repeat(20_000),
    'gone/deep/file.txt': 'was here\n',
    swap: 'a file\n',
    'lib/main.go': 'old\n',
    '.gitignore': '*.log\n',
    'other/x.log': 'ignored\n',
  });
  fs.chmodSync(path.join(bench.folder, 'big.txt'), 0o600);
  fs.mkdirSync(path.join(bench.folder, 'empty'));
  for (const folder of [bench.folder, path.join(bench.folder, 'lib')]) userGit(folder, 'init', '-q');
});
afterEach(() => bench.close());

const CHANGE =
  'replace "one" with "ONE" in a.txt\ncreate new/made.txt with "made"\nreplace "old" with "new" in lib/main.go\nrun `sed -i s/large/LARGE/ big.txt; rm -r gone empty swap; mkdir swap; echo in > swap/inside.txt`';
const change = ['run', CHANGE, ...PRACTICE];

const tree = (): Tree => workTreeOf(bench.folder);
/** Without what a write begins with: a file beside the real one, which a kill leaves until the next start. */
const justKilled = (): Tree => new Map([...tree()].filter(([p]) => !p.endsWith('.tidemark-tmp')));
const prints = (): string[] => ['', 'lib'].map((n) => repositoryPrint(path.join(bench.folder, n)));

/** How many changes on disk a command makes. */
async function countOf(args: readonly string[]): Promise<number> {
  const report = path.join(bench.temp, 'count');
  const env = { NODE_OPTIONS: `--require ${PRELOAD}`, TIDEMARK_TEST_COUNT: report };
  expect((await bench.tidemark(args, { env: { ...env, TIDEMARK_TEST_KILL_BEFORE: '0' } })).code).toBe(0);
  return Number(fs.readFileSync(report, 'utf8'));
}

/** Runs a command that is killed before its n-th change. False when it came to its end before that. */
async function kill(args: readonly string[], n: number): Promise<boolean> {
  const env = { NODE_OPTIONS: `--require ${PRELOAD}`, TIDEMARK_TEST_KILL_BEFORE: `${n}` };
  const { child, done } = bench.start(args, { env });
  await done;
  return child.signalCode === 'SIGKILL';
}

function keep(): () => void {
  const kept = path.join(bench.temp, 'kept');
  fs.mkdirSync(kept);
  execFileSync('cp', ['-a', bench.home, bench.folder, kept]);
  return () => {
    for (const place of [bench.home, bench.folder]) {
      fs.rmSync(place, { recursive: true, force: true });
      execFileSync('cp', ['-a', path.join(kept, path.basename(place)), place]);
    }
  };
}

/** Every file is one of the two whole ones, or rightly absent; folders come and go with them. */
function expectWholeFiles(now: Tree, one: Tree, other: Tree, what: string): void {
  for (const p of new Set([...now.keys(), ...one.keys(), ...other.keys()])) {
    const states = [one.get(p), other.get(p)];
    const is = now.get(p);
    if (is?.startsWith('folder') === true) continue;
    // a file where the other state has a folder may be neither for a moment
    if (is === undefined && states.some((s) => s?.startsWith('folder'))) continue;
    if (states.every((s) => s?.startsWith('file'))) expect(states, `${what}: ${p}`).toContain(is);
    else expect([...states, undefined], `${what}: ${p}`).toContain(is);
  }
}

function expectSoundStore(): void {
  const folder = path.join(bench.home, 'checkpoints');
  for (const store of fs.readdirSync(folder)) {
    execFileSync('git', ['--git-dir', path.join(folder, store, '.git'), 'fsck', '--full', '--no-dangling'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    expect(store).toMatch(/^[0-9a-f]{32}$/);
  }
}

const moments = (total: number): number[] =>
  Array.from({ length: HALF }, (_, i) => Math.max(1, Math.round(((i + 0.5) * total) / HALF)));

test(
  'fault 14, fault 37: killed while it restores: whole files; the next start ends with all old or all new',
  LIMIT,
  async () => {
    const before = tree();
    const run = await bench.result(change);
    const after = tree();
    const repositories = prints();
    const back = ['rewind', run.checkpoints[0] ?? '', '--all', '--yes'];
    const again = ['rewind', run.checkpoints[0] ?? '', '--files', '--yes'];
    const reset = keep();
    const total = await countOf(back);
    expect(total).toBeGreaterThan(30);
    for (const [i, n] of moments(total).entries()) {
      reset();
      const what = `killed before change ${n} of ${total}`;
      expect(await kill(back, n), what).toBe(true);
      expectWholeFiles(justKilled(), before, after, what);
      expect(prints(), what).toEqual(repositories);
      const { redoId } = (await bench.json(again)) as unknown as { redoId: string };
      expect(tree(), what).toEqual(before);
      if (i % 10 !== 0) continue;
      expectSoundStore();
      await bench.json(['rewind', redoId, '--yes']);
      expect([before, after], what).toContainEqual(tree());
    }
  },
);

test(
  'fault 2, fault 37, fault 79: killed while it runs and saves: nothing lost, and the next run saves and restores',
  LIMIT,
  async () => {
    await bench.result(['run', 'create first.txt with "first"', ...PRACTICE]);
    const before = tree();
    const reset = keep();
    const repositories = prints();
    const total = await countOf(change);
    const after = tree();
    expect(total).toBeGreaterThan(30);
    for (const [i, n] of moments(total).entries()) {
      reset();
      const what = `killed before change ${n} of ${total}`;
      // a run takes not the same steps each time; one that is through early was not killed
      const killed = await kill(change, n);
      const left = justKilled();
      if (killed) expectWholeFiles(left, before, after, what);
      const next = await bench.result(['run', 'create z.txt with "z"', ...PRACTICE]);
      await bench.json(['rewind', next.checkpoints[0] ?? '', '--files', '--yes']);
      expect(tree(), what).toEqual(left);
      expect(prints(), what).toEqual(repositories);
      // and what the killed run had done can be taken back as far as it had saved
      const { checkpoints } = (await bench.json(['checkpoints'])) as unknown as {
        checkpoints: { id: string; taskId: string; kind: string; snapshotId: string | null }[];
      };
      const initial = checkpoints.filter((c) => c.kind === 'initial' && c.snapshotId !== null)[1];
      if (initial !== undefined && initial.id !== next.checkpoints[0]) {
        await bench.json(['rewind', initial.id, '--files', '--yes']);
        expect(tree(), what).toEqual(before);
      } else expect(left, `${what}: nothing was saved, so nothing was written`).toEqual(before);
      if (i % 10 === 0) expectSoundStore();
    }
  },
);
