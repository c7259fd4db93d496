// Which checkpoints the palette offers, and what tells one from another. Pure.
import { activeRows, type CheckpointRow, type TaskView } from '../../../shared/fold';
import { countOf } from '../../store/restore-words';

/** Those with files on the active line, newest first; of neighbours with one snapshot the latest, unless named. */
export function offeredCheckpoints(view: TaskView): readonly CheckpointRow[] {
  const rows = activeRows(view).filter(
    (r): r is CheckpointRow => r.type === 'checkpoint' && r.snapshotId !== null,
  );
  const isOffered = (row: CheckpointRow, i: number): boolean => {
    const next = rows[i + 1];
    const same = next !== undefined && next.snapshotId === row.snapshotId && next.runId === row.runId;
    return row.name !== null || row.kind === 'initial' || row.undoes !== null || !same;
  };
  return rows.filter(isOffered).reverse();
}

/** "before “move the prices”", "after “move the prices” · 2 files". */
export function placeWords(row: CheckpointRow, view: TaskView): string {
  const prompt = view.runs
    .find((r) => r.runId === row.runId)
    ?.prompt.text.trim()
    .split('\n')[0];
  const changed = row.files > 0 && row.kind !== 'initial' ? countOf(row.files, 'file') : null;
  const where =
    prompt === undefined
      ? null
      : `${row.kind === 'initial' || row.kind === 'run' ? 'before' : 'after'} “${prompt}”`;
  return [where, changed].filter((w) => w !== null).join(' · ');
}
