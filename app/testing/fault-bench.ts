// A task, its folder and the points it can go back to, as the tests of known faults tell of them: cp0 is the state
// before the first message, cpN the one after message N. Used by the tests of this folder alone.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { Change, RestoreOutcome, RestorePreview } from '../../shared/domain';
import { type CheckpointRow, checkpointRows } from '../../shared/fold';
import type { CheckpointId, SnapshotId } from '../../shared/ids';
import type { RestoreRequest } from '../task/restore-request';
import type { RunEnd } from '../task/service';
import type { Task } from '../task/task';
import { type Harness, type HarnessOptions, openHarness } from '../task/task-harness';
import { workTreeOf } from './temp-workspace';

export interface FaultBench {
  readonly h: Harness;
  readonly task: Task;
  /** another task of the same folder */
  beside(): Promise<FaultBench>;
  run(text: string): Promise<RunEnd>;
  points(): readonly CheckpointRow[];
  cp(n: number): CheckpointId;
  /** the point above message n */
  before(n: number): CheckpointId;
  plan(to: CheckpointId, o?: Partial<RestoreRequest>): Promise<RestorePreview>;
  /** default: files only */
  restore(to: CheckpointId, o?: Partial<RestoreRequest>): Promise<RestoreOutcome>;
  /** "added b.txt", ... between two points, or since one */
  changes(from: CheckpointId, to?: CheckpointId): Promise<string[]>;
  put(name: string, content: string | Uint8Array, mode?: number): void;
  text(name: string): string;
  has(name: string): boolean;
  /** runs a command line in the folder, as its user would */
  sh(command: string): string;
  /** every path with kind, bits and content */
  tree(): Map<string, string>;
  close(): Promise<void>;
}

export async function openFault(
  files: Readonly<Record<string, string>> = {},
  o: HarnessOptions & { readonly prepare?: (folder: string) => void } = {},
): Promise<FaultBench> {
  const h = await openHarness({ ...o, files });
  o.prepare?.(h.folder);
  return benchOf(h, await h.newTask());
}

/** Git and a shell as a user with a name, but without settings of their own, has them. */
export const plainEnv = { PATH: process.env.PATH ?? '', HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' };
const who = {
  GIT_AUTHOR_NAME: 'u',
  GIT_AUTHOR_EMAIL: 'u@example.com',
  GIT_COMMITTER_NAME: 'u',
  GIT_COMMITTER_EMAIL: 'u@example.com',
};

export function benchOf(h: Harness, task: Task): FaultBench {
  const at = (name: string): string => path.join(h.folder, name);
  const points = (): readonly CheckpointRow[] => checkpointRows(task.view());
  const need = <T>(found: T | null | undefined, what: string): T => {
    if (found === undefined || found === null) throw new Error(`no ${what}`);
    return found;
  };
  const runIds = (): string[] => task.view().runs.map((r) => r.runId);
  const cp = (n: number): CheckpointId => {
    if (n === 0) return need(points()[0], 'first checkpoint').checkpointId;
    const runId = runIds()[n - 1];
    return need(
      points().findLast((r) => r.runId === runId && r.kind === 'turn'),
      `cp${n}`,
    ).checkpointId;
  };
  const snapshot = (id: CheckpointId): SnapshotId =>
    need(points().find((r) => r.checkpointId === id)?.snapshotId, 'snapshot');
  const request = (to: CheckpointId, o: Partial<RestoreRequest> = {}): RestoreRequest => ({
    checkpointId: to,
    scope: 'files',
    whole: false,
    conflicts: null,
    ...o,
  });
  return {
    h,
    task,
    beside: async () => benchOf(h, await h.newTask()),
    run: (text) => h.run(task, text),
    points,
    cp,
    before: (n) => {
      const runId = runIds()[n - 1];
      const kind = n === 1 ? 'initial' : 'run';
      return need(
        points().find((r) => r.runId === runId && r.kind === kind),
        `point before message ${n}`,
      ).checkpointId;
    },
    plan: (to, o) => h.service.plan(task, request(to, o)),
    restore: (to, o) => h.service.restore(task, { ...request(to, o), fingerprint: null }),
    async changes(from, to) {
      const engine = await h.service.engine();
      const { signal } = new AbortController();
      const end = to === undefined ? 'workspace' : snapshot(to);
      const found = await engine.changes(snapshot(from), end, { signal, counts: true });
      return found.map((c: { kind: Change['kind']; path: string }) => {
        const name = Buffer.from(c.path, 'latin1').toString();
        return `${c.kind} ${name}`;
      });
    },
    put(name, content, mode) {
      fs.mkdirSync(path.dirname(at(name)), { recursive: true });
      fs.writeFileSync(at(name), content);
      if (mode !== undefined) fs.chmodSync(at(name), mode);
    },
    text: (name) => fs.readFileSync(at(name), 'utf8'),
    has: (name) => fs.lstatSync(at(name), { throwIfNoEntry: false }) !== undefined,
    sh: (command) =>
      execFileSync('sh', ['-c', command], {
        cwd: h.folder,
        env: { ...plainEnv, ...who },
        stdio: ['ignore', 'pipe', 'pipe'],
      }).toString(),
    tree: () => workTreeOf(h.folder),
    close: () => h.close(),
  };
}
