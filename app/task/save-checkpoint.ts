// Saves one checkpoint: captures under a hold, counts what changed, appends the fact.
// Owns: what a checkpoint's fact says. Does not own: when one is saved, or what to do when it fails.
import type { CheckpointKind, Line } from '../../shared/domain';
import type { FactOf } from '../../shared/events';
import type { TaskView } from '../../shared/fold';
import { type CheckpointId, newCheckpointId, type RunId, type SnapshotId } from '../../shared/ids';
import type { RelPath } from '../../shared/rel-path';
import { relPathToText } from '../../shared/rel-path';
import type { CheckpointEngine, Hold } from '../checkpoint/engine';
import { countChanges, toLeftOut, uniquePaths } from './engine-edge';
import { newestSnapshot, ranInBackground, recordedPaths } from './own-steps';
import { randomBytes } from './random';
import type { Task } from './task';

export type SaveOptions = {
  readonly task: Task;
  readonly kind: CheckpointKind;
  readonly runId: RunId | null;
  readonly name?: string;
  /** whose the changes since the task's newest snapshot are; "paths" with `touched` */
  readonly own: FactOf<'checkpoint.created'>['own'];
  readonly touched?: readonly RelPath[];
  /** the plan that was just made under this hold (see Hold.capture) */
  readonly planned?: string;
  readonly signal: AbortSignal;
};

export type Saved = {
  readonly checkpointId: CheckpointId;
  readonly snapshotId: SnapshotId;
  readonly ms: number;
};

/** @throws whatever the capture throws; then nothing is logged */
export async function saveCheckpoint(engine: CheckpointEngine, hold: Hold, o: SaveOptions): Promise<Saved> {
  const { task, signal } = o;
  const before = newestSnapshot(task.view());
  const own = ranInBackground(task.view()) ? 'task' : o.own;
  const touched = o.touched ?? [];
  const result = await hold.capture({
    signal,
    touched: [...new Set([...recordedPaths(task.view()), ...touched])],
    ...(o.planned === undefined ? {} : { planned: o.planned }),
    trailers: { taskId: task.id, runId: o.runId, kind: o.kind },
  });
  const changes =
    before === null || before === result.id
      ? []
      : await engine.changes(before, result.id, { signal, counts: true });
  const checkpointId = newCheckpointId(randomBytes);
  await task.append({
    type: 'checkpoint.created',
    checkpointId,
    kind: o.kind,
    name: o.name ?? null,
    runId: o.runId,
    snapshotId: result.id,
    line: lineBefore(task.view(), o),
    before,
    ...countChanges(changes),
    skipped: result.skipped.map(toLeftOut),
    own: changes.length === 0 ? 'none' : own,
    ownPaths: own === 'paths' ? uniquePaths(touched.map(relPathToText)) : [],
    ms: Math.round(result.ms),
  });
  return { checkpointId, snapshotId: result.id, ms: result.ms };
}

/** A point without a snapshot, to which the conversation can go back from its summary. */
export async function markCompaction(task: Task, runId: RunId): Promise<void> {
  await task.append({
    type: 'checkpoint.created',
    checkpointId: newCheckpointId(randomBytes),
    kind: 'compaction',
    name: null,
    runId,
    snapshotId: null,
    line: task.view().line,
    before: null,
    files: 0,
    added: null,
    removed: null,
    skipped: [],
    own: 'none',
    ownPaths: [],
    ms: 0,
  });
}

/** An initial or run checkpoint is the state before its run, although it is saved beside the run's first answer. */
const lineBefore = (view: TaskView, o: SaveOptions): Line =>
  o.kind === 'initial' || o.kind === 'run' ? view.line.filter((l) => l.runId !== o.runId) : view.line;
