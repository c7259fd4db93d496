// The property that defines the product: after any edits, captures and restores, a restore makes the workspace equal
// to the checkpoint in bytes, modes, links and empty folders; redo brings everything back; the user's repository and
// what no snapshot covers stay as they are, down to the inode.
import fs from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SnapshotId } from '../../shared/ids';
import type { RelPath } from '../../shared/rel-path';
import {
  makeTempWorkspace,
  repositoryPrint,
  type TempWorkspace,
  workTreeOf,
} from '../testing/temp-workspace';
import type { OwnStep } from './engine';
import { type Bench, openBench } from './engine-bench';

const NAMES = [
  'a',
  'b',
  'A.txt',
  'd',
  'd/x',
  'd/y',
  'd/e',
  'd/e/z',
  'd/e/f/g',
  'new\nline',
  '-rf',
  ':(top)x',
  ':!no',
  '*.glob',
  '"q" \'r\'',
  '\\back',
  ' lead',
  'dot.',
  '#hash',
  '!bang',
  'caf\xc3\xa9',
  '\xff\xfe raw',
  'sp ace/\xf0\x9f\x8e\x88',
];
const IGNORED = ['x.log', 'ign/kept.txt'];
const BODIES = [
  '',
  'one\n',
  'one\r\ntwo\r\n',
  'three\n',
  'no end',
  'line\n'.repeat(40),
  '\0binary\xff',
  'x\n',
];
const FILE_BITS = [0o644, 0o600, 0o755, 0o640, 0o700];
const FOLDER_BITS = [0o755, 0o700, 0o750];

type Edit =
  | { readonly op: 'write'; readonly name: string; readonly body: string; readonly bits: number }
  | { readonly op: 'link'; readonly name: string; readonly to: string }
  | { readonly op: 'folder'; readonly name: string; readonly bits: number }
  | { readonly op: 'remove'; readonly name: string }
  | { readonly op: 'chmod'; readonly name: string; readonly bits: number }
  | { readonly op: 'move'; readonly name: string; readonly to: string };

const name = fc.constantFrom(...NAMES);
const edit: fc.Arbitrary<Edit> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      op: fc.constant('write' as const),
      name,
      body: fc.constantFrom(...BODIES),
      bits: fc.constantFrom(...FILE_BITS),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('link' as const),
      name,
      to: fc.constantFrom('a', 'd', '/nowhere', '..', 'link loop'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant('folder' as const), name, bits: fc.constantFrom(...FOLDER_BITS) }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('remove' as const), name }) },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant('chmod' as const), name, bits: fc.constantFrom(...FILE_BITS) }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('move' as const), name, to: name }) },
);

type Step =
  | { readonly do: 'turn' | 'hand'; readonly edits: readonly Edit[] }
  | {
      readonly do: 'restore';
      readonly to: number;
      readonly kind: 'task' | 'workspace';
      readonly choice: 'mine' | 'checkpoint';
      readonly redo: boolean;
    }
  | { readonly do: 'reopen' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('turn' as const, 'hand' as const),
      edits: fc.array(edit, { minLength: 1, maxLength: 5 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('restore' as const),
      to: fc.nat(20),
      kind: fc.constantFrom('task' as const, 'workspace' as const),
      choice: fc.constantFrom('mine' as const, 'checkpoint' as const),
      redo: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'reopen' as const }) },
);

