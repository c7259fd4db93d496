// The formats that the engine writes itself, checked against git.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { crc32 as zlibCrc32 } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RelPath } from '../../shared/rel-path';
import { crc32 } from './crc32';
import { type IndexRow, rawStat, readIndex, sameStat, writeIndex } from './git-index';
import { writePack } from './objects';
import { objectId } from './pack';
import { formatRecord, parseRecord, type Record } from './record';
import {
  applyEdits,
  buildTree,
  diffTrees,
  EMPTY_TREE,
  formatTree,
  parseTree,
  type Tree,
  type TreeEntry,
} from './tree';

let folder = '';
const git = (...args: string[]): string =>
  execFileSync('git', ['--git-dir', folder, ...args], {
    encoding: 'latin1',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tidemark-formats-'));
  execFileSync('git', ['init', '-q', '--bare', folder]);
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

/** A name that git allows in a tree, as latin1 bytes. */
const name = fc
  .uint8Array({ minLength: 1, maxLength: 8 })
  .map((b) => Buffer.from(b).toString('latin1').replace(/[\0/]/g, 'x'))
  .filter((n) => !['.', '..', '.git'].includes(n.toLowerCase()));
const oid = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((b) => Buffer.from(b).toString('hex'));
const filePath = fc.array(name, { minLength: 1, maxLength: 3 }).map((p) => p.join('/') as RelPath);

/** Paths of which none is a folder of another one. */
const files = fc
  .dictionary(filePath, fc.record({ mode: fc.constantFrom('100644', '100755', '120000'), oid }), {
    maxKeys: 12,
  })
  .map((all) => {
    const paths = Object.keys(all).sort();
    const kept = paths.filter((p) => !paths.some((q) => q !== p && q.startsWith(`${p}/`)));
    return new Map(kept.map((p) => [p as RelPath, all[p] as TreeEntry]));
  });

describe('crc32', () => {
  it('is the one of zlib, over parts as over the whole', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), (a, b) => {
        expect(crc32(a, b)).toBe(zlibCrc32(Buffer.concat([a, b])));
      }),
    );
  });
});

describe('a pack', () => {
  it('is one that git accepts and reads back', async () => {
    const bodies = [
      '',
      'one',
      'x'.repeat(1024),
      'y'.repeat(1025),
      'abc'.repeat(3000),
      'x'.repeat(70_000),
      '\0\xff',
    ].map((s) => Buffer.from(s, 'latin1'));
    const objects = bodies.map((body) => ({ type: 'blob' as const, body, oid: objectId('blob', body) }));
    await writePack(path.join(folder, 'objects', 'pack'), objects);
    const [idx] = fs.readdirSync(path.join(folder, 'objects', 'pack')).filter((n) => n.endsWith('.idx'));
    git('verify-pack', path.join(folder, 'objects', 'pack', idx ?? ''));
    for (const o of objects) expect(git('cat-file', 'blob', o.oid)).toBe(o.body.toString('latin1'));
  });
});

describe('a tree', () => {
  it('reads back as it was written, in git’s order', () => {
    const tree: Tree = new Map([
      ['a', { mode: '40000', oid: '1'.repeat(40) }],
      ['a.b', { mode: '100644', oid: '2'.repeat(40) }],
      ['a0', { mode: '120000', oid: '3'.repeat(40) }],
    ]);
    expect([...parseTree(formatTree(tree)).keys()]).toEqual(['a.b', 'a', 'a0']);
    expect(new Map(parseTree(formatTree(tree)))).toEqual(new Map(tree));
  });

  it('after edits is the same as one built anew, and differs by just these', async () => {
    await fc.assert(
      fc.asyncProperty(files, files, async (one, two) => {
        const store = new Map<string, Tree>();
        const write = (t: Tree): string => {
          const id = objectId('tree', formatTree(t));
          store.set(id, t);
          return id;
        };
        const readTree = async (id: string): Promise<Tree> => store.get(id) ?? EMPTY_TREE;
        const [a, b] = [await buildTree(write, one), await buildTree(write, two)];
        const edits = new Map<RelPath, TreeEntry | null>();
        for (const p of one.keys()) if (!two.has(p)) edits.set(p, null);
        for (const [p, e] of two) edits.set(p, e);
        const edited = await applyEdits(readTree, write, a, edits);
        expect(objectId('tree', formatTree(edited))).toBe(objectId('tree', formatTree(b)));
        const changed = [...new Set([...one.keys(), ...two.keys()])].filter(
          (p) => one.get(p)?.oid !== two.get(p)?.oid || one.get(p)?.mode !== two.get(p)?.mode,
        );
        const found = await diffTrees({ root: a, readTree }, { root: b, readTree });
        expect(found.map((d) => d.path).sort()).toEqual(changed.sort());
      }),
      { numRuns: 200 },
    );
  });
});

