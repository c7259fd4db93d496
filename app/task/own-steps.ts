// What a task itself did to its workspace, read from its facts. Pure.
// Owns: the order of own steps, the newest snapshot, the paths recorded by tools. Restores count as the task's own
// (SPEC 6), and so do runs on lines that were abandoned: their changes may still be on disk.
import { checkpointRows, type RestoreFacts, type TaskView } from '../../shared/fold';
import type { CheckpointId, SnapshotId } from '../../shared/ids';
import { type RelPath, relPathOf } from '../../shared/rel-path';
import type { OwnStep } from '../checkpoint/engine';

/**
 * Own steps, oldest first. A restore that was taken back has changed nothing on the whole: then it and its taking back
 * own only what was the task's before, or a file made by hand would count as the agent's from then on.
 * @param whole the redo point whose restore counts in full, because it is the one to be taken back now
 */
export function ownSteps(view: TaskView, whole: CheckpointId | null = null): OwnStep[] {
  const steps: { seq: number; step: OwnStep }[] = [];
  for (const row of checkpointRows(view)) {
    if (row.snapshotId === null || row.before === null || row.before === row.snapshotId) continue;
    if (row.own === 'task') {
      steps.push({ seq: row.seq, step: { before: row.before, after: row.snapshotId, only: null } });
    }
    // recorded paths count also where the snapshots do not differ: what the rules leave out is in no snapshot at first
    if (row.own === 'paths' || (row.own === 'none' && row.ownPaths.length > 0)) {
      steps.push({
        seq: row.seq,
        step: { before: row.before, after: row.snapshotId, only: row.ownPaths.map(relPathOf) },
      });
    }
  }
  const redoSnapshots = new Map(checkpointRows(view).map((r) => [r.checkpointId, r.snapshotId]));
  for (const restore of view.restores) {
    const before = redoSnapshots.get(restore.redo) ?? null;
    if (before === null || restore.snapshotId === null) continue;
    const files = restore.redo === whole ? restore.files : ownFiles(view, restore);
    if (files.length === 0) continue;
    steps.push({ seq: restore.seq, step: { before, after: restore.snapshotId, only: files.map(relPathOf) } });
  }
  return steps.sort((a, b) => a.seq - b.seq).map((s) => s.step);
}

/** True when a restore's effect on files is gone: it was taken back, and that was not taken back in turn. */
function isUndone(view: TaskView, restore: RestoreFacts): boolean {
  return view.restores.some(
    (r) => r.seq > restore.seq && r.to === restore.redo && r.filesRestored && !isUndone(view, r),
  );
}

/**
 * The files that a restore made the task's. One that was taken back, and its taking back, come to nothing together: a
 * file made or edited by hand before them is by hand after them too.
 */
function ownFiles(view: TaskView, restore: RestoreFacts): RestoreFacts['files'] {
  if (isUndone(view, restore)) return [];
  const undoes = view.restores.find((r) => r.redo === restore.to && r.seq < restore.seq);
  return undoes?.filesRestored === true ? [] : restore.files;
}

/**
 * Whose the changes since the task's newest snapshot are: an earlier run may have worked without checkpoints, and what
 * it did is no hand edit. "paths" comes with what its tools touched.
 */
export function ownSince(view: TaskView): { own: 'task' | 'paths' | 'user'; touched: RelPath[] } {
  const newest = newestSeq(view);
  const unsaved = view.rows.filter(
    (r) =>
      r.type === 'tool' && (r.endedSeq ?? r.seq) > newest && r.state !== 'requested' && r.state !== 'asking',
  );
  const touched = new Set<RelPath>();
  for (const row of unsaved) {
    if (row.type !== 'tool') continue;
    if (row.display.kind === 'command' || row.tool === 'run_command') return { own: 'task', touched: [] };
    for (const p of row.touched) touched.add(relPathOf(p));
  }
  return { own: touched.size === 0 ? 'user' : 'paths', touched: [...touched] };
}

/** The number of the task's newest snapshot; 0 before the first. */
const newestSeq = (view: TaskView): number =>
  Math.max(
    0,
    ...[...checkpointRows(view), ...view.restores].flatMap((f) => (f.snapshotId === null ? [] : [f.seq])),
  );

/** True when a background command of the task has lived since its newest snapshot: what changed belongs to its run. */
export function ranInBackground(view: TaskView): boolean {
  const newest = newestSeq(view);
  return view.background.some((b) => b.ended === null || b.ended.seq > newest);
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
