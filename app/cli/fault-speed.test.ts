// Known faults of slow and many gits, of places that may not be written, and of folders that are no projects.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { userGit, workTreeOf } from '../testing/temp-workspace';
import { type Bench, openBench, PRACTICE } from './cli-harness';

const NOBODY = 65534;
let bench: Bench;
beforeEach(async () => {
  bench = await openBench({ 'a.txt': 'one\n' });
});
afterEach(() => bench.close());

const at = (...names: string[]): string => path.join(bench.folder, ...names);
const change = ['run', 'replace "one" with "two" in a.txt', ...PRACTICE];

/** A PATH on which git is a script; `real` in it stands for the real one. */
function gitThat(script: string): { PATH: string } {
  const bin = path.join(bench.temp, 'bin');
  const real = execFileSync('sh', ['-c', 'command -v git']).toString().trim();
  fs.mkdirSync(bin, { recursive: true });
  fs.writeFileSync(path.join(bin, 'git'), `#!/bin/sh\n${script.replaceAll('real', real)}\n`, { mode: 0o755 });
  return { PATH: `${bin}:${process.env.PATH}` };
}

test('fault 57: a slow git: the tool that writes waits for the checkpoint, which then has what was there', async () => {
  const env = gitThat('case "$*" in *--version*) ;; *) sleep 0.3 ;; esac\nexec real "$@"');
  const run = await bench.result(change, { env });
  expect(run.outcome).toBe('completed');
  expect(run.checkpoints.length).toBeGreaterThan(0);
  await bench.json(['rewind', run.checkpoints[0] ?? '', '--yes']);
  expect(fs.readFileSync(at('a.txt'), 'utf8')).toBe('one\n');
});

test('fault 60: many repositories in the folder start no more gits than none does', async () => {
  const log = path.join(bench.temp, 'gits');
  const env = gitThat(`echo + >> '${log}'\nreal "$@"\nstatus=$?\necho - >> '${log}'\nexit $status`);
  const gits = async (): Promise<{ started: number; atOnce: number }> => {
    fs.writeFileSync(log, '');
    await bench.result(['run', 'run `echo x >> log.md`', ...PRACTICE], { env });
    let [started, now, atOnce] = [0, 0, 0];
    for (const c of fs.readFileSync(log, 'utf8').trim().split('\n')) {
      now += c === '+' ? 1 : -1;
      if (c === '+') started += 1;
      atOnce = Math.max(atOnce, now);
    }
    return { started, atOnce };
  };
  await gits();
  const none = await gits();
  for (let i = 0; i < 12; i++) {
    fs.mkdirSync(at(`repo-${i}`));
    userGit(at(`repo-${i}`), 'init', '-q');
    fs.writeFileSync(at(`repo-${i}`, 'x.txt'), 'x');
  }
  await gits();
  const many = await gits();
  expect(many.started).toBeLessThanOrEqual(none.started + 2);
  expect(many.atOnce).toBeLessThanOrEqual(8);
});

test('fault 34: a folder that may not be written: which file, nothing half done; then it can be done', async () => {
  const home = path.join(bench.temp, 'nobody');
  fs.mkdirSync(home);
  fs.mkdirSync(at('d'));
  for (const n of ['d/x.txt', ...Array.from({ length: 10 }, (_, i) => `free-${i}.txt`)])
    fs.writeFileSync(at(n), 'old\n');
  execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, home, bench.folder]);
  const o = { uid: NOBODY, env: { HOME: home, TIDEMARK_HOME: path.join(home, 'tidemark') } };
  const before = workTreeOf(bench.folder);
  const run = await bench.result(
    ['run', 'run `for f in d/x.txt free-*.txt; do echo new > $f; done; rm d/x.txt`', ...PRACTICE],
    o,
  );
  const after = workTreeOf(bench.folder);
  fs.chmodSync(at('d'), 0o555);
  const back = ['rewind', run.checkpoints[0] ?? '', '--files', '--yes'];
  const failed = await bench.json(back, { ...o, code: 1 });
  expect(failed).toMatchObject({ error: { code: 'restore-failed', paths: ['d/x.txt'] } });
  fs.chmodSync(at('d'), 0o755);
  expect(workTreeOf(bench.folder)).toEqual(after);
  await bench.json(back, o);
  expect(workTreeOf(bench.folder)).toEqual(before);
});

test('fault 62: home by a link, its Desktop, Documents and Downloads: the agent works, the reason is said, no row', async () => {
  const home = path.join(bench.temp, 'user');
  for (const n of ['Desktop', 'Documents', 'Downloads'])
    fs.mkdirSync(path.join(home, n), { recursive: true });
  const link = path.join(bench.temp, 'link to home');
  fs.symlinkSync(home, link);
  for (const folder of [link, ...['Desktop', 'Documents', 'Downloads'].map((n) => path.join(home, n))]) {
    const run = await bench.result(['run', 'create b.txt with "b"', ...PRACTICE, '--workspace', folder]);
    expect(run, folder).toMatchObject({ outcome: 'completed', checkpoints: [] });
    const list = await bench.json(['checkpoints', '--workspace', folder]);
    expect(list.checkpoints, folder).toEqual([]);
    expect(JSON.stringify(await bench.json(['doctor', '--workspace', folder]))).toMatch(
      /Cannot use checkpoints in (home|Desktop|Documents|Downloads) directory/,
    );
  }
  expect(fs.existsSync(path.join(bench.home, 'checkpoints'))).toBe(false);
});
