// One history of a workspace lived through with the real engine, and what must hold after each of its steps.
// Not part of the product. The oracle is the folder itself, as it was read at each point, byte for byte.
import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { SnapshotId } from '../../shared/ids';
import type { OwnStep, RestorePlan } from '../checkpoint/engine';
import { type Bench, openBench } from '../checkpoint/engine-bench';
import { storeFolderOf } from '../checkpoint/shadow-repo';
import { IGNORED, type Leftover, mayBeIgnored, perform, type RestoreStep, type Step } from './history-edits';
import { repositoryPrint, type TempWorkspace, workTreeOf } from './temp-workspace';

type Tree = Map<string, string>;
/** `at` counts the trees seen before it; `rules` are the bodies of the ignore files of then. */
type Point = {
  readonly id: SnapshotId;
  readonly tree: Tree;
  readonly rules: readonly string[];
  readonly at: number;
};

const at = (w: TempWorkspace, p: string): Buffer => Buffer.from(`${w.root}/${p}`, 'latin1');

function rulesOf(w: TempWorkspace, tree: Tree): string[] {
  const files = [...tree].filter(([p, s]) => p.split('/').at(-1) === '.gitignore' && s.startsWith('file'));
  return files.map(([p]) => fs.readFileSync(at(w, p), 'latin1'));
}

const inodes = (w: TempWorkspace, tree: Tree): Map<string, string> =>
  new Map(
    [...tree].flatMap(([p, s]) => {
      if (s.startsWith('folder')) return [];
      const st = fs.lstatSync(at(w, p), { bigint: true });
      return [[p, `${st.ino} ${st.mtimeNs}`]];
    }),
  );

/** Every repository in the workspace, by all files of its `.git`. */
function repositories(w: TempWorkspace, tree: Tree): string[] {
  const folders = ['', ...[...tree].filter(([, s]) => s.startsWith('folder')).map(([p]) => p)];
  const roots = folders.map((p) => at(w, p).toString('latin1'));
  return roots.filter((r) => fs.existsSync(path.join(r, '.git'))).map((r) => `${r}\n${repositoryPrint(r)}`);
}

const LONG = /^(line|(hand|task) \d)$/;
const WRITTEN = /^(line|(hand|task) \d|one\r?|two\r|three|tracked|no end|x|)$/;

const under = (p: string, folder: string): boolean => p.startsWith(`${folder}/`);

class History {
  bench: Bench;
  private readonly old: Bench[] = [];
  readonly points: Point[] = [];
  readonly steps: OwnStep[] = [];
  private readonly trees: Tree[] = [];
  private readonly own: Tree[] = [];
  constructor(readonly w: TempWorkspace) {
    this.bench = openBench(w);
  }

  async close(): Promise<void> {
    for (const b of [...this.old, this.bench]) await b.close();
  }

  /** A snapshot of the present, which leaves everything as it is. */
  async point(): Promise<Point> {
    const tree = workTreeOf(this.w.root);
    const id = await this.bench.capture();
    expect(workTreeOf(this.w.root)).toEqual(tree);
    const p = { id, tree, rules: rulesOf(this.w, tree), at: this.trees.length };
    this.trees.push(tree);
    this.points.push(p);
    return p;
  }

  async run(s: Step): Promise<void> {
    if (s.do === 'crash') return this.crash(s.leaves);
    if (s.do === 'restore') return this.restore(s);
    const before = s.do === 'turn' ? await this.point() : null;
    for (const e of s.edits) perform(this.w, e, s.do === 'turn' ? 'task' : 'hand');
    if (before === null) return;
    const after = await this.point();
    this.own.push(after.tree);
    this.steps.push({ before: before.id, after: after.id, only: null });
  }

  /** The process is gone without a word; another one goes on with what it left. */
  private async crash(leaves: Leftover): Promise<void> {
    this.old.push(this.bench);
    const gitDir = path.join(storeFolderOf(this.w.checkpointsFolder, this.w.root), '.git');
    const index = path.join(gitDir, 'index');
    if (leaves === 'locks') {
      for (const n of ['index.lock', 'HEAD.lock', `refs/tidemark/t/${this.bench.trailers.taskId}.lock`])
        fs.writeFileSync(path.join(gitDir, n), '');
    } else if (leaves === 'no index') fs.rmSync(index, { force: true });
    else if (leaves === 'half an index' && fs.existsSync(index))
      fs.truncateSync(index, Math.floor(fs.statSync(index).size / 2));
    this.bench = openBench(this.w);
  }

  async restore(s: RestoreStep): Promise<void> {
    const target = this.points[s.to % this.points.length];
    if (target === undefined) return;
    const present = workTreeOf(this.w.root);
    this.trees.push(present);
    const rules = rulesOf(this.w, present);
    const [stat, prints] = [inodes(this.w, present), repositories(this.w, present)];
    // without steps every difference is somebody else's: the whole workspace goes back, whoever changed it
    const steps = s.kind === 'workspace' ? [] : this.steps;
    const { plan, receipt } = await this.bench.restore(target.id, steps, { kind: s.kind, choices: s.choice });
    const now = workTreeOf(this.w.root);
    for (const print of prints) expect(repositories(this.w, now)).toContain(print);
    const touched = new Set<string>(plan.entries.map((e) => e.path));
    const after = inodes(this.w, now);
    for (const [p, was] of stat) if (!touched.has(p)) expect(after.get(p), p).toBe(was);
    const c: Change = { target, present, now, plan, rules };
    this.expectEntries(c);
    if (s.kind === 'workspace') this.expectWhole(c);
    else this.expectOwn(c);
    this.own.push(now);
    this.steps.push({ before: receipt.redo, after: receipt.after, only: null });
    if (!s.redo) return;
    const undo = [{ before: receipt.redo, after: receipt.after, only: null }];
    const back = await this.bench.restore(receipt.redo, undo);
    expect(back.plan.conflicts).toEqual([]);
    // an empty folder that the rules leave out is in no snapshot
    const kept = (t: Tree): Tree =>
      new Map([...t].filter(([p, is]) => !is.startsWith('folder') || !mayBeIgnored(rules, p)));
    expect(kept(workTreeOf(this.w.root)), 'redo brings everything back').toEqual(kept(present));
    this.own.push(present);
    this.steps.push({ before: back.receipt.redo, after: back.receipt.after, only: null });
  }

