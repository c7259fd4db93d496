// What the three sides of a conflict hold, for people who have to choose.
// Owns: finding the conflict in a plan made now. Does not own: what a conflict is (engine), drawing it.
import type { FileSide } from '../../shared/domain';
import { TidemarkError } from '../../shared/errors';
import { type PathText, relPathOf } from '../../shared/rel-path';
import type { CheckpointEngine, EntryState } from '../checkpoint/engine';
import { onDisk } from './compare';
import { fileSide, linkSide } from './file-side';
import { meaningOf, type RestoreRequest } from './restore-request';
import { planFiles } from './rewind';
import type { Task } from './task';

/** null: the file is not there on that side. `base`: as the task itself last left it. */
export type ConflictSides = {
  readonly base: FileSide | null;
  readonly mine: FileSide | null;
  readonly checkpoint: FileSide | null;
};

/** @throws usage when there is no conflict there (any more), checkpoints-off, snapshot-missing */
export async function conflictSides(
  task: Task,
  engine: CheckpointEngine | null,
  request: RestoreRequest,
  path: PathText,
  workspace: string,
  signal: AbortSignal,
): Promise<ConflictSides> {
  const wanted = relPathOf(path);
  const open = { ...request, conflicts: null };
  const plan = await planFiles(engine, meaningOf(task.view(), open), open, signal);
  const found = plan?.conflicts.find((c) => c.path === wanted);
  if (engine === null || found === undefined) {
    throw new TidemarkError('usage', `There is no conflict about ${path.path} any more.`, {
      hint: 'Look at the new list.',
    });
  }
  const side = async (state: EntryState | null): Promise<FileSide | null> => {
    if (state === null) return null;
    const bytes = await engine.content(state, { signal });
    if (bytes === null) return { text: null, bytes: 0, encoding: '', endings: 'none', note: 'folder' };
    return state.mode === '120000' ? linkSide(bytes) : fileSide(bytes, false);
  };
  return {
    base: await side(found.base),
    // what is on disk need not be in the store yet
    mine: await onDisk(workspace, wanted, false),
    checkpoint: await side(found.theirs),
  };
}
