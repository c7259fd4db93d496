// Damage that concerns one task, or no task at all, and must not keep the others from working.
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTempWorkspace, type TempWorkspace, workTreeOf } from '../testing/temp-workspace';
import { type Bench, openBench } from './engine-bench';
import { storeFolderOf } from './shadow-repo';

let w: TempWorkspace;
let b: Bench;
beforeEach(async () => {
  w = makeTempWorkspace();
  b = openBench(w);
  w.put('a.txt', 'one');
  await b.capture();
  await b.close();
});
afterEach(async () => {
  await b.close();
  w.dispose();
});

const folder = (): string => storeFolderOf(w.checkpointsFolder, w.root);

describe('a ref of one task that leads nowhere', () => {
  it.each(['deadbeef'.repeat(5), 'garbage', ''])('"%s": other tasks start and save', async (text) => {
    const ref = path.join(folder(), '.git/refs/tidemark/t/t_0123456789ab');
    fs.writeFileSync(ref, text === '' ? '' : `${text}\n`);
    b = openBench(w, { taskId: 't_other0000000' });
    await b.engine.start(b.cancel);
    await b.engine.state(b.cancel);
    w.put('b.txt', 'two');
    const before = await b.capture();
    w.put('b.txt', 'three');
    const after = await b.capture();
    await b.restore(before, [{ before, after, only: null }]);
    expect(w.text('b.txt')).toBe('two');
    await b.close();
    b = openBench(w);
    await expect(b.capture()).rejects.toMatchObject({
      code: expect.stringMatching(/^(store-damaged|snapshot-missing)$/),
    });
  });
});

describe('a record of a restore that cannot be read', () => {
  it.each(['', '{nope', '{"v":1}'])(
    '"%s": is set aside, said once, and the folder is of use',
    async (text) => {
      fs.writeFileSync(path.join(folder(), 'restore.json'), text);
      const before = workTreeOf(w.root);
      b = openBench(w);
      await expect(b.engine.hold(b.cancel)).rejects.toMatchObject({ code: 'store-damaged' });
      expect(fs.readdirSync(folder()).filter((n) => n.startsWith('restore.json.broken-'))).toHaveLength(1);
      expect(await b.capture()).toBeTruthy();
      expect(workTreeOf(w.root)).toEqual(before);
    },
  );
});