describe('the index', () => {
  it('is one that git reads, and comes back with what was kept beside it', () => {
    fc.assert(
      fc.property(files, fc.string(), (all, extra) => {
        const file = path.join(folder, 'index');
        const stat = fs.statSync(folder, { bigint: true });
        const rows = new Map<RelPath, IndexRow>(
          [...all].map(([p, e]) => [p, { oid: e.oid, stat: rawStat(stat) }]),
        );
        const id = writeIndex(file, rows, extra);
        const back = readIndex(file);
        expect(back?.id).toBe(id);
        expect(back?.extra).toBe(extra);
        expect([...(back?.rows ?? [])].map(([p, r]) => [p, r.oid])).toEqual(
          [...rows].map(([p, r]) => [p, r.oid] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
        );
        for (const r of back?.rows.values() ?? []) expect(sameStat(r.stat, stat)).toBe(true);
        const listed = git('ls-files', '-s', '-z').split('\0').slice(0, -1);
        expect(listed.map((l) => l.slice(l.indexOf('\t') + 1)).sort()).toEqual([...rows.keys()].sort());
      }),
      { numRuns: 40 },
    );
  });

  it('that was cut or changed counts as none', () => {
    const file = path.join(folder, 'index');
    const stat = fs.statSync(folder, { bigint: true });
    writeIndex(file, new Map([['a' as RelPath, { oid: '1'.repeat(40), stat: rawStat(stat) }]]), '{}');
    const whole = fs.readFileSync(file);
    for (const damaged of [
      whole.subarray(0, -1),
      Buffer.concat([whole, Buffer.from('x')]),
      Buffer.from(whole).fill(1, 20, 21),
      Buffer.alloc(0),
    ]) {
      fs.writeFileSync(file, damaged);
      expect(readIndex(file)).toBe(null);
    }
    fs.rmSync(file);
    expect(readIndex(file)).toBe(null);
  });
});

describe('a record', () => {
  it('comes back as it was, and equal ones have equal text', () => {
    const record: Record = {
      defaults: { file: 0o644, program: 0o755, folder: 0o755 },
      files: new Map([
        ['b\xff' as RelPath, 0o600],
        ['a' as RelPath, 0o640],
      ]),
      folders: new Map([['e' as RelPath, { bits: 0o700, empty: true }]]),
      skipped: [{ path: 's' as RelPath, why: 'w' }],
      rules: {
        exclude: 'x\n',
        ignoreFiles: new Map([['.gitignore' as RelPath, '1'.repeat(40)]]),
        outer: null,
        forced: new Set(['f' as RelPath]),
      },
    };
    const back = parseRecord(formatRecord(record));
    expect(formatRecord(back)).toBe(formatRecord(record));
    expect(new Map([...back.files].sort())).toEqual(new Map([...record.files].sort()));
    expect(back.rules.forced).toEqual(record.rules.forced);
    expect(() => parseRecord('{"v":1}')).toThrow('damaged');
    expect(() => parseRecord('{"v":2}')).toThrow('newer');
  });
});
