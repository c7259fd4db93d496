// Known faults of odd names, modes, links, attributes and places. Each through the task layer, with real tools and git.
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { benchOf, type FaultBench, openFault } from '../testing/fault-bench';
import { openHarness } from './task-harness';

const open: FaultBench[] = [];
const fault: typeof openFault = async (...args) => {
  const b = await openFault(...args);
  open.push(b);
  return b;
};
afterEach(async () => {
  for (const b of open.splice(0).reverse()) await b.close();
});

const bits = (b: FaultBench, name: string): string =>
  (fs.lstatSync(path.join(b.h.folder, name)).mode & 0o777).toString(8);
const skipped = (b: FaultBench): Map<string, string> =>
  new Map(b.points()[0]?.skipped.map((s) => [s.path, s.why]));

test('fault 15: names outside ASCII are shown as they are, and come back', async () => {
  const names = ['公共函数.cpp', 'naïve café.md', 'emoji 🎈.txt', 'two  spaces.txt'];
  const b = await fault(Object.fromEntries(names.map((n) => [n, 'old\n'])));
  const before = b.tree();
  await b.run(names.map((n) => `replace "old" with "new" in "${n}"`).join('\n'));
  expect(names.map((n) => b.text(n))).toEqual(names.map(() => 'new\n'));
  expect((await b.changes(b.cp(0))).sort()).toEqual(names.map((n) => `modified ${n}`).sort());
  expect((await b.plan(b.cp(0))).files.map((f) => f.path).sort()).toEqual([...names].sort());
  await b.restore(b.cp(0));
  expect(b.tree()).toEqual(before);
  expect(await b.changes(b.cp(0))).toEqual([]);
});

test('fault 24: files that git was never told of have all their versions', async () => {
  const b = await fault({}, {});
  b.sh('git init -q');
  await b.run('create new.ts with "v1"');
  await b.run('replace "v1" with "v2" in new.ts');
  await b.run('run `rm new.ts`');
  expect(await b.changes(b.cp(0), b.cp(1))).toEqual(['added new.ts']);
  await b.restore(b.cp(1));
  expect(b.text('new.ts')).toBe('v1');
  await b.restore(b.cp(2));
  expect(b.text('new.ts')).toBe('v2');
});

test('fault 25: a run has all that it wrote, however slowly, and the next one none of it', async () => {
  const b = await fault();
  await b.run('run `for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo $i > f$i.txt; sleep 0.02; done`');
  await b.run('hello');
  expect(await b.changes(b.cp(0), b.cp(1))).toHaveLength(12);
  expect(await b.changes(b.cp(1))).toEqual([]);
  expect(b.points().filter((r) => r.runId === b.task.view().runs[1]?.runId && r.kind === 'turn')).toEqual([]);
});

test('fault 26: an edit keeps the mode; a restore brings modes and empty folders back', async () => {
  const b = await fault({ 'run.sh': '#!/bin/sh\necho 1\n', 'private.dat': 'secret\n' });
  fs.chmodSync(path.join(b.h.folder, 'run.sh'), 0o755);
  fs.chmodSync(path.join(b.h.folder, 'private.dat'), 0o600);
  fs.mkdirSync(path.join(b.h.folder, 'keep/empty'), { recursive: true });
  const before = b.tree();
  await b.run('replace "echo 1" with "echo 2" in run.sh');
  expect(bits(b, 'run.sh')).toBe('755');
  await b.run('run `chmod 644 run.sh; rm private.dat; echo x > private.dat; rm -r keep`');
  expect([bits(b, 'run.sh'), bits(b, 'private.dat')]).toEqual(['644', '644']);
  const changed = b.tree();
  const { redoId } = await b.restore(b.cp(0));
  expect(b.tree()).toEqual(before);
  await b.restore(redoId);
  expect(b.tree()).toEqual(changed);
});

test('fault 27: an edit by way of a link changes the real file; a restore takes it back, the link stays', async () => {
  const b = await fault({ 'real.md': 'old\n' });
  const link = (to: string, name: string): void => fs.symlinkSync(to, path.join(b.h.folder, name));
  link('real.md', 'link.md');
  link('nowhere', 'dangling');
  link('loop', 'loop');
  const before = b.tree();
  await b.run('replace "old" with "new" in link.md');
  expect(b.text('real.md')).toBe('new\n');
  expect(fs.readlinkSync(path.join(b.h.folder, 'link.md'))).toBe('real.md');
  for (const name of ['dangling', 'loop']) {
    await b.run(`replace "old" with "new" in ${name}`);
    const tool = b.task.view().rows.findLast((r) => r.type === 'tool' && r.tool === 'replace_text');
    expect(tool).toMatchObject({ state: 'error' });
  }
  await b.restore(b.cp(0));
  expect(b.tree()).toEqual(before);
});

test('fault 32: a file of Git LFS is left alone and named, and a missing filter stops nothing', async () => {
  const b = await fault({ '.gitattributes': '*.model filter=lfs -text\n', readme: 'old\n', 'a.model': 'x' });
  b.sh('git init -q && git config filter.lfs.required true && git config filter.lfs.clean no-such-program');
  await b.run('replace "old" with "new" in readme\nrun `echo other > a.model`');
  expect(skipped(b).get('a.model')).toBe('Git LFS manages it');
  await b.restore(b.cp(0));
  expect([b.text('readme'), b.text('a.model')]).toEqual(['old\n', 'other\n']);
});

