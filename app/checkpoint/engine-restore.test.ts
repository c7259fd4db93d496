import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SnapshotId } from '../../shared/ids';
import { type RelPath, relPathFromText as rel } from '../../shared/rel-path';
import { makeTempWorkspace, type TempWorkspace, workTreeOf } from '../testing/temp-workspace';
import type { OwnStep, RestorePlan } from './engine';
import { type Bench, openBench } from './engine-bench';
import { storeFolderOf } from './shadow-repo';

let w: TempWorkspace;
let b: Bench;
beforeEach(() => {
  w = makeTempWorkspace();
  b = openBench(w);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await b.close();
  w.dispose();
});

/** One turn of the task: what `work` does in the workspace, between two snapshots. */
async function turn(
  work: () => void,
  only: readonly RelPath[] | null = null,
  touched: readonly RelPath[] = only ?? [],
): Promise<OwnStep> {
  const before = await b.capture();
  work();
  const after = await b.capture(touched);
  return { before, after, only };
}

const list = (plan: RestorePlan): string[] => plan.entries.map((e) => `${e.action} ${e.path} (${e.by})`);
const lines = (...changed: [number, string][]): string => {
  const all = Array.from({ length: 30 }, (_, i) => `line ${i}\n`);
  for (const [i, text] of changed) all[i] = text;
  return all.join('');
};

describe('whose change it was', () => {
  it('a restore of one task leaves what others made alone, down to the inode (fault 1, fault 11)', async () => {
    w.put('a.txt', 'one');
    w.put('mine.txt', 'one');
    w.put('same.txt', 'same');
    const step = await turn(() => w.put('a.txt', 'two'));
    w.put('results/r1.jsonl', 'by another program');
    w.put('mine.txt', 'changed by hand');
    const stat = (n: string): string => {
      const s = fs.statSync(path.join(w.root, n), { bigint: true });
      return `${s.ino} ${s.mtimeNs}`;
    };
    const untouched = ['results/r1.jsonl', 'mine.txt', 'same.txt'];
    const before = untouched.map(stat);
    const { plan } = await b.restore(step.before, [step]);
    expect(list(plan)).toEqual(['revert a.txt (task)']);
    expect(plan.handEdits).toEqual(['mine.txt', 'results/r1.jsonl']);
    expect(untouched.map(stat)).toEqual(before);
    expect(w.text('a.txt')).toBe('one');
  });

  it('beside a turn that only edited recorded paths, a change is a hand edit', async () => {
    w.put('a.txt', 'one');
    const step = await turn(() => {
      w.put('a.txt', 'two');
      w.put('beside.txt', 'by hand meanwhile');
    }, [rel('a.txt')]);
    const { plan } = await b.restore(step.before, [step]);
    expect(list(plan)).toEqual(['revert a.txt (task)']);
    expect(w.text('beside.txt')).toBe('by hand meanwhile');
  });

  it('the whole workspace goes back whoever changed it, and comes back by redo', async () => {
    w.put('a.txt', 'one');
    const step = await turn(() => w.put('a.txt', 'two'));
    w.put('hand.txt', 'h');
    const before = workTreeOf(w.root);
    const { plan, receipt } = await b.restore(step.before, [step], { kind: 'workspace' });
    expect(list(plan)).toEqual(['revert a.txt (task)', 'remove hand.txt (other)']);
    await b.restore(receipt.redo, [{ before: receipt.redo, after: receipt.after, only: null }]);
    expect(workTreeOf(w.root)).toEqual(before);
  });

  it('can be limited to paths', async () => {
    w.put('a.txt', 'one');
    w.put('b.txt', 'one');
    const step = await turn(() => {
      w.put('a.txt', 'two');
      w.put('b.txt', 'two');
    });
    const plan = await b.engine.plan(
      step.before,
      { kind: 'task', taskId: b.trailers.taskId, steps: [step], only: [rel('b.txt')] },
      b.cancel,
    );
    expect(list(plan)).toEqual(['revert b.txt (task)']);
  });

  it('the state before a message holds what was edited by hand in between (fault 22)', async () => {
    const one = await turn(() => w.put('a', '1'));
    w.put('a', '1h');
    const two = await turn(() => w.put('a', '2'));
    await b.restore(two.before, [one, two]);
    expect(w.text('a')).toBe('1h');
  });
});

