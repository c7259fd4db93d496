import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SnapshotId } from '../../shared/ids';
import { relPathFromText as rel } from '../../shared/rel-path';
import { makeTempWorkspace, type TempWorkspace, userGit, workTreeOf } from '../testing/temp-workspace';
import { type Bench, openBench } from './engine-bench';
import { storeFolderOf } from './shadow-repo';

const OTHER = 't_other0000000';
let w: TempWorkspace;
/** two tasks of one store: `b`'s snapshots are damaged, `c`'s are not */
let b: Bench;
let c: Bench;
let one: SnapshotId;
let two: SnapshotId;
let others: SnapshotId;
let before: Map<string, string>;

beforeEach(async () => {
  w = makeTempWorkspace();
  b = openBench(w);
  c = openBench(w, { taskId: OTHER });
  w.put('c.txt', 'of the other task');
  others = await c.capture();
  w.put('a.txt', 'one');
  one = await b.capture();
  w.put('a.txt', 'two');
  two = await b.capture();
  await b.close();
  await c.close();
  before = workTreeOf(w.root);
});
afterEach(async () => {
  await b.close();
  await c.close();
  expect(workTreeOf(w.root)).toEqual(before);
  w.dispose();
});

const folder = (): string => storeFolderOf(w.checkpointsFolder, w.root);
const inGit = (...names: string[]): string => path.join(folder(), '.git', ...names);
const damage = (file: string, text: string | Uint8Array): void => {
  fs.chmodSync(file, 0o600);
  fs.writeFileSync(file, text);
};
const reopen = (): void => {
  b = openBench(w);
  c = openBench(w, { taskId: OTHER });
};
const text = async (bench: Bench, id: SnapshotId, name: string): Promise<string> =>
  Buffer.from((await bench.engine.read(id, rel(name), bench.cancel)) ?? []).toString();
const setAside = (): string[] => fs.readdirSync(w.checkpointsFolder).filter((n) => n.includes('.broken-'));

/** The pack that holds an object, without the end of its name. */
function packOf(oid: string): string {
  const packs = fs.readdirSync(inGit('objects/pack')).filter((n) => n.endsWith('.idx'));
  const found = packs.find((n) =>
    userGit(w.outside, 'verify-pack', '-v', inGit('objects/pack', n)).includes(`${oid} `),
  );
  return inGit('objects/pack', path.parse(found ?? '').name);
}

/** One task is refused, with what there is of it still readable; the other goes on as if nothing had happened. */
async function onlyOneSuffers(readable: readonly SnapshotId[]): Promise<void> {
  reopen();
  await expect(b.capture()).rejects.toMatchObject({ code: 'store-damaged' });
  for (const id of readable) expect(await text(b, id, 'a.txt')).toBe(id === one ? 'one' : 'two');
  const next = await c.capture();
  expect(await text(c, next, 'a.txt')).toBe('two');
  expect((await c.engine.changes(others, next, c.cancel)).map((x) => x.path)).toEqual(['a.txt']);
  expect(await c.engine.has(next, c.cancel)).toBe(true);
  expect(setAside()).toEqual([]);
}

describe('a store that git cannot use is set aside, and a new one takes its place', () => {
  it.each([
    ['config', 'garbage', (): void => damage(inGit('config'), '[core\n\0\0')],
    ['config', 'empty', (): void => damage(inGit('config'), '')],
    ['config', 'gone', (): void => fs.rmSync(inGit('config'))],
    ['HEAD', 'garbage', (): void => damage(inGit('HEAD'), '\0\0\0')],
    ['HEAD', 'empty', (): void => damage(inGit('HEAD'), '')],
    ['HEAD', 'gone', (): void => fs.rmSync(inGit('HEAD'))],
    ['objects', 'gone', (): void => fs.rmSync(inGit('objects'), { recursive: true })],
    ['refs', 'gone', (): void => fs.rmSync(inGit('refs'), { recursive: true })],
  ])('%s %s', async (_what, _how, harm) => {
    harm();
    reopen();
    await expect(b.engine.start(b.cancel)).rejects.toMatchObject({
      code: 'store-damaged',
      hint: expect.stringContaining('Retry'),
    });
    expect(setAside()).toHaveLength(1);
    expect(fs.existsSync(path.join(w.checkpointsFolder, setAside()[0] ?? '', 'meta.json'))).toBe(true);
    expect(await text(b, await b.capture(), 'a.txt')).toBe('two');
    await expect(b.plan(one, [])).rejects.toMatchObject({ code: 'snapshot-missing' });
    expect(setAside()).toHaveLength(1);
  });
});

