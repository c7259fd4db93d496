// What errors of the system mean to the engine's callers.
import { TidemarkError } from '../../shared/errors';

/** The errno name of a thrown thing ("ENOENT"), or "". */
export function errnoOf(thrown: unknown): string {
  const code = (thrown as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

/** True when the path is not there, whichever part of it is missing. */
export function isAbsent(thrown: unknown): boolean {
  const code = errnoOf(thrown);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** Gives a system error its code and a sentence; typed errors pass as they are. */
export function typedError(thrown: unknown): unknown {
  if (thrown instanceof TidemarkError) return thrown;
  const code = errnoOf(thrown);
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new TidemarkError(
      'disk-full',
      'The disk is full. Nothing was lost: the checkpoint or restore did not happen.',
      {
        cause: thrown,
        hint: 'Free some space, then try again.',
      },
    );
  }
  return thrown;
}
