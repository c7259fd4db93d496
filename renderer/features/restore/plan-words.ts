// A restore in words: the title, what it will do, and what happens to each file. Pure.
import type { PlannedFile, RestorePreview } from '../../../shared/domain';
import type { Progress, RestoreRequest } from '../../store/restore';
import { countOf } from '../../store/restore-words';

export function planTitle(
  request: Pick<RestoreRequest, 'scope' | 'whole' | 'label' | 'back' | 'line'>,
): string {
  if (request.line === true) return 'Return to this line?';
  if (request.back !== undefined) return `Take back the restore of ${request.label}?`;
  const what = request.whole
    ? 'whole workspace'
    : { all: 'files & task', files: 'files', task: 'task' }[request.scope];
  return `Restore ${what} to ${request.label}?`;
}

/** A prompt is promised only when there is one (SPEC 6). */
export function planText(
  request: Pick<RestoreRequest, 'scope' | 'whole' | 'back' | 'line'>,
  preview: RestorePreview | null,
): string {
  const clears = preview?.clears ?? 0;
  if (request.line === true) {
    const files = request.scope === 'task' ? 'Files stay as they are.' : 'Its files come back with it.';
    const leaves =
      clears === 0 ? '' : ` The ${countOf(clears, 'message')} of the present line can be returned to.`;
    return `Brings back the conversation from “${request.back ?? ''}”. ${files}${leaves}`;
  }
  if (request.back !== undefined) {
    const since = clears === 0 ? '' : ` Clears the ${countOf(clears, 'message')} written since.`;
    return `Brings back ${request.back}, as before that restore.${since}`;
  }
  const effect = request.whole
    ? "Restores every captured file, not only this task's. Messages stay."
    : {
        all: 'Reverts files and clears messages after this point.',
        files: 'Reverts files to this checkpoint. Messages stay.',
        task: 'Clears messages after this point. Files stay as they are.',
      }[request.scope];
  const prompt = preview?.prompt ?? null;
  return prompt === null
    ? effect
    : `${effect} Your next prompt will be filled with the one that followed it.`;
}

/** Letter and words for one file of the plan; the letter says what happens to it now. */
export function fileWords(file: Pick<PlannedFile, 'action' | 'by'>): {
  readonly letter: 'M' | 'A' | 'D';
  readonly words: string;
} {
  const letter = file.action === 'bring-back' ? 'A' : file.action === 'remove' ? 'D' : 'M';
  const words = {
    revert: 'reverted',
    'bring-back': 'brought back',
    remove: 'added since, removed',
    merge: 'reverted, your edits kept',
    mode: 'permissions reverted',
  }[file.action];
  return {
    letter,
    words: file.by === 'other' && file.action !== 'merge' ? `${words} · not changed by this task` : words,
  };
}

export function handEditWords(paths: readonly { readonly path: string }[]): string {
  const [only] = paths;
  const what = paths.length === 1 && only !== undefined ? only.path : countOf(paths.length, 'file');
  return `You edited ${what} by hand. Your lines are kept: they do not touch the agent's.`;
}

export const conflictWords = (n: number): string =>
  n === 1
    ? 'Your edits and the checkpoint touch the same lines of this file'
    : `Your edits and the checkpoint touch the same lines of ${n} files`;

const number = new Intl.NumberFormat('en');

/** Contents are first laid ready, then put in place; nothing in the folder has changed before that. */
export function progressWords(p: Progress): string {
  const what = p.phase === 'prepare' ? 'Preparing' : 'Restoring';
  return `${what} ${number.format(p.done)} of ${number.format(p.total)} ${p.total === 1 ? 'file' : 'files'}`;
}