/** Does an edit if the file system lets it be done; one that makes no sense just now is passed over. */
function perform(w: TempWorkspace, e: Edit): void {
  const at = (n: string): Buffer => Buffer.from(`${w.root}/${n}`, 'latin1');
  const clear = (n: string): void => {
    const parts = n.split('/');
    for (let i = 1; i < parts.length; i++) {
      const parent = at(parts.slice(0, i).join('/'));
      const s = fs.lstatSync(parent, { throwIfNoEntry: false });
      if (s !== undefined && !s.isDirectory()) fs.unlinkSync(parent);
      if (s?.isDirectory() !== true) fs.mkdirSync(parent);
    }
    fs.rmSync(at(n).toString('latin1') === at(n).toString('utf8') ? at(n).toString() : at(n), {
      recursive: true,
      force: true,
    });
  };
  const there = (n: string): fs.Stats | undefined => {
    try {
      const parts = n.split('/');
      // not by way of a link: that would be outside
      for (let i = 1; i < parts.length; i++)
        if (!fs.lstatSync(at(parts.slice(0, i).join('/'))).isDirectory()) return undefined;
      return fs.lstatSync(at(n));
    } catch {
      return undefined;
    }
  };
  if (e.op === 'write') {
    clear(e.name);
    fs.writeFileSync(at(e.name), Buffer.from(e.body, 'latin1'));
    fs.chmodSync(at(e.name), e.bits);
  } else if (e.op === 'link') {
    clear(e.name);
    fs.symlinkSync(e.to, at(e.name));
  } else if (e.op === 'folder') {
    clear(e.name);
    fs.mkdirSync(at(e.name));
    fs.chmodSync(at(e.name), e.bits);
  } else if (e.op === 'remove') {
    if (there(e.name) !== undefined) fs.rmSync(at(e.name), { recursive: true, force: true });
  } else if (e.op === 'chmod') {
    if (there(e.name)?.isFile() === true) fs.chmodSync(at(e.name), e.bits);
  } else if (
    there(e.name) !== undefined &&
    !e.to.startsWith(`${e.name}/`) &&
    !e.name.startsWith(`${e.to}/`) &&
    e.to !== e.name
  ) {
    const s = there(e.name);
    if (s === undefined) return;
    const beside = at('moving aside');
    fs.renameSync(at(e.name), beside);
    clear(e.to);
    fs.renameSync(beside, at(e.to));
  }
}

const isIgnored = (p: string): boolean => IGNORED.includes(p) || p === 'ign';
const captured = (w: TempWorkspace): Map<string, string> =>
  new Map([...workTreeOf(w.root)].filter(([p]) => !isIgnored(p)));
const inodes = (w: TempWorkspace): Map<string, string> =>
  new Map(
    [...workTreeOf(w.root)].flatMap(([p, s]) => {
      if (s.startsWith('folder')) return [];
      const st = fs.lstatSync(Buffer.from(`${w.root}/${p}`, 'latin1'), { bigint: true });
      return [[p, `${st.ino} ${st.mtimeNs}`]];
    }),
  );

type Point = { readonly id: SnapshotId; readonly tree: Map<string, string>; readonly stepsBefore: number };

class History {
  bench: Bench;
  readonly points: Point[] = [];
  readonly steps: OwnStep[] = [];
  constructor(readonly w: TempWorkspace) {
    this.bench = openBench(w);
  }
  async point(): Promise<Point> {
    const id = await this.bench.capture();
    const p = { id, tree: captured(this.w), stepsBefore: this.steps.length };
    this.points.push(p);
    return p;
  }
  async run(s: Step): Promise<void> {
    if (s.do === 'reopen') {
      await this.bench.close();
      this.bench = openBench(this.w);
    } else if (s.do === 'restore') await this.restore(s);
    else {
      const before = s.do === 'turn' ? await this.point() : null;
      for (const e of s.edits) perform(this.w, e);
      if (before === null) return;
      const after = await this.bench.capture();
      this.steps.push({ before: before.id, after, only: null });
      await this.point();
    }
  }
  async restore(s: Step & { do: 'restore' }): Promise<void> {
    const target = this.points[s.to % this.points.length];
    if (target === undefined) return;
    const whole = s.kind === 'workspace';
    const present = captured(this.w);
    const stat = inodes(this.w);
    // without steps every difference is somebody else's: the whole workspace goes back, whoever changed it
    const steps = whole ? [] : this.steps;
    const { plan, receipt } = await this.bench.restore(target.id, steps, { kind: s.kind, choices: s.choice });
    const now = captured(this.w);
    if (whole) {
      expect(plan.notCovered).toEqual([]);
      expect(now).toEqual(target.tree);
    }
    const touched = new Set<string>(plan.entries.map((e) => e.path));
    const after = inodes(this.w);
    for (const [p, was] of stat) if (!touched.has(p)) expect(after.get(p), p).toBe(was);
    for (const e of plan.entries) {
      if (e.action === 'merge' || (e.to !== null && e.to.oid === null)) continue;
      expect(now.get(e.path), `${e.action} ${e.path}`).toBe(target.tree.get(e.path));
    }
    if (!whole) this.expectOwn(target, now, plan);
    this.steps.push({ before: receipt.redo, after: receipt.after, only: null });
    if (!s.redo) return;
    const back = await this.bench.restore(receipt.redo, [
      { before: receipt.redo, after: receipt.after, only: null },
    ]);
    expect(back.plan.conflicts).toEqual([]);
    expect(captured(this.w)).toEqual(present);
    this.steps.push({ before: back.receipt.redo, after: back.receipt.after, only: null });
  }
  /** Every path that a step changed is as the target has it, or is listed as kept. */
  expectOwn(
    target: Point,
    now: Map<string, string>,
    plan: { handEdits: readonly RelPath[]; notCovered: readonly { path: RelPath }[] },
  ): void {
    const kept = new Set<string>([...plan.handEdits, ...plan.notCovered.map((n) => n.path)]);
    for (const p of now.keys()) {
      if (
        !target.tree.has(p) ||
        now.get(p) === target.tree.get(p) ||
        kept.has(p) ||
        now.get(p)?.startsWith('folder') === true
      )
        continue;
      expect.fail(`${p}: neither as in the checkpoint nor listed`);
    }
  }
}

