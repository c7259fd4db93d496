// What a checkpoint is called, wherever it is named. Pure.
import type { CheckpointRow } from '../../shared/fold';

/** The words of its marker (SPEC 3), as far as the checkpoint itself tells. */
export function checkpointWords(row: Pick<CheckpointRow, 'kind' | 'name' | 'failed'>): string {
  if (row.failed !== null) return 'Checkpoint failed';
  if (row.kind === 'redo') return 'Redo point';
  if (row.kind === 'compaction') return 'Compaction checkpoint';
  return row.name ?? (row.kind === 'initial' ? 'Initial checkpoint' : 'Checkpoint');
}
