// Takes the hold of a workspace and first puts right what a crash had cut (DESIGN law 5).
// Owns: bringing an interrupted restore into its task's log. Does not own: the restore itself (engine, rewind).
// Invariant: the journal is acknowledged only after the log has the fact.
import { z } from 'zod';
import { factSchema } from '../../shared/events';
import { type TaskId, taskIdSchema } from '../../shared/ids';
import type { CheckpointEngine, Hold, Settled } from '../checkpoint/engine';
import type { Task } from './task';

/** What `apply` is given as note: the fact that the log is to get once the files are there. */
export const restoreNoteSchema = z.object({ taskId: taskIdSchema, fact: factSchema });
export type RestoreNote = z.infer<typeof restoreNoteSchema>;

export type SettleReport = { readonly taskId: TaskId; readonly outcome: 'finished' | 'undone' };

export type HoldOptions = {
  readonly signal: AbortSignal;
  /** how long to wait for others, in milliseconds; undefined: without end */
  readonly waitMs?: number;
  /** null when the task has been deleted since */
  readonly taskById: (id: TaskId) => Promise<Task | null>;
  readonly onSettled: (report: SettleReport) => void;
};

/** @throws workspace-busy, cancelled, and what settling may meet (store-damaged, disk-full, ...) */
export async function takeHold(engine: CheckpointEngine, o: HoldOptions): Promise<Hold> {
  const hold = await engine.hold({
    signal: o.signal,
    ...(o.waitMs === undefined ? {} : { waitMs: o.waitMs }),
  });
  try {
    if (hold.settled !== null) {
      const report = await record(hold.settled, o);
      await hold.acknowledge();
      if (report !== null) o.onSettled(report);
    }
    return hold;
  } catch (error) {
    await hold.release();
    throw error;
  }
}

async function record(settled: Settled, o: HoldOptions): Promise<SettleReport | null> {
  const note = restoreNoteSchema.parse(JSON.parse(settled.note));
  const task = await o.taskById(note.taskId);
  if (task === null || note.fact.type !== 'restore.completed') return null;
  await task.refresh();
  const { fact } = note;
  if (task.view().restores.some((r) => r.redo === fact.redo)) return null;
  if (settled.receipt === null) {
    await task.append({ type: 'restore.undone', to: fact.to, redo: fact.redo });
  } else {
    await task.append({ ...fact, snapshotId: settled.receipt.after });
  }
  return { taskId: note.taskId, outcome: settled.outcome };
}
