// Which ways back a checkpoint offers, with the labels that SPEC 6 fixes. Pure.
import type { Scope } from '../../../shared/domain';
import type { CheckpointRow } from '../../../shared/fold';

export type RestoreEntry = {
  readonly name: string;
  readonly text: string;
  readonly scope: Scope;
  readonly whole: boolean;
  readonly disabled: boolean;
};

/** In the order of the menu; all but the first stand under "More options". */
export function restoreEntries(
  row: Pick<CheckpointRow, 'snapshotId' | 'kind'>,
  restored: boolean,
): readonly RestoreEntry[] {
  const entry = (
    name: string,
    text: string,
    scope: Scope,
    whole = false,
    disabled = false,
  ): RestoreEntry => ({
    name,
    text,
    scope,
    whole,
    disabled,
  });
  const task = entry('Restore Task Only', 'Clear messages after this point', 'task');
  if (row.snapshotId === null || row.kind === 'compaction') return [task];
  return [
    entry('Restore Files & Task', 'Revert files and clear messages after this point', 'all'),
    entry(
      'Restore Files Only',
      restored ? 'The files are as they were at this checkpoint' : 'Revert files to this checkpoint',
      'files',
      false,
      restored,
    ),
    task,
    entry('Restore whole workspace…', "Every captured file, not only this task's", 'files', true),
  ];
}