  /** Everything that was at the path since the target, "absent" included. */
  private seen(c: Change, p: string): Set<string> {
    const trees = [...this.trees.slice(c.target.at), c.present];
    return new Set(trees.map((t) => t.get(p) ?? 'absent'));
  }

  /** What was done is what the target held, or a merge that loses no line written by hand. */
  private expectEntries(c: Change): void {
    for (const e of c.plan.entries) {
      const is = c.now.get(e.path) ?? 'absent';
      if (e.action === 'merge') this.expectMerged(e.path);
      // an ignored folder without a file in it is nothing that a snapshot knows of
      else if (e.from?.oid === null && mayBeIgnored(c.target.rules, e.path)) continue;
      else if (mayBeIgnored(c.target.rules, e.path)) {
        // where a folder was that the rules left out, a file made since goes, and the folder is in no snapshot
        if (is === 'absent' && c.target.tree.get(e.path)?.startsWith('folder')) continue;
        expect([...this.seen(c, e.path)], `${e.action} ${e.path}`).toContain(is);
      } else if (e.to === null || e.to.oid !== null)
        expect(is, `${e.action} ${e.path}`).toBe(c.target.tree.get(e.path) ?? 'absent');
    }
  }

  /** A merged text is whole: each of its lines is one that somebody wrote, and a long text stays as long. */
  private expectMerged(p: string): void {
    const lines = fs.readFileSync(at(this.w, p), 'latin1').split('\n');
    expect(
      lines.filter((l) => !WRITTEN.test(l)),
      p,
    ).toEqual([]);
    if (lines.includes('line')) expect(lines.filter((l) => LONG.test(l))).toHaveLength(40);
  }

  private expectWhole(c: Change): void {
    const stays = (p: string): boolean => mayBeIgnored(c.target.rules, p) || mayBeIgnored(c.rules, p);
    for (const { path: p, why } of c.plan.notCovered) {
      const reason = [...c.now.keys()].some((q) => (q === p || under(q, p) || under(p, q)) && stays(q));
      expect(reason || this.holdsRepository(p), `${JSON.stringify(p)}: ${why}`).toBe(true);
    }
    const listed = c.plan.notCovered.map((n): string => n.path);
    for (const p of new Set([...c.target.tree.keys(), ...c.now.keys(), ...c.present.keys()])) {
      if (listed.some((l) => l === p || under(p, l) || under(l, p))) continue;
      const [then, is] = [c.target.tree.get(p) ?? 'absent', c.now.get(p) ?? 'absent'];
      // an ignored folder without a file in it is nothing that a snapshot knows of
      if (is === 'absent' && c.present.get(p)?.startsWith('folder') && mayBeIgnored(c.target.rules, p))
        continue;
      if (mayBeIgnored(c.target.rules, p)) expect([...this.seen(c, p)], p).toContain(is);
      // nothing that is ignored now is anybody's to remove; it stays as it is
      else if (then === 'absent' && mayBeIgnored(c.rules, p))
        expect(['absent', c.present.get(p)], p).toContain(is);
      // a folder that the rules leave out now is in no redo point, so it keeps its bits although files come back in it
      else if (is.startsWith('folder') && is === c.present.get(p) && mayBeIgnored(c.rules, p)) continue;
      else if (then === 'absent' && is.startsWith('folder'))
        expect(this.holdsRepository(p) || [...c.now.keys()].some((q) => under(q, p)), p).toBe(true);
      else expect(is, p).toBe(then);
    }
  }

  private holdsRepository(p: string): boolean {
    const tree = workTreeOf(this.w.root);
    const folders = [...tree.keys()].filter((q) => q === p || under(q, p));
    return folders.some((q) => fs.existsSync(Buffer.concat([at(this.w, q), Buffer.from('/.git')])));
  }

  /** Every path is as the target has it, or is listed as kept. */
  private expectOwn(c: Change): void {
    const kept = new Set<string>([...c.plan.handEdits, ...c.plan.notCovered.map((n) => n.path)]);
    for (const [p, is] of c.now) {
      const then = c.target.tree.get(p);
      if (then === undefined || then === is || kept.has(p) || is.startsWith('folder')) continue;
      if (mayBeIgnored(c.target.rules, p) || mayBeIgnored(c.rules, p)) continue;
      expect.fail(`${p}: neither as in the checkpoint nor listed`);
    }
  }
}

type Change = {
  readonly target: Point;
  readonly present: Tree;
  readonly now: Tree;
  readonly plan: RestorePlan;
  readonly rules: readonly string[];
};

/** Lives through a history in a workspace of its own. */
export async function live(
  w: TempWorkspace,
  prepare: (w: TempWorkspace) => void,
  steps: readonly Step[],
): Promise<void> {
  try {
    prepare(w);
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
      await h.close();
    }
    expect(ignored()).toEqual(untouched);
  } finally {
    w.dispose();
  }
}
