// The exact words of the markers on the tide line (SPEC 3). Pure.
import type { CheckpointId } from '../../../shared/ids';
import { checkpointWords } from '../../store/checkpoint-words';
import { isHandEdits, type MarkerItem } from './items';

/** True when the files still equal this marker since the last restore went to it. */
export const isRestoredTo = (item: MarkerItem, restoredTo: CheckpointId | null): boolean =>
  restoredTo !== null && [item.row, ...item.also].some((r) => r.checkpointId === restoredTo);

export function markerWords(item: MarkerItem, restoredTo: CheckpointId | null): string {
  const { row } = item;
  if (row.failed !== null) return checkpointWords(row);
  if (isRestoredTo(item, restoredTo)) return 'Checkpoint (restored)';
  if (row.kind === 'redo' || row.kind === 'compaction') return checkpointWords(row);
  const name = nameOf(item);
  if (name !== null) return name;
  return checkpointWords([row, ...item.also].find((r) => r.kind === 'initial') ?? row);
}

/** The name that was given to it, or to one that it stands for. */
export function nameOf(item: MarkerItem): string | null {
  return item.row.name ?? item.also.findLast((r) => r.name !== null)?.name ?? null;
}

/** What changed up to this marker; null: nothing to say here (edits by hand have their own row). */
export function markerCounts(
  item: MarkerItem,
): { files: number; added: number | null; removed: number | null } | null {
  const row = [...item.also, item.row].findLast((r) => r.files > 0);
  if (row === undefined || row.kind === 'initial' || row.kind === 'redo' || isHandEdits(row)) return null;
  return { files: row.files, added: row.added, removed: row.removed };
}
