// Whether the files still equal the checkpoint that they were last restored to ("Checkpoint (restored)").
// The log says which restore was the last and that no checkpoint followed; the disk can only be asked. What differs
// right after the restore (edits by hand that it left alone) does not count, only what changes from then on.
import { create } from 'zustand';
import type { TaskView } from '../../shared/fold';
import type { CheckpointId, TaskId } from '../../shared/ids';
import { call } from '../bridge';
import { recall, remember } from './remembered';
import { useTask } from './task';

type Check = { readonly key: string; readonly taskId: TaskId; readonly to: CheckpointId };
type RestoredState = { readonly checkpointId: CheckpointId | null };
export const useRestored = create<RestoredState>()(() => ({ checkpointId: null }));

const isBaseline = (v: unknown): v is { readonly key: string; readonly print: string } =>
  typeof v === 'object' && v !== null && 'key' in v && 'print' in v && typeof v.print === 'string';

let current: (Check & { baseline: string | null }) | null = null;

/** The last restore of files that nothing has followed yet. Pure. */
export function restoreInForce(view: TaskView): { readonly to: CheckpointId; readonly seq: number } | null {
  const last = view.restores.at(-1);
  if (last === undefined || !last.filesRestored || last.only !== null || !last.complete) return null;
  const later = view.rows.some((r) => r.type === 'checkpoint' && r.seq > last.seq);
  return later ? null : { to: last.to, seq: last.seq };
}

/** Called when the view changed. A restore seen for the first time in this window is its own baseline. */
export function followRestores(view: TaskView, fresh: boolean): void {
  const found = view.taskId === null ? null : restoreInForce(view);
  if (found === null || view.taskId === null) {
    current = null;
    if (useRestored.getState().checkpointId !== null) useRestored.setState({ checkpointId: null });
    return;
  }
  const key = `${view.taskId} ${found.seq}`;
  if (current?.key === key) return;
  const known = recall('restored', (v) => (isBaseline(v) && v.key === key ? v.print : ''));
  current = { key, taskId: view.taskId, to: found.to, baseline: fresh ? null : known };
  useRestored.setState({ checkpointId: fresh ? found.to : null });
  // A fresh one is looked at when the disk has come to rest (store/pushes): its last writes may still be reported.
  if (!fresh) void checkDisk();
}

/** Asks the disk again; called when something in the workspace changed. */
export async function checkDisk(): Promise<void> {
  const check = current;
  if (check === null) return;
  const result = await call('changes.list', {
    taskId: check.taskId,
    comparison: { kind: 'since', from: check.to },
  });
  if (current !== check || !result.ok) return;
  const print = result.value.changes
    .map((c) => `${c.kind} ${c.path} ${c.pathBase64 ?? ''} ${c.added} ${c.removed} ${c.newMode ?? ''}`)
    .join('\n');
  if (check.baseline === null) {
    check.baseline = print;
    remember('restored', { key: check.key, print });
  }
  const checkpointId = print === '' || print === check.baseline ? check.to : null;
  if (useTask.getState().taskId === check.taskId && useRestored.getState().checkpointId !== checkpointId)
    useRestored.setState({ checkpointId });
}