describe('a damaged snapshot is refused, the other task goes on', () => {
  const ref = (): string => inGit('refs/tidemark/t', b.trailers.taskId);

  it.each([
    ['garbage', 'x\n'],
    ['empty', ''],
    ['naming nothing', `${'e'.repeat(40)}\n`],
  ])('its ref is %s', async (_how, content) => {
    damage(ref(), content);
    await onlyOneSuffers([one, two]);
    expect(fs.readFileSync(ref(), 'latin1')).toBe(content);
  });

  it('the pack of its newest snapshot', async () => {
    const pack = `${packOf(two)}.pack`;
    const bytes = fs.readFileSync(pack);
    damage(pack, bytes.fill(0xaa, 13, bytes.length - 20));
    reopen();
    await expect(b.capture()).rejects.toMatchObject({ code: 'store-damaged' });
    await expect(b.engine.read(two, rel('a.txt'), b.cancel)).rejects.toMatchObject({
      code: 'snapshot-missing',
    });
    expect(await text(b, one, 'a.txt')).toBe('one');
    w.put('c.txt', 'the next of the other task');
    before = workTreeOf(w.root);
    expect(await text(c, await c.capture(), 'c.txt')).toBe('the next of the other task');
    expect(setAside()).toEqual([]);
    await expect(b.plan(two, [])).rejects.toMatchObject({ code: 'snapshot-missing' });
  });

  it.each([
    ['garbage', 'x'.repeat(2000)],
    ['empty', ''],
  ])('the index of its newest pack is %s', async (_how, content) => {
    damage(`${packOf(two)}.idx`, content);
    await onlyOneSuffers([one]);
    await expect(b.plan(two, [])).rejects.toMatchObject({ code: 'snapshot-missing' });
  });

  it('one bit of a content: never restored, and nothing is removed because of it', async () => {
    const [blob = ''] = userGit(w.outside, '--git-dir', inGit(), 'rev-parse', `${one}:a.txt`).split('\n');
    const pack = packOf(blob);
    const line = userGit(w.outside, 'verify-pack', '-v', `${pack}.idx`).split('\n');
    const offset = Number(line.find((l) => l.startsWith(blob))?.split(/ +/)[4]);
    const bytes = fs.readFileSync(`${pack}.pack`);
    bytes[offset + 4] = (bytes[offset + 4] ?? 0) ^ 1;
    damage(`${pack}.pack`, bytes);
    reopen();
    await expect(b.engine.read(one, rel('a.txt'), b.cancel)).rejects.toMatchObject({
      code: 'snapshot-missing',
    });
    await expect(b.restore(one, [{ before: one, after: two, only: null }])).rejects.toMatchObject({
      code: 'snapshot-missing',
    });
    expect(await text(b, two, 'a.txt')).toBe('two');
    await c.held((h) => h.forget(OTHER));
    await expect(b.engine.maintain({ ...b.cancel, safeAgeMs: 0 })).rejects.toThrow();
    expect(await text(b, two, 'a.txt')).toBe('two');
  });
});

describe('what is only a help', () => {
  it.each([
    ['garbage', 'DIRC and more'],
    ['empty', ''],
    ['cut', null],
  ])('the index, %s, is made anew', async (_how, content) => {
    const whole = fs.readFileSync(inGit('index'));
    damage(inGit('index'), content ?? whole.subarray(0, whole.length - 30));
    reopen();
    expect(await b.capture()).toBe(two);
    expect(await text(c, await c.capture(), 'a.txt')).toBe('two');
  });

  it.each(['', 'garbage', '{"v":1}'])(
    'the lock file with %j in it: nobody lives who wrote that',
    async (content) => {
      fs.writeFileSync(path.join(folder(), 'tidemark.lock'), content);
      reopen();
      expect(await b.capture()).toBe(two);
      expect(fs.existsSync(path.join(folder(), 'tidemark.lock'))).toBe(false);
    },
  );

  it.each(['', 'garbage', '{"v":1}'])(
    'the journal with %j in it: nothing is touched, and how to go on is said',
    async (content) => {
      const journal = path.join(folder(), 'restore.json');
      fs.writeFileSync(journal, content);
      reopen();
      await expect(b.capture()).rejects.toMatchObject({
        code: 'store-damaged',
        message: expect.stringContaining('restore.json.broken-'),
      });
      expect(await text(b, one, 'a.txt')).toBe('one');
      expect(fs.existsSync(journal)).toBe(false);
      expect(await b.capture()).toBe(two);
    },
  );
});
