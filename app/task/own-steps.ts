// What a task itself did to its workspace, read from its facts. Pure.
// Owns: the order of own steps, the newest snapshot, the paths recorded by tools. Restores count as the task's own
// (SPEC 6), and so do runs on lines that were abandoned: their changes may still be on disk.
import { checkpointRows, type TaskView } from '../../shared/fold';
import type { SnapshotId } from '../../shared/ids';
import { type RelPath, relPathOf } from '../../shared/rel-path';
import type { OwnStep } from '../checkpoint/engine';

/** Own steps, oldest first. */
export function ownSteps(view: TaskView): OwnStep[] {
  const steps: { seq: number; step: OwnStep }[] = [];
  for (const row of checkpointRows(view)) {
    if (row.snapshotId === null || row.before === null || row.before === row.snapshotId) continue;
    if (row.own === 'task') {
      steps.push({ seq: row.seq, step: { before: row.before, after: row.snapshotId, only: null } });
    }
    if (row.own === 'paths') {
      steps.push({
        seq: row.seq,
        step: { before: row.before, after: row.snapshotId, only: row.ownPaths.map(relPathOf) },
      });
    }
  }
  const redoSnapshots = new Map(checkpointRows(view).map((r) => [r.checkpointId, r.snapshotId]));
  for (const restore of view.restores) {
    const before = redoSnapshots.get(restore.redo) ?? null;
    if (before === null || restore.snapshotId === null || restore.files.length === 0) continue;
    steps.push({
      seq: restore.seq,
      step: { before, after: restore.snapshotId, only: restore.files.map(relPathOf) },
    });
  }
  return steps.sort((a, b) => a.seq - b.seq).map((s) => s.step);
}

/** Limits steps to the given paths; steps that then own nothing drop out. */
export function limitSteps(steps: readonly OwnStep[], paths: readonly RelPath[]): OwnStep[] {
  const wanted = new Set<string>(paths);
  return steps
    .map((s) => ({ ...s, only: s.only === null ? paths : s.only.filter((p) => wanted.has(p)) }))
    .filter((s) => s.only.length > 0);
}

/** The task's newest snapshot, by a checkpoint or a restore; null when it has none. */
export function newestSnapshot(view: TaskView): SnapshotId | null {
  let newest: { seq: number; id: SnapshotId } | null = null;
  for (const fact of [...checkpointRows(view), ...view.restores]) {
    if (fact.snapshotId === null || (newest !== null && fact.seq < newest.seq)) continue;
    newest = { seq: fact.seq, id: fact.snapshotId };
  }
  return newest?.id ?? null;
}

/** Every path that an editing tool of this task has written, moved or deleted. */
export function recordedPaths(view: TaskView): RelPath[] {
  const paths = new Set<RelPath>();
  for (const row of view.rows) if (row.type === 'tool') for (const p of row.touched) paths.add(relPathOf(p));
  return [...paths];
}