describe('hand edits on what the task changed', () => {
  it('are merged where they touch other lines, byte for byte (fault 9)', async () => {
    for (const [name, wrap] of [
      ['lf.txt', (s: string) => s],
      ['crlf.txt', (s: string) => s.replaceAll('\n', '\r\n')],
      ['noend.txt', (s: string) => s.slice(0, -1)],
    ] as const) {
      const put = (...c: [number, string][]): void => w.put(name, wrap(lines(...c)));
      put([20, 'caf\xe9\n']);
      const step = await turn(() => put([20, 'caf\xe9\n'], [3, 'by the task\n']));
      put([20, 'caf\xe9\n'], [3, 'by the task\n'], [25, 'by hand\n']);
      const { plan } = await b.restore(step.before, [step]);
      expect(list(plan)).toEqual([`merge ${name} (other)`]);
      expect(plan.handEdits).toContain(name);
      expect(w.text(name)).toBe(wrap(lines([20, 'caf\xe9\n'], [25, 'by hand\n'])));
    }
  });

  it('are a conflict where they touch the same lines: mine keeps, checkpoint takes, path by path', async () => {
    w.put('a.txt', 'one\n');
    w.put('b.txt', 'one\n');
    const step = await turn(() => {
      w.put('a.txt', 'two\n');
      w.put('b.txt', 'two\n');
    });
    w.put('a.txt', 'two, mine\n');
    w.put('b.txt', 'two, mine\n');
    const plan = await b.plan(step.before, [step]);
    expect(plan.entries).toEqual([]);
    expect(plan.conflicts.map((c) => c.path)).toEqual(['a.txt', 'b.txt']);
    await expect(b.restore(step.before, [step])).rejects.toMatchObject({
      code: 'conflicts',
      paths: ['a.txt', 'b.txt'],
    });
    const choices = new Map([
      [rel('a.txt'), 'mine'],
      [rel('b.txt'), 'checkpoint'],
    ] as const);
    await b.restore(step.before, [step], { choices });
    expect([w.text('a.txt'), w.text('b.txt')]).toEqual(['two, mine\n', 'one\n']);
  });

  it('to made, deleted and binary files ask too; redo brings them back (fault 9)', async () => {
    w.put('binary', 'a\0b');
    w.put('was.txt', 'one\n');
    const step = await turn(() => {
      w.put('binary', 'a\0c');
      w.put('made.txt', 'one');
      w.put('was.txt', 'two\n');
    });
    w.put('made.txt', 'one + mine');
    w.put('binary', 'a\0d');
    w.remove('was.txt');
    const plan = await b.plan(step.before, [step]);
    expect(plan.conflicts.map((c) => c.path)).toEqual(['binary', 'made.txt', 'was.txt']);
    const before = workTreeOf(w.root);
    const { receipt } = await b.restore(step.before, [step], { choices: 'checkpoint' });
    expect(w.has('made.txt')).toBe(false);
    expect([w.text('binary'), w.text('was.txt')]).toEqual(['a\0b', 'one\n']);
    await b.restore(receipt.redo, [{ before: receipt.redo, after: receipt.after, only: null }]);
    expect(workTreeOf(w.root)).toEqual(before);
    await b.restore(step.before, [step], { choices: 'mine' });
    expect(workTreeOf(w.root)).toEqual(before);
  });

  it('that take back the task’s change by themselves need no restore', async () => {
    w.put('a.txt', 'one\n');
    const step = await turn(() => w.put('a.txt', 'two\n'));
    w.put('a.txt', 'one\n');
    const plan = await b.plan(step.before, [step]);
    expect([plan.entries, plan.conflicts]).toEqual([[], []]);
  });
});

