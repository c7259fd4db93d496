// What is said of a restore, after it and on its redo point. Pure.
import type { RestoreOutcome } from '../../shared/domain';
import type { RestoreFacts } from '../../shared/fold';

export const countOf = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;

/** The toast's words; the detail appears only where files moved. */
export function restoredWords(
  outcome: RestoreOutcome,
  label: string,
  undo: boolean,
): { readonly text: string; readonly detail: string | null } {
  const files = outcome.filesRestored ? countOf(outcome.files.length, 'file') : null;
  const what = [files, outcome.taskRestored ? 'the task' : null].filter((w) => w !== null).join(' and ');
  const text = undo ? `Restore taken back: ${what}` : `Restored ${what} to ${label}`;
  const left = outcome.notCovered.length;
  const details = [
    left > 0
      ? `${countOf(left, 'file')} not covered by the checkpoint ${left === 1 ? 'was' : 'were'} left alone.`
      : '',
    outcome.filesRestored ? 'Text not yet saved in other programs is not seen.' : '',
  ].filter((d) => d !== '');
  return { text, detail: details.length === 0 ? null : details.join(' ') };
}

/** What taking a restore back would bring back: "4 files and the task", or the one file by its name. */
export function backWords(
  undoes: Pick<RestoreFacts, 'files' | 'filesRestored' | 'taskRestored' | 'only' | 'whole'>,
): string {
  const [only] = undoes.only ?? [];
  const many = `${countOf(undoes.files.length, 'file')}${undoes.whole ? ' of the whole workspace' : ''}`;
  const files =
    !undoes.filesRestored || undoes.files.length === 0
      ? null
      : undoes.only?.length === 1
        ? (only?.path ?? null)
        : many;
  const parts = [files, undoes.taskRestored ? 'the task' : null].filter((w) => w !== null);
  return parts.length === 0 ? 'no change' : parts.join(' and ');
}