async function live(prepare: (w: TempWorkspace) => void, steps: readonly Step[]): Promise<void> {
  const w = makeTempWorkspace();
  try {
    prepare(w);
    const print = w.has('.git') ? repositoryPrint(w.root) : '';
    const ignored = (): unknown =>
      IGNORED.map((p) => (w.has(p) ? `${w.text(p)} ${fs.statSync(`${w.root}/${p}`).mtimeMs}` : null));
    const untouched = ignored();
    const h = new History(w);
    try {
      await h.point();
      for (const s of steps) await h.run(s);
      // the last word: the very first state, whole
      await h.restore({ do: 'restore', to: 0, kind: 'workspace', choice: 'checkpoint', redo: true });
    } finally {
      await h.bench.close();
    }
    expect(ignored()).toEqual(untouched);
    if (print !== '') expect(repositoryPrint(w.root)).toBe(print);
  } finally {
    w.dispose();
  }
}

const histories = fc.array(step, { minLength: 3, maxLength: 8 });
const seed = process.env.TIDEMARK_TEST_SEED;
const options = {
  numRuns: Number(process.env.TIDEMARK_TEST_RUNS ?? 50),
  ...(seed === undefined ? {} : { seed: Number(seed) }),
  endOnFailure: process.env.TIDEMARK_TEST_SHRINK === undefined,
  ...(process.env.TIDEMARK_TEST_PATH === undefined ? {} : { path: process.env.TIDEMARK_TEST_PATH }),
};

describe('any history', () => {
  it('in a plain folder (fault 49)', async () => {
    await fc.assert(
      fc.asyncProperty(histories, (steps) =>
        live((w) => {
          w.put('a', 'one\n');
          w.put('d/x', 'line\n'.repeat(40));
        }, steps),
      ),
      options,
    );
  });

  it('in a git repository with staged, modified, untracked and ignored files (fault 10, fault 44, fault 46)', async () => {
    await fc.assert(
      fc.asyncProperty(histories, (steps) =>
        live((w) => {
          w.git('init', '-q');
          w.put('.gitignore', '*.log\nign/\n');
          w.put('a', 'one\n');
          w.put('d/x', 'line\n'.repeat(40));
          w.put('b', 'tracked\n');
          w.git('add', '-A');
          w.git('commit', '-qm', 'x');
          w.put('b', 'staged\n');
          w.git('add', 'b');
          w.put('b', 'modified\n');
          w.put('sp ace/untracked', 'u');
          w.put('x.log', 'ignored');
          w.put('ign/kept.txt', 'ignored');
        }, steps),
      ),
      options,
    );
  });
});
