// What a kill leaves: the engine in a process of its own, ended before each change that it makes on disk.
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SnapshotId } from '../../shared/ids';
import {
  makeTempWorkspace,
  repositoryPrint,
  type TempWorkspace,
  workTreeOf,
} from '../testing/temp-workspace';
import { type Bench, bundle, openBench, optionsOf } from './engine-bench';
import type { CrashOrder } from './engine-crash-child';
import { storeFolderOf } from './shadow-repo';

let w: TempWorkspace;
let built: Awaited<ReturnType<typeof bundle>>;

beforeAll(async () => {
  built = await bundle('engine-crash-child.ts', 'es');
});
afterAll(() => built.dispose());
beforeEach(() => {
  w = makeTempWorkspace();
});
afterEach(() => w.dispose());

/** Runs the child. True when it came to its end, false when it was killed. */
function runChild(order: CrashOrder): boolean {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [built.file, JSON.stringify(order)]);
  if (signal === 'SIGKILL') return false;
  expect(`${status} ${stderr}`).toBe('0 ');
  expect(JSON.parse(stdout.toString())).toHaveProperty('skipped');
  return true;
}

function expectSoundStore(): void {
  const folder = storeFolderOf(w.checkpointsFolder, w.root);
  execFileSync('git', ['--git-dir', path.join(folder, '.git'), 'fsck', '--full', '--no-dangling'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const place of [folder, w.root]) {
    expect(fs.readdirSync(place).filter((n) => n.endsWith('.tidemark-tmp'))).toEqual([]);
  }
}

type Story = {
  readonly bench: Bench;
  readonly before: Map<string, string>;
  readonly after: Map<string, string>;
  readonly target: SnapshotId;
  readonly last: SnapshotId;
};

/** A workspace in a repository, with every kind of change between two snapshots. Ends in the second state. */
async function tellStory(): Promise<Story> {
  w.git('init', '-q');
  w.put('.gitignore', '*.log\n');
  w.put('edited.txt', 'one\n');
  w.put('private.dat', 'p', 0o600);
  w.put('gone/deep/file.txt', 'was here');
  w.put('swap', 'a file');
  w.put('other/x.log', 'ignored');
  fs.mkdirSync(path.join(w.root, 'empty'), { mode: 0o700 });
  w.git('add', '-A');
  w.git('commit', '-qm', 'x');
  const bench = openBench(w);
  const target = await bench.capture();
  const before = workTreeOf(w.root);
  w.put('edited.txt', 'two\n');
  fs.chmodSync(path.join(w.root, 'private.dat'), 0o644);
  w.remove('gone');
  w.remove('swap');
  w.put('swap/inside.txt', 'now a folder');
  w.put('new/made.txt', 'made');
  w.remove('empty');
  fs.symlinkSync('edited.txt', path.join(w.root, 'link'));
  const last = await bench.capture();
  await bench.close();
  return { bench, before, after: workTreeOf(w.root), target, last };
}

describe('a kill', () => {
  it('before any step of a restore: all new or all old at the next hold, and said so (fault 14)', async () => {
    const s = await tellStory();
    const places = [w.root, w.checkpointsFolder];
    execFileSync('cp', ['-a', ...places, w.outside]);
    const steps = [{ before: s.target, after: s.last, only: null }];
    const order = {
      options: optionsOf(w),
      trailers: { ...s.bench.trailers, runId: null },
      restore: { target: s.target, steps },
    };
    const print = repositoryPrint(w.root);
    const outcomes = new Set<string>();
    for (let n = 1; ; n++) {
      const whole = runChild({ ...order, dieBefore: n });
      const again = openBench(w);
      const settled = await again.held(async (h) => {
        const found = h.settled;
        await h.acknowledge();
        return found;
      });
      const now = workTreeOf(w.root);
      const what = `killed before change ${n}, ${settled?.outcome ?? 'nothing to settle'}`;
      if (settled?.outcome === 'finished') expect(now, what).toEqual(s.before);
      else if (settled?.outcome === 'undone') expect(now, what).toEqual(s.after);
      else expect([s.before, s.after], what).toContainEqual(now);
      outcomes.add(
        settled?.outcome ?? (now.get('edited.txt') === s.before.get('edited.txt') ? 'new' : 'old'),
      );
      if (settled !== null) expect(settled.note).toBe('the note');
      expect(repositoryPrint(w.root)).toBe(print);
      // asking git for a full check takes as long as all the rest
      if (n % 8 === 0 || whole) expectSoundStore();
      // the store is of use: the state can be saved, and the other one is still there
      await again.capture();
      expect(await again.engine.has(s.target, again.cancel)).toBe(true);
      await again.close();
      if (whole) break;
      for (const place of places) {
        fs.rmSync(place, { recursive: true });
        execFileSync('cp', ['-a', path.join(w.outside, path.basename(place)), place]);
      }
    }
    expect([...outcomes].sort()).toEqual(['finished', 'new', 'old']);
  });

  it('before any step of a capture: the ref names a whole snapshot, the old or the new one (fault 2, fault 79)', async () => {
    const s = await tellStory();
    for (let n = 1; ; n++) {
      w.put('edited.txt', `version ${n}\n`);
      w.put(`more/${n}.txt`, 'more');
      const order = {
        options: optionsOf(w),
        dieBefore: n,
        trailers: { ...s.bench.trailers, runId: null },
        restore: null,
      };
      const whole = runChild(order);
      expectNoHalf();
      const again = openBench(w);
      const id = await again.capture();
      const text = await again.engine.read(id, 'edited.txt' as never, again.cancel);
      expect(Buffer.from(text ?? []).toString()).toBe(`version ${n}\n`);
      expect(await again.engine.changes(id, 'workspace', again.cancel)).toEqual([]);
      await again.close();
      if (n % 8 === 0 || whole) expectSoundStore();
      if (whole) break;
    }
  });
});

describe('a user who is not root', () => {
  const uid = 65534;
  const asUser = (order: CrashOrder): unknown => {
    const { stdout, stderr } = spawnSync(process.execPath, [built.file, JSON.stringify(order)], {
      uid,
      gid: uid,
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    return JSON.parse(stdout);
  };

  it.runIf(process.getuid?.() === 0)(
    'a folder that may not be written, a file that may not be read (fault 34, fault list H)',
    async () => {
      const s = await tellStory();
      const everything = path.dirname(w.root);
      execFileSync('chown', ['-R', `${uid}:${uid}`, everything]);
      fs.chmodSync(path.dirname(built.file), 0o755);
      fs.chmodSync(path.join(w.root, 'swap'), 0o555);
      const before = workTreeOf(w.root);
      const steps = [{ before: s.target, after: s.last, only: null }];
      const order = { options: optionsOf(w), dieBefore: 0, trailers: { ...s.bench.trailers, runId: null } };
      const restore = { target: s.target, steps };
      expect(asUser({ ...order, restore })).toEqual({ code: 'restore-failed', paths: ['swap/inside.txt'] });
      expect(workTreeOf(w.root)).toEqual(before);
      fs.chmodSync(path.join(w.root, 'swap'), 0o755);
      fs.chmodSync(path.join(w.root, 'edited.txt'), 0);
      fs.mkdirSync(path.join(w.root, 'closed'), { mode: 0 });
      const named = [
        { path: 'closed', why: 'the folder cannot be read (permission denied)' },
        { path: 'edited.txt', why: 'it cannot be read (permission denied)' },
      ];
      expect(asUser({ ...order, restore: null })).toEqual({ skipped: named });
      fs.chmodSync(path.join(w.root, 'edited.txt'), 0o644);
      fs.chmodSync(path.join(w.root, 'closed'), 0o755);
      asUser({ ...order, restore });
      expect(w.text('edited.txt')).toBe('one\n');
    },
  );
});

/** Every ref names something that can be read to the last tree. */
function expectNoHalf(): void {
  const gitDir = path.join(storeFolderOf(w.checkpointsFolder, w.root), '.git');
  execFileSync('git', ['--git-dir', gitDir, 'rev-list', '--objects', '--all'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
