import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTempWorkspace, type TempWorkspace, workTreeOf } from '../testing/temp-workspace';
import { type Bench, openBench } from './engine-bench';
import { lostFolders, type Recovered, recoverFolder } from './recover';
import { storeFolderOf } from './shadow-repo';

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

const { signal } = new AbortController();
const lost = (): ReturnType<typeof lostFolders> =>
  lostFolders({ checkpointsFolder: w.checkpointsFolder, signal });
const recover = (to = w.root): Promise<Recovered> =>
  recoverFolder({ checkpointsFolder: w.checkpointsFolder, workspace: w.root, to, signal });

/** A workspace with everything that a snapshot keeps, captured, and then gone. */
async function deleted(): Promise<Map<string, string>> {
  w.put('a.txt', 'old');
  await b.capture();
  w.put('a.txt', 'one\r\n');
  w.put('deep/er/run.sh', 'echo', 0o755);
  w.put('private', 'p', 0o600);
  fs.symlinkSync('a.txt', path.join(w.root, 'link'));
  fs.writeFileSync(Buffer.concat([Buffer.from(`${w.root}/n`), Buffer.from([0xff])]), 'bytes');
  fs.mkdirSync(path.join(w.root, 'empty/sub'), { recursive: true });
  fs.chmodSync(path.join(w.root, 'empty/sub'), 0o750);
  const tree = workTreeOf(w.root);
  await b.capture();
  await b.close();
  fs.rmSync(w.root, { recursive: true });
  return tree;
}

describe('a deleted folder', () => {
  it('is listed with its newest snapshot and comes back whole', async () => {
    w.put('x', 'x');
    await b.capture();
    expect(await lost()).toEqual([]);
    const tree = await deleted();
    const [entry] = await lost();
    expect(entry).toMatchObject({ workspace: w.root, files: 6 });
    expect(Date.now() - Date.parse(entry?.at ?? '')).toBeLessThan(60_000);
    expect(await recover()).toMatchObject({ to: w.root, files: 6, snapshotId: entry?.snapshotId });
    expect(workTreeOf(w.root)).toEqual(tree);
    expect(await lost()).toEqual([]);
    b = openBench(w);
    expect(await b.capture()).toBe(entry?.snapshotId);
  });

  it('comes back elsewhere, also when the folders above it are gone, and again without harm', async () => {
    const tree = await deleted();
    const to = path.join(w.outside, 'not/there/yet');
    await recover(to);
    expect(workTreeOf(to)).toEqual(tree);
    fs.rmSync(path.join(to, 'deep'), { recursive: true });
    const untouched = fs.statSync(path.join(to, 'a.txt')).ino;
    await recover(to);
    expect(workTreeOf(to)).toEqual(tree);
    expect(fs.statSync(path.join(to, 'a.txt')).ino).toBe(untouched);
    expect(fs.existsSync(w.root)).toBe(false);
  });

  it('never comes back over a file, through a link, or in half', async () => {
    await deleted();
    fs.mkdirSync(w.root);
    w.put('a.txt', 'mine');
    fs.symlinkSync(w.outside, path.join(w.root, 'deep'));
    const before = workTreeOf(w.root);
    await expect(recover()).rejects.toMatchObject({
      code: 'would-overwrite',
      paths: ['a.txt', 'deep/er/run.sh'],
    });
    expect(workTreeOf(w.root)).toEqual(before);
    expect(fs.readdirSync(w.outside)).toEqual([]);
  });

  /** Overwrites bytes in the middle of every pack of at least so many. */
  const damage = (atLeast: number): void => {
    const packs = path.join(storeFolderOf(w.checkpointsFolder, w.root), '.git/objects/pack');
    for (const name of fs.readdirSync(packs).filter((n) => n.endsWith('.pack'))) {
      const file = path.join(packs, name);
      const bytes = fs.readFileSync(file);
      if (bytes.length < atLeast) continue;
      fs.writeFileSync(
        file,
        bytes.fill(0xaa, atLeast < 100 ? 14 : Math.floor(bytes.length / 2), bytes.length - 20),
      );
    }
  };

  it('with a damaged content is refused before anything is made', async () => {
    w.put('big.txt', randomBytes(300_000));
    await deleted();
    damage(200_000);
    await expect(recover()).rejects.toMatchObject({ code: 'snapshot-missing' });
    expect(fs.existsSync(w.root)).toBe(false);
    damage(0);
    await expect(recover()).rejects.toMatchObject({ code: 'snapshot-missing' });
    expect(await lost()).toEqual([]);
  });

  it('that never had checkpoints is said so', async () => {
    await expect(recover()).rejects.toMatchObject({ code: 'workspace-missing' });
    expect(await lost()).toEqual([]);
  });
});
