// Which snapshots are kept no longer: those past the days to keep, and the oldest when the store is past its size.
// Owns: the rule, and saying it in the tasks' logs. Does not own: when it is looked at (quiet-time), the store (engine).
// Invariants: what goes is always the beginning of a task's history, so whatever is left restores exactly: a path that
// only a released step changed has not been changed by the task since any point that is left. A named checkpoint, a
// favourite task, the newest snapshot and the redo point of the last restore stay, and so does all that came after
// them in their task. The fact is in the log before the store lets go.
import { type CheckpointRow, checkpointRows, type TaskView } from '../../shared/fold';
import type { SnapshotId } from '../../shared/ids';
import type { CheckpointEngine, Hold } from '../checkpoint/engine';
import type { Task } from './task';

export type RetentionRule = {
  readonly keepDays: number;
  readonly capBytes: number;
  /** of the present, in milliseconds */
  readonly now: number;
};
type Place = { readonly engine: CheckpointEngine; readonly hold: Hold };
type Saved = CheckpointRow & { readonly snapshotId: SnapshotId };

const DAY_MS = 24 * 60 * 60 * 1000;
/** When the store is past its size, so much of what may go does so at once, before its size is looked at again. */
const SHARE = 4;

/** The checkpoints at the beginning of a task that may go, oldest first. Pure. */
export function releasable(view: TaskView): {
  readonly rows: readonly Saved[];
  readonly first: SnapshotId | null;
} {
  const saved = checkpointRows(view).filter((r): r is Saved => r.snapshotId !== null);
  if (view.favorite || view.running !== null) return { rows: [], first: null };
  const lastRedo = view.restores.at(-1)?.redo ?? null;
  const stays = (r: Saved, i: number): boolean =>
    r.kind === 'manual' || r.checkpointId === lastRedo || i === saved.length - 1;
  const end = saved.findIndex(stays);
  return { rows: saved.slice(0, Math.max(0, end)), first: saved[end]?.snapshotId ?? null };
}

/** Of what may go, the part that was saved before a moment, and the first snapshot that stays. Pure. */
export function releasedBefore(
  view: TaskView,
  before: number,
): { readonly gone: readonly SnapshotId[]; readonly first: SnapshotId } | null {
  const { rows, first } = releasable(view);
  const kept = rows.findIndex((r) => Date.parse(r.at) >= before);
  const going = kept < 0 ? rows : rows.slice(0, kept);
  const next = kept < 0 ? first : (rows[kept]?.snapshotId ?? null);
  // a snapshot that serves a later checkpoint too stays with it
  const gone = [...new Set(going.map((r) => r.snapshotId))].filter((id) => id !== next);
  return next === null || gone.length === 0 ? null : { gone, first: next };
}

async function release(task: Task, place: Place, before: number, why: 'age' | 'cap', signal: AbortSignal) {
  await task.refresh();
  const part = releasedBefore(task.view(), before);
  if (part === null) return false;
  await task.append({ type: 'snapshots.released', snapshots: [...part.gone], why });
  await place.hold.letGoBefore(task.id, part.first, { signal });
  return true;
}

/** Lets go of what is past the days to keep. @returns whether anything was */
export async function releaseOld(
  tasks: readonly Task[],
  place: Place,
  rule: RetentionRule,
  signal: AbortSignal,
): Promise<boolean> {
  let any = false;
  for (const task of tasks)
    any = (await release(task, place, rule.now - rule.keepDays * DAY_MS, 'age', signal)) || any;
  return any;
}

/** Lets go of the oldest part of what may go, in all tasks alike. @returns false when nothing may go */
export async function releaseOldest(
  tasks: readonly Task[],
  place: Place,
  signal: AbortSignal,
): Promise<boolean> {
  for (const task of tasks) await task.refresh();
  // a snapshot may serve several checkpoints in a row, and goes with the last of them
  const lastUse = (t: Task): number[] => [
    ...new Map(releasable(t.view()).rows.map((r) => [r.snapshotId, Date.parse(r.at)])).values(),
  ];
  const times = tasks.flatMap(lastUse).sort((a, b) => a - b);
  const upTo = times[Math.floor((times.length - 1) / SHARE)];
  if (upTo === undefined) return false;
  let any = false;
  for (const task of tasks) any = (await release(task, place, upTo + 1, 'cap', signal)) || any;
  return any;
}