describe('what the target did not cover', () => {
  it('a changed ignored file gets the earliest content back that was captured since (protect)', async () => {
    w.put('.gitignore', 'ign/\n');
    w.put('ign/a.txt', 'before the task');
    const before = await b.capture();
    await b.held((h) =>
      h.protect([rel('ign/a.txt'), rel('ign/new.txt')], { ...b.cancel, trailers: b.trailers }),
    );
    w.put('ign/a.txt', 'by the task');
    w.put('ign/new.txt', 'by the task');
    const after = await b.capture([rel('ign/a.txt'), rel('ign/new.txt')]);
    const { plan } = await b.restore(before, [
      { before, after, only: [rel('ign/a.txt'), rel('ign/new.txt')] },
    ]);
    expect(list(plan)).toEqual(['revert ign/a.txt (task)', 'remove ign/new.txt (task)']);
    expect(w.text('ign/a.txt')).toBe('before the task');
    expect(w.has('ign/new.txt')).toBe(false);
  });

  it('protect makes nothing of what the last snapshot holds or would hold', async () => {
    w.put('a.txt', 'one');
    const before = await b.capture();
    await b.held((h) => h.protect([rel('a.txt')], { ...b.cancel, trailers: b.trailers }));
    expect(await b.capture()).toBe(before);
  });

  it('what was never captured before is left alone and listed', async () => {
    w.put('.gitignore', 'ign\n');
    w.put('ign', 'old and unknown');
    const before = await b.capture();
    w.put('.gitignore', '');
    w.put('ign', 'captured first like this');
    const after = await b.capture();
    w.put('ign', 'and then');
    const then = await b.capture();
    const steps = [
      { before, after, only: null },
      { before: after, after: then, only: null },
    ];
    const { plan } = await b.restore(before, steps);
    expect(list(plan)).toEqual(['revert .gitignore (task)', 'revert ign (task)']);
    expect(w.text('ign')).toBe('captured first like this');
  });

  it('a secret that a tool changed is left alone and said so', async () => {
    w.put('.env', 'KEY=1');
    w.put('a.txt', 'one');
    const step = await turn(() => {
      w.put('.env', 'KEY=2');
      w.put('a.txt', 'two');
    }, [rel('.env'), rel('a.txt')]);
    const { plan } = await b.restore(step.before, [step]);
    expect(plan.notCovered.map((n) => n.path)).toEqual(['.env']);
    expect([w.text('.env'), w.text('a.txt')]).toEqual(['KEY=2', 'one']);
  });

  it('a file that grew over the limit is left alone and said so (fault 56)', async () => {
    await b.close();
    b = openBench(w, { maxFileBytes: 100 });
    w.put('a.txt', 'small');
    const step = await turn(() => w.put('a.txt', 'x'.repeat(200)));
    const { plan } = await b.restore(step.before, [step]);
    expect(plan.notCovered.map((n) => n.path)).toEqual(['a.txt']);
    expect(w.text('a.txt').length).toBe(200);
  });
});