test('fault 33: a rename that changes only letter case: one file, rightly spelt, at each step', async () => {
  const b = await fault({ 'Readme.md': 'text\n' });
  await b.run('run `mv Readme.md README.md`');
  const names = (): string[] => fs.readdirSync(b.h.folder);
  const { redoId } = await b.restore(b.cp(0));
  expect([names(), b.text('Readme.md')]).toEqual([['Readme.md'], 'text\n']);
  await b.restore(redoId);
  expect([names(), b.text('README.md')]).toEqual([['README.md'], 'text\n']);
});

test('fault 35: a project that a command removed comes back, also into a folder made anew', async () => {
  const b = await fault({ 'a.ts': 'a\n', 'src/b.ts': 'b\n', '.editorconfig': 'x\n' });
  const before = b.tree();
  await b.run('replace "a" with "A" in a.ts\nreplace "b" with "B" in src/b.ts');
  await b.run('run `rm -rf a.ts src .editorconfig`');
  expect(b.tree().size).toBe(0);
  await b.h.service.close();
  await b.h.checkpoints.close();
  fs.rmdirSync(b.h.folder);
  fs.mkdirSync(b.h.folder);
  const h = await openHarness({ at: b.h });
  const again = benchOf(h, await h.openTask(b.task.id));
  open.push(again);
  await again.restore(again.cp(0));
  expect(again.tree()).toEqual(before);
});

test('fault list H: a folder with an ignored file in place of a file: nothing ignored is deleted', async () => {
  const b = await fault({ '.gitignore': '*.log\n', thing: 'a file\n' });
  await b.run('run `rm thing; mkdir thing; echo x > thing/kept.log; echo y > thing/other.txt`');
  const { notCovered } = await b.restore(b.cp(0));
  expect(b.text('thing/kept.log')).toBe('x\n');
  expect(notCovered.map((n) => n.path)).toEqual(['thing']);
});

test('fault list H: names of other systems, the longest name, a name with a newline', async () => {
  const names = ['CON', 'aux.txt', 'nul', 'dot.', 'space ', 'new\nline', 'n'.repeat(255)];
  const b = await fault(Object.fromEntries(names.map((n) => [n, 'old\n'])));
  const before = b.tree();
  await b.run('run `for f in *; do echo new > "$f"; done; rm -f nul`');
  expect(b.text('CON')).toBe('new\n');
  await b.restore(b.cp(0));
  expect(b.tree()).toEqual(before);
});

test('fault list H: a pipe, a socket and a device are named, left alone and hold nothing up', async () => {
  const b = await fault({ 'a.txt': 'old\n' });
  b.sh('mkfifo pipe');
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(path.join(b.h.folder, 'socket'), resolve));
  await b.run('replace "old" with "new" in a.txt');
  expect([...skipped(b).keys()].sort()).toEqual(['pipe', 'socket']);
  await b.restore(b.cp(0), { whole: true });
  expect([b.text('a.txt'), b.has('pipe'), b.has('socket')]).toEqual(['old\n', true, true]);
  await new Promise((resolve) => server.close(resolve));
});

test('fault list H: an edit of equal length in the same second, and under a clock set back', async () => {
  const b = await fault({ 'a.txt': 'one\n', 'b.txt': 'one\n' });
  const at = (n: string): string => path.join(b.h.folder, n);
  const hourAgo = new Date(Date.now() - 3_600_000);
  const times = fs.statSync(at('b.txt'));
  await b.run('replace "one" with "two" in a.txt');
  for (const text of ['six\n', 'ten\n']) {
    fs.writeFileSync(at('a.txt'), text);
    fs.writeFileSync(at('b.txt'), text);
    fs.utimesSync(at('a.txt'), hourAgo, hourAgo);
    fs.utimesSync(at('b.txt'), times.atime, times.mtime);
    await b.run('hello');
  }
  await b.run('run `echo end > c.txt`');
  fs.writeFileSync(at('a.txt'), 'bad\n');
  fs.writeFileSync(at('b.txt'), 'bad\n');
  await b.restore(b.before(4), { whole: true, conflicts: 'checkpoint' });
  expect([b.text('a.txt'), b.text('b.txt')]).toEqual(['ten\n', 'ten\n']);
});

test('fault list H: the folder is renamed while it is open: said so, and nothing is made in its place', async () => {
  const b = await fault({ 'a.txt': 'one\n' });
  await b.run('replace "one" with "two" in a.txt');
  const away = `${b.h.folder} moved`;
  fs.renameSync(b.h.folder, away);
  const target = b.cp(0);
  await expect(b.restore(target)).rejects.toMatchObject({ code: 'workspace-missing' });
  await expect(b.plan(target)).rejects.toMatchObject({ code: 'workspace-missing' });
  expect(fs.existsSync(b.h.folder)).toBe(false);
  expect(fs.readFileSync(path.join(away, 'a.txt'), 'utf8')).toBe('two\n');
});
