import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { relPathFromText } from '../../shared/rel-path';
import {
  makeTempWorkspace,
  repositoryPrint,
  type TempWorkspace,
  workTreeOf,
} from '../testing/temp-workspace';
import { type Bench, openBench } from './engine-bench';

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

const rel = relPathFromText;

describe('capture and read', () => {
  it('keeps bytes, links, permission bits and empty folders', async () => {
    w.put('a.txt', 'one\r\ntwo');
    w.put('private.dat', 'p', 0o600);
    w.put('run.sh', 'echo', 0o755);
    fs.mkdirSync(path.join(w.root, 'keep/empty'), { recursive: true });
    fs.symlinkSync('a.txt', path.join(w.root, 'link'));
    const before = workTreeOf(w.root);
    const one = await b.capture();
    w.put('a.txt', 'changed');
    fs.chmodSync(path.join(w.root, 'run.sh'), 0o644);
    fs.chmodSync(path.join(w.root, 'private.dat'), 0o644);
    w.remove('keep');
    w.remove('link');
    const two = await b.capture();
    const changes = await b.engine.changes(one, two, b.cancel);
    expect(changes.map((c) => `${c.kind} ${c.path}`)).toEqual([
      'modified a.txt',
      'deleted keep/empty',
      'deleted link',
      'mode private.dat',
      'mode run.sh',
    ]);
    await b.restore(one, [{ before: one, after: two, only: null }]);
    expect(workTreeOf(w.root)).toEqual(before);
  });

  it('reuses the snapshot when nothing changed', async () => {
    w.put('a.txt', 'one');
    const one = await b.capture();
    expect(await b.capture()).toBe(one);
  });

  it('sees a file that was put back to what the index holds', async () => {
    w.put('a.txt', 'one');
    const one = await b.capture();
    w.put('a.txt', 'two');
    const two = await b.capture();
    w.put('a.txt', 'one');
    const three = await b.capture();
    expect(Buffer.from((await b.engine.read(three, rel('a.txt'), b.cancel)) ?? []).toString()).toBe('one');
    expect(await b.engine.changes(one, three, b.cancel)).toEqual([]);
    expect((await b.engine.changes(two, three, b.cancel)).map((c) => c.kind)).toEqual(['modified']);
  });

  it('catches edits of the same size in the same moment', async () => {
    const seen: string[] = [];
    for (let i = 0; i < 20; i++) {
      w.put('a.txt', `v${i % 10}`);
      const id = await b.capture();
      seen.push(Buffer.from((await b.engine.read(id, rel('a.txt'), b.cancel)) ?? []).toString());
    }
    expect(seen).toEqual(Array.from({ length: 20 }, (_, i) => `v${i % 10}`));
  });
});

describe('restore and redo', () => {
  it('brings files back, removes new ones with their folders, and redoes it exactly (fault 5, fault 13)', async () => {
    w.put('a.txt', 'one');
    w.put('sub/b.txt', 'b');
    const one = await b.capture();
    w.put('a.txt', 'two');
    w.remove('sub');
    w.put('deep/er/new.txt', 'n');
    const two = await b.capture();
    const before = workTreeOf(w.root);
    const { receipt } = await b.restore(one, [{ before: one, after: two, only: null }]);
    expect(w.text('a.txt')).toBe('one');
    expect(w.text('sub/b.txt')).toBe('b');
    expect(w.has('deep')).toBe(false);
    await b.restore(receipt.redo, [{ before: receipt.redo, after: receipt.after, only: null }]);
    expect(workTreeOf(w.root)).toEqual(before);
  });

  it('leaves the user repository byte for byte alone (fault 44)', async () => {
    w.git('init', '-q');
    w.put('a.txt', 'one\n');
    w.put('.gitignore', '*.log\n');
    w.git('add', '-A');
    w.git('commit', '-qm', 'x');
    w.put('staged.txt', 's\n');
    w.git('add', 'staged.txt');
    w.put('staged.txt', 's2\n');
    w.put('x.log', 'ignored');
    const print = repositoryPrint(w.root);
    const one = await b.capture();
    w.put('a.txt', 'two\n');
    w.put('new.txt', 'n');
    const two = await b.capture();
    await b.restore(one, [{ before: one, after: two, only: null }]);
    expect(w.text('a.txt')).toBe('one\n');
    expect(w.text('staged.txt')).toBe('s2\n');
    expect(w.text('x.log')).toBe('ignored');
    expect(repositoryPrint(w.root)).toBe(print);
  });
});
