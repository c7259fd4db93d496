import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bench, openBench } from '../checkpoint/engine-bench';
import { storeFolderOf } from '../checkpoint/shadow-repo';
import { makeTempWorkspace, type TempWorkspace } from '../testing/temp-workspace';
import { openQuietTime, type QuietTime } from './quiet-time';

let w: TempWorkspace;
let b: Bench;
let looks: number;
beforeEach(async () => {
  w = makeTempWorkspace();
  b = openBench(w);
  looks = 0;
  for (let i = 0; i < 55; i++) {
    w.put('a.txt', `version ${i}`);
    await b.capture();
  }
});
afterEach(async () => {
  await b.close();
  w.dispose();
});

const packs = (): number =>
  fs
    .readdirSync(path.join(storeFolderOf(w.checkpointsFolder, w.root), '.git/objects/pack'))
    .filter((n) => n.endsWith('.pack')).length;

const open = (state: 'ready' | 'off'): QuietTime =>
  openQuietTime(
    {
      state: () =>
        state === 'off'
          ? { state, why: 'setting', message: '' }
          : { state, lastMs: null, storeBytes: 0, checkpoints: 0, gitVersion: '' },
    },
    0,
    async (signal) => {
      looks += 1;
      await b.engine.maintain({ signal });
    },
  );
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

describe('quiet time', () => {
  it('begins when the last run has ended, and then the store is looked after', async () => {
    const quiet = open('ready');
    const [one, two] = [quiet.busy(), quiet.busy()];
    one();
    quiet.again();
    for (let i = 0; i < 10; i++) await pause();
    expect([looks, packs() > 50]).toEqual([0, true]);
    two();
    while (packs() > 10) await pause();
    quiet.close();
  });

  it('does nothing where checkpoints are off, or after it was closed', async () => {
    const off = open('off');
    off.busy()();
    const closed = open('ready');
    const end = closed.busy();
    closed.close();
    end();
    for (let i = 0; i < 10; i++) await pause();
    expect([looks, packs() > 50]).toEqual([0, true]);
  });
});