describe('shapes of files', () => {
  it('folder for file and back, around a file that stays (fault list H)', async () => {
    w.put('.gitignore', '*.log\n');
    w.put('thing', 'a file');
    const step = await turn(() => {
      w.remove('thing');
      w.put('thing/inside.txt', 'x');
    });
    w.put('thing/kept.log', 'ignored');
    const blocked = await b.restore(step.before, [step]);
    expect(blocked.plan.notCovered).toEqual([
      { path: 'thing', why: 'a folder stands in its place and holds files that stay' },
    ]);
    expect(w.text('thing/kept.log')).toBe('ignored');
    w.remove('thing/kept.log');
    await b.restore(step.before, [step]);
    expect(w.text('thing')).toBe('a file');
  });

  it('a file that the rules leave out, where a folder was: left alone and named, the rest goes back', async () => {
    w.put('a.txt', 'one');
    w.put('lib/inner/deep', 'one');
    const step = await turn(() => {
      w.put('a.txt', 'two');
      w.put('.gitignore', 'inner\n');
      w.remove('lib/inner');
      w.put('lib/inner', 'by hand, ignored');
    });
    const { plan } = await b.restore(step.before, [step]);
    expect(plan.notCovered).toEqual([
      { path: 'lib/inner/deep', why: 'a file that the rules leave out stands where its folder was' },
    ]);
    expect([w.text('a.txt'), w.text('lib/inner')]).toEqual(['one', 'by hand, ignored']);
  });

  it('a redo puts an ignored file back where the restore had made a folder', async () => {
    w.put('lib/inner/deep', 'one');
    for (const n of ['d/x', 'e/x']) w.put(n, 'x');
    fs.chmodSync(path.join(w.root, 'lib/inner'), 0o700);
    const target = await b.capture();
    w.put('.gitignore', 'inner\n');
    w.remove('lib/inner');
    w.put('lib/inner', 'by hand, ignored');
    const before = workTreeOf(w.root);
    const { receipt } = await b.restore(target, [], { kind: 'workspace' });
    expect(w.text('lib/inner/deep')).toBe('one');
    await b.restore(receipt.redo, [{ before: receipt.redo, after: receipt.after, only: null }]);
    expect(workTreeOf(w.root)).toEqual(before);
  });

  it('links are restored as links, their targets are not touched (fault 27)', async () => {
    w.put('real.md', 'real');
    fs.symlinkSync('real.md', path.join(w.root, 'link.md'));
    fs.symlinkSync('loop', path.join(w.root, 'loop'));
    const step = await turn(() => {
      w.remove('link.md');
      w.put('link.md', 'now a file');
      w.put('real.md', 'changed');
      w.remove('loop');
    });
    await b.restore(step.before, [step]);
    expect(fs.readlinkSync(path.join(w.root, 'link.md'))).toBe('real.md');
    expect(fs.readlinkSync(path.join(w.root, 'loop'))).toBe('loop');
    expect(w.text('real.md')).toBe('real');
  });

  it('bits alone change without a new file; the list says mode', async () => {
    w.put('run.sh', 'x', 0o755);
    w.put('private.dat', 'x', 0o600);
    const step = await turn(() => {
      fs.chmodSync(path.join(w.root, 'run.sh'), 0o644);
      fs.chmodSync(path.join(w.root, 'private.dat'), 0o644);
    });
    const inode = fs.statSync(path.join(w.root, 'run.sh')).ino;
    const { plan } = await b.restore(step.before, [step]);
    expect(list(plan)).toEqual(['mode private.dat (task)', 'mode run.sh (task)']);
    const stat = fs.statSync(path.join(w.root, 'run.sh'));
    expect([stat.ino, stat.mode & 0o777]).toEqual([inode, 0o755]);
    expect(fs.statSync(path.join(w.root, 'private.dat')).mode & 0o777).toBe(0o600);
  });

  it('bits of folders come back also when a lost index has changed which bits are the usual ones', async () => {
    w.put('d/x', 'one');
    const target = await b.capture();
    await b.close();
    fs.rmSync(path.join(storeFolderOf(w.checkpointsFolder, w.root), '.git/index'));
    fs.chmodSync(path.join(w.root, 'd'), 0o750);
    b = openBench(w);
    await b.restore(target, [], { kind: 'workspace' });
    expect(fs.statSync(path.join(w.root, 'd')).mode & 0o777).toBe(0o755);
  });

  it('nothing is written through a folder that became a link', async () => {
    w.put('sub/a.txt', 'one');
    const step = await turn(() => w.put('sub/a.txt', 'two'));
    w.remove('sub');
    fs.mkdirSync(path.join(w.outside, 'target'));
    fs.writeFileSync(path.join(w.outside, 'target/a.txt'), 'outside');
    fs.symlinkSync(path.join(w.outside, 'target'), path.join(w.root, 'sub'));
    const { plan } = await b.restore(step.before, [step], { choices: 'checkpoint' });
    expect(plan.notCovered.map((n) => n.path)).toEqual(['sub/a.txt']);
    expect(fs.readFileSync(path.join(w.outside, 'target/a.txt'), 'utf8')).toBe('outside');
  });

  it('a folder becomes a link again: no empty folder behind the link is removed, and a loop is no failure', async () => {
    const elsewhere = path.join(w.outside, 'elsewhere');
    fs.mkdirSync(path.join(elsewhere, 'e'), { recursive: true });
    for (const to of [elsewhere, 'd']) {
      fs.rmSync(path.join(w.root, 'd'), { recursive: true, force: true });
      fs.symlinkSync(to, path.join(w.root, 'd'));
      const step = await turn(() => {
        fs.unlinkSync(path.join(w.root, 'd'));
        w.put('d/e/z', 'by the task');
      });
      await b.restore(step.before, [step]);
      expect(fs.readlinkSync(path.join(w.root, 'd'))).toBe(to);
    }
    expect(fs.existsSync(path.join(elsewhere, 'e'))).toBe(true);
  });

  it('a renamed file shows as one, with its similarity', async () => {
    w.put('old.txt', lines());
    const step = await turn(() => {
      fs.renameSync(path.join(w.root, 'old.txt'), path.join(w.root, 'new.txt'));
      w.put('new.txt', lines([5, 'changed\n']));
    });
    const [change, ...rest] = await b.engine.changes(step.before, step.after, { ...b.cancel, counts: true });
    expect(rest).toEqual([]);
    expect(change).toMatchObject({
      kind: 'renamed',
      path: 'new.txt',
      oldPath: 'old.txt',
      added: 1,
      removed: 1,
      binary: false,
    });
    expect(change?.similarity).toBeGreaterThan(80);
    w.put('new.txt', 'a\0');
    const live = await b.engine.changes(step.before, 'workspace', { ...b.cancel, counts: true });
    expect(live.map((c) => [c.kind, c.path, c.binary])).toEqual([
      ['added', 'new.txt', true],
      ['deleted', 'old.txt', false],
    ]);
    await b.restore(step.before, [step], { choices: 'checkpoint' });
    expect([w.has('new.txt'), w.text('old.txt')]).toEqual([false, lines()]);
  });

  it('a deleted workspace is brought back whole (fault 35)', async () => {
    w.put('a/b/c.txt', 'one');
    w.put('run.sh', 'x', 0o755);
    const before = workTreeOf(w.root);
    const step = await turn(() => {
      for (const n of fs.readdirSync(w.root)) w.remove(n);
    });
    await b.restore(step.before, [step]);
    expect(workTreeOf(w.root)).toEqual(before);
  });
});

