import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RelPath } from '../../shared/rel-path';
import { makeTempWorkspace, type TempWorkspace } from '../testing/temp-workspace';
import { isProof } from './git-index';
import { openFileLook, type Proof, proofInIndex, proofOf } from './stat-proof';
import { workPaths } from './work-file';

let w: TempWorkspace;
beforeEach(() => {
  w = makeTempWorkspace();
});
afterEach(() => w.dispose());

const names = ['a.txt', 'lib/b.txt', 'lib/deep/c.txt'] as RelPath[];
const stat = (p: string): fs.BigIntStats => fs.lstatSync(path.join(w.root, p), { bigint: true });
/** Times long past cannot be given to ctime, so the test's own clock is put forward instead. */
function later<T>(ms: number, work: () => T): T {
  const real = Date.now;
  Date.now = () => real() + ms;
  try {
    return work();
  } finally {
    Date.now = real;
  }
}
function proofs(): Map<RelPath, Proof> {
  return later(5_000, () => new Map(names.map((p) => [p, proofOf(stat(p))])));
}

describe('a proof by stat', () => {
  it('is none within a tick, enough for us after it, and for git after its second', () => {
    w.put('a.txt', 'x');
    const s = stat('a.txt');
    const atMs = Number(s.ctimeNs / 1_000_000n);
    const at = (ms: number): Proof => later(atMs + ms - Date.now(), () => proofOf(s));
    expect(at(10).exact).toBe(null);
    expect(isProof(at(10).stat)).toBe(false);
    const untilSecond = 1000 - (atMs % 1000);
    if (untilSecond > 200) {
      expect(at(150).exact).not.toBe(null);
      expect(isProof(at(150).stat)).toBe(false);
    }
    expect(isProof(at(untilSecond + 1100).stat)).toBe(true);
    expect(proofInIndex(at(10).stat).exact).toBe(null);
    expect(proofInIndex(at(3000).stat).exact).not.toBe(null);
  });
});

describe('a look at known files', () => {
  beforeEach(() => {
    for (const p of names) w.put(p, `text of ${p}`);
  });

  it('finds nothing where nothing happened, again and again', () => {
    const look = openFileLook(workPaths(w.root));
    const files = proofs();
    for (let i = 0; i < 3; i++) expect(look.differing(files)).toEqual([]);
  });

  it('finds a content of the same size whose time was put back, other bits, a new inode', () => {
    const files = proofs();
    const look = openFileLook(workPaths(w.root));
    const { atime, mtime } = fs.statSync(path.join(w.root, 'a.txt'));
    fs.writeFileSync(path.join(w.root, 'a.txt'), 'text of A.txt');
    fs.utimesSync(path.join(w.root, 'a.txt'), atime, mtime);
    expect(look.differing(files)).toEqual(['a.txt']);
    fs.chmodSync(path.join(w.root, 'lib/b.txt'), 0o600);
    expect(look.differing(files)).toEqual(['a.txt', 'lib/b.txt']);
    fs.cpSync(path.join(w.root, 'lib/deep/c.txt'), path.join(w.root, 'copy'), { preserveTimestamps: true });
    fs.renameSync(path.join(w.root, 'copy'), path.join(w.root, 'lib/deep/c.txt'));
    expect(look.differing(files)).toEqual(names);
    expect(look.differing(proofs())).toEqual([]);
  });

  it('finds what is gone, and what lies beyond a link although it is the same file', () => {
    const files = proofs();
    const look = openFileLook(workPaths(w.root));
    fs.renameSync(path.join(w.root, 'lib'), path.join(w.outside, 'lib'));
    expect(look.differing(files)).toEqual(['lib/b.txt', 'lib/deep/c.txt']);
    fs.symlinkSync(path.join(w.outside, 'lib'), path.join(w.root, 'lib'));
    expect(look.differing(files)).toEqual(['lib/b.txt', 'lib/deep/c.txt']);
    expect(look.differing(new Map([...files].slice(0, 1)))).toEqual([]);
  });

  it('finds every file without a proof', () => {
    const files = new Map([...proofs()].map(([p, proof]) => [p, { ...proof, exact: null }]));
    expect(openFileLook(workPaths(w.root)).differing(files)).toEqual(names);
  });
});
