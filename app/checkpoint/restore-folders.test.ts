// Folders around what a restore moves, and files that the rules leave out.
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RelPath, relPathFromText as rel } from '../../shared/rel-path';
import { makeTempWorkspace, type TempWorkspace, workTreeOf } from '../testing/temp-workspace';
import type { OwnStep } from './engine';
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

const at = (name: string): string => path.join(w.root, name);

/** A turn of editing tools, each path protected before it is changed. */
async function edits(names: readonly string[], work: () => void, command = false): Promise<OwnStep> {
  const only: RelPath[] = names.map(rel);
  const before = await b.capture();
  await b.held((h) => h.protect(only, { ...b.cancel, trailers: b.trailers }));
  work();
  return { before, after: await b.capture(only), only: command ? null : only };
}

/** Restores, takes that back, takes back the taking back; each state has to be exact. */
async function thereAndBack(
  step: OwnStep,
  first: Map<string, string>,
  kind: 'task' | 'workspace' = 'task',
): Promise<void> {
  const last = workTreeOf(w.root);
  const steps = [step];
  let target = step.before;
  for (const expected of [first, last, first, last]) {
    const { receipt, plan } = await b.restore(target, steps, { kind });
    expect(plan.notCovered).toEqual([]);
    expect(workTreeOf(w.root)).toEqual(expected);
    steps.push({ before: receipt.redo, after: receipt.after, only: receipt.entries.map((e) => e.path) });
    target = receipt.redo;
  }
}

describe('folders that are no entries', () => {
  it('come back with the bits that the target has of them', async () => {
    for (const n of ['a/f', 'b/f', 'c/f', 'private/keys/token']) w.put(n, 'x');
    fs.chmodSync(at('private'), 0o700);
    fs.chmodSync(at('private/keys'), 0o711);
    fs.mkdirSync(at('private/empty'));
    fs.chmodSync(at('private/empty'), 0o2750);
    const first = workTreeOf(w.root);
    const step = await edits(['private/keys/token', 'vault/keys/token'], () =>
      fs.renameSync(at('private'), at('vault')),
    );
    await thereAndBack(step, first);
  });

  it('stay when they were there, empty and outside the rules', async () => {
    fs.mkdirSync(at('build/keep'), { recursive: true });
    fs.chmodSync(at('build'), 0o700);
    const first = workTreeOf(w.root);
    await thereAndBack(await edits(['build/keep/x'], () => w.put('build/keep/x', '1')), first);
  });

  it('go when a protect has found that they were not there', async () => {
    const first = workTreeOf(w.root);
    await thereAndBack(await edits(['build/new/x'], () => w.put('build/new/x', '1')), first);
  });

  it('come back private where the rules leave them out', async () => {
    w.put('z/f', 'x');
    w.put('build/in/x', 'secret plan');
    fs.chmodSync(at('build'), 0o700);
    fs.chmodSync(at('build/in'), 0o700);
    const first = workTreeOf(w.root);
    await thereAndBack(await edits(['build/in/x'], () => w.remove('build')), first);
  });
});

describe('a file outside the rules', () => {
  const put = (): void => {
    w.git('init', '-q');
    w.put('.gitignore', 'local.cfg\n*.loc\n');
    w.put('local.cfg', 'precious');
    w.put('data.csv', '1');
    w.put('d/x.loc', 'p');
    w.put('d/y', 'q');
  };
  const cases: readonly [string, readonly string[], () => void][] = [
    ['deleted', ['local.cfg'], () => w.remove('local.cfg')],
    ['deleted, by a group', ['data.csv'], () => w.remove('data.csv')],
    ['moved', ['local.cfg', 'conf.txt'], () => fs.renameSync(at('local.cfg'), at('conf.txt'))],
    ['moved with its folder', ['d/x.loc', 'd/y', 'e/x.loc', 'e/y'], () => fs.renameSync(at('d'), at('e'))],
  ];
  it.each(cases)('%s: comes back, and redo is exact', async (_, names, work) => {
    put();
    const first = workTreeOf(w.root);
    await thereAndBack(await edits(names, work), first);
  });
  it.each(cases)(
    '%s: the same with the whole workspace, in a turn with a command',
    async (_, names, work) => {
      put();
      const first = workTreeOf(w.root);
      await thereAndBack(await edits(names, work, true), first, 'workspace');
    },
  );

  it('that cannot be kept is not changed', async () => {
    await b.capture();
    fs.writeFileSync(at('huge'), '');
    fs.truncateSync(at('huge'), 1_000_000_001);
    w.put('.env', 'KEY=1');
    await b.held(async (h) => {
      const o = { ...b.cancel, trailers: b.trailers };
      await expect(h.protect([rel('huge'), rel('.env')], o)).rejects.toMatchObject({
        code: 'checkpoint-failed',
        paths: ['huge'],
        message: expect.stringMatching(/could not be kept, so it was not changed/),
      });
      await h.protect([rel('.env')], o);
    });
  });

  it('made again by hand after a tool had deleted it is kept before the next tool', async () => {
    put();
    const one = await edits(['local.cfg'], () => w.remove('local.cfg'));
    w.put('local.cfg', 'by hand');
    const two = await edits(['local.cfg'], () => w.put('local.cfg', 'by the task'));
    await b.restore(two.before, [one, two]);
    expect(w.text('local.cfg')).toBe('by hand');
  });
});

describe('the whole workspace, where an own file was changed by hand', () => {
  it('asks, takes the checkpoint’s, or keeps and says so', async () => {
    const step = await edits(['f'], () => w.put('f', '1'));
    w.put('f', '2');
    const plan = (choices: 'mine' | 'checkpoint' | null) =>
      b.plan(step.after, [step], { kind: 'workspace', choices });
    expect((await plan(null)).conflicts.map((c) => c.path)).toEqual(['f']);
    expect((await plan('mine')).handEdits).toEqual(['f']);
    await b.restore(step.after, [step], { kind: 'workspace', choices: 'checkpoint' });
    expect(w.text('f')).toBe('1');
  });
});

describe('a folder that was empty, with bits of its own', () => {
  it('comes back as such when what was put into it is taken back', async () => {
    w.put('lib/inner/deep', 'one');
    const full = await b.capture();
    w.remove('lib/inner');
    fs.mkdirSync(at('lib/inner'), { mode: 0o700 });
    const present = workTreeOf(w.root);
    const { receipt } = await b.restore(full, [], { kind: 'workspace', choices: 'checkpoint' });
    expect(w.text('lib/inner/deep')).toBe('one');
    await b.restore(receipt.redo, [{ before: receipt.redo, after: receipt.after, only: null }]);
    expect(workTreeOf(w.root)).toEqual(present);
  });
});

describe('a file that later rules leave out, gone by hand', () => {
  it('is brought back, and taking that back removes it again: its absence is in the redo point', async () => {
    w.put('.gitignore', '*.log\n');
    w.put('lib/main.go', 'x');
    w.put('lib/inner/deep', 'one');
    const full = await b.capture();
    w.put('.gitignore', '*.log\ninner\n');
    await b.capture();
    w.remove('lib/inner');
    const present = workTreeOf(w.root);
    const { receipt } = await b.restore(full, [], { kind: 'workspace', choices: 'checkpoint' });
    expect(w.text('lib/inner/deep')).toBe('one');
    await b.restore(receipt.redo, [{ before: receipt.redo, after: receipt.after, only: null }]);
    expect(workTreeOf(w.root)).toEqual(present);
  });
});