describe('when it cannot be done', () => {
  async function twoFiles(): Promise<OwnStep> {
    w.put('a.txt', 'one');
    w.put('z/b.txt', 'one');
    w.put('gone.txt', 'was');
    return turn(() => {
      w.put('a.txt', 'two');
      w.put('z/b.txt', 'two');
      w.remove('gone.txt');
      w.put('made/new.txt', 'n');
    });
  }

  it('a file that moved since the list was made: refused, nothing touched', async () => {
    const step = await twoFiles();
    const plan = await b.plan(step.before, [step]);
    await b.held(async (h) => {
      const redo = await h.capture({ ...b.cancel, trailers: b.trailers });
      w.put('z/b.txt', 'moved');
      const before = workTreeOf(w.root);
      const order = { ...b.cancel, redo: redo.id, note: '', trailers: b.trailers };
      await expect(h.apply(plan, order)).rejects.toMatchObject({ code: 'plan-stale', paths: ['z/b.txt'] });
      expect(workTreeOf(w.root)).toEqual(before);
    });
    expect(fs.readdirSync(w.root).filter((n) => n.startsWith('.'))).toEqual([]);
  });

  it('a full disk at any write: files as before, the store of use, no ref moved (fault list H)', async () => {
    const step = await twoFiles();
    const before = workTreeOf(w.root);
    const real = fs.writeSync;
    for (let n = 1; ; n++) {
      let count = 0;
      const full = vi.spyOn(fs, 'writeSync').mockImplementation(((
        ...args: Parameters<typeof fs.writeSync>
      ) => {
        if (++count === n) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
        return real(...args);
      }) as typeof fs.writeSync);
      const failed = await b.restore(step.before, [step]).then(
        () => null,
        (e: unknown) => e,
      );
      full.mockRestore();
      if (failed === null) break;
      expect(failed).toMatchObject({ code: expect.stringMatching(/^(disk-full|restore-failed)$/) });
      expect(workTreeOf(w.root)).toEqual(before);
      await b.held(async (h) => expect(h.settled).toBe(null));
    }
    expect(w.text('a.txt')).toBe('one');
  });

  it('a step that fails half way: everything back as it was, the path named (fault 34)', async () => {
    const step = await twoFiles();
    const before = workTreeOf(w.root);
    const real = fs.renameSync;
    vi.spyOn(fs, 'renameSync').mockImplementation(((from: fs.PathLike, to: fs.PathLike) => {
      if (String(to).endsWith('/z/b.txt') && fs.readFileSync(from, 'utf8') === 'one')
        throw Object.assign(new Error('busy'), { code: 'EBUSY' });
      real(from, to);
    }) as typeof fs.renameSync);
    await expect(b.restore(step.before, [step])).rejects.toMatchObject({
      code: 'restore-failed',
      paths: ['z/b.txt'],
    });
    expect(workTreeOf(w.root)).toEqual(before);
  });

  it('is done by copies where the workspace lies on another volume than the store', async () => {
    const step = await twoFiles();
    const real = fs.renameSync;
    vi.spyOn(fs, 'renameSync').mockImplementation(((from: fs.PathLike, to: fs.PathLike) => {
      if (String(from).includes('/stage-')) throw Object.assign(new Error('other volume'), { code: 'EXDEV' });
      real(from, to);
    }) as typeof fs.renameSync);
    await b.restore(step.before, [step]);
    expect([w.text('a.txt'), w.text('z/b.txt'), w.text('gone.txt'), w.has('made')]).toEqual([
      'one',
      'one',
      'was',
      false,
    ]);
    expect([...workTreeOf(w.root).keys()].filter((p) => p.endsWith('.tidemark-tmp'))).toEqual([]);
  });

  it('a cancelled capture or plan changes nothing', async () => {
    const step = await twoFiles();
    const stopped = new AbortController();
    stopped.abort();
    await expect(
      b.engine.plan(step.before, { kind: 'task', taskId: 't', steps: [step] }, { signal: stopped.signal }),
    ).rejects.toMatchObject({ code: 'cancelled' });
    await b.held(async (h) => {
      await expect(h.capture({ signal: stopped.signal, trailers: b.trailers })).rejects.toMatchObject({
        code: 'cancelled',
      });
    });
    const late = new AbortController();
    w.put('more.txt', 'x');
    await b.held(async (h) => {
      const capture = h.capture({ signal: late.signal, trailers: b.trailers });
      late.abort();
      await expect(capture).rejects.toMatchObject({ code: 'cancelled' });
    });
    expect((await b.engine.changes(step.after, 'workspace', b.cancel)).map((c) => c.path)).toEqual([
      'more.txt',
    ]);
  });
});

describe('a restore that was never acknowledged', () => {
  it('is told again at the next hold, until it is', async () => {
    w.put('a.txt', 'one');
    const step = await turn(() => w.put('a.txt', 'two'));
    let after: SnapshotId | null = null;
    await b.held(async (h) => {
      const plan = await b.plan(step.before, [step]);
      const redo = await h.capture({ ...b.cancel, trailers: b.trailers });
      after = (
        await h.apply(plan, { ...b.cancel, redo: redo.id, note: 'what I meant', trailers: b.trailers })
      ).after;
    });
    await b.close();
    b = openBench(w);
    for (let i = 0; i < 2; i++) {
      await b.held(async (h) => {
        expect(h.settled).toMatchObject({ outcome: 'finished', note: 'what I meant', receipt: { after } });
        if (i === 1) await h.acknowledge();
      });
    }
    await b.held(async (h) => expect(h.settled).toBe(null));
  });
});
