// Restoring: checks everything, stages everything, journals, moves, and takes it all back when a step fails.
// Owns: that order. Does not own: deciding what to restore (plan.ts), the steps in the workspace (move.ts).
// Invariants: nothing is overwritten or removed whose present state the redo point does not hold; the workspace ends
// all new or all old; a journal exists for as long as it may be neither.

import { TidemarkError, throwIfAborted } from '../../shared/errors';
import type { SnapshotId } from '../../shared/ids';
import { type RelPath, relPathToText } from '../../shared/rel-path';
import { type CaptureContext, capture } from './capture';
import { diskState, holds } from './disk-state';
import type { Cancel, OnProgress, PlanEntry, RestorePlan, RestoreReceipt, Trailers } from './engine';
import { errnoOf } from './failure';
import { foldersAround } from './folders-around';
import { type Journal, removeJournal, writeJournal } from './journal';
import { MoveError, moveAll } from './move';
import { countOff } from './progress';
import type { Store } from './shadow-repo';
import { openSnapshot, type Snapshot } from './snapshot';
import { needsContent, removeStage, type Stage, stageContents } from './stage';
import type { Tree } from './tree';
import { unwritable } from './unwritable';
import { isFolder, sameState, stateAt } from './view';

export type ApplyRequest = Cancel & {
  readonly redo: SnapshotId;
  readonly note: string;
  readonly trailers: Trailers;
  readonly progress?: OnProgress;
};

const names = (paths: readonly RelPath[]): string[] => paths.map((p) => relPathToText(p).path);

function stale(paths: readonly RelPath[]): TidemarkError {
  return new TidemarkError(
    'plan-stale',
    'Files changed after the list was made. Nothing was touched: look at the new list.',
    { paths: names(paths) },
  );
}

/** The paths whose state on disk, or in the redo point, is not the one that was planned with. */
async function moved(c: CaptureContext, plan: RestorePlan, redo: Snapshot): Promise<RelPath[]> {
  const out: RelPath[] = [];
  for (const e of plan.entries) {
    const saved = await stateAt(redo, e.path);
    const inRedo = sameState(saved, e.from) || (isFolder(saved) && isFolder(e.from));
    if (!inRedo || !holds(c.store, e.path, e.from, e.to)) out.push(e.path);
  }
  return out;
}

/** The same entries the other way round. */
export function inverse(entries: readonly PlanEntry[]): PlanEntry[] {
  return entries.map((e) => ({
    ...e,
    from: e.to,
    to: e.from,
    action:
      e.action === 'mode' ? 'mode' : e.to === null ? 'bring-back' : e.from === null ? 'remove' : 'revert',
  }));
}

/** Stages and moves those of the entries that are not in place yet. `keep`: folders that stay though empty. */
export async function carryOut(
  c: { readonly store: Store },
  o: {
    readonly entries: readonly PlanEntry[];
    readonly keep: readonly RelPath[];
    readonly folders: Journal['folders'];
    readonly folderBits: number;
  },
  staged?: Stage,
  progress?: OnProgress,
): Promise<void> {
  // a folder's bits are no part of what is compared, so folders are always set again
  const isOpen = (e: PlanEntry): boolean => isFolder(e.to) || !holds(c.store, e.path, e.to, e.to);
  // permission bits alone are no use to a file that went missing after a crash
  const whole = (e: PlanEntry): PlanEntry =>
    e.action === 'mode' && diskState(c.store, e.path, null) === null ? { ...e, action: 'bring-back' } : e;
  const entries = staged === undefined ? o.entries.filter(isOpen).map(whole) : o.entries;
  const stage = staged ?? (await stageContents(c.store, entries));
  try {
    // a folder that is an entry of its own stays too, empty or not
    const keepFolders = new Set([...o.keep, ...o.entries.filter((e) => isFolder(e.to)).map((e) => e.path)]);
    const removed = o.entries.filter((e) => e.to === null).map((e) => e.path);
    const folders = new Map(o.folders);
    await moveAll({
      store: c.store,
      entries,
      stage,
      removed,
      keepFolders,
      folders,
      folderBits: o.folderBits,
      moved: countOff('move', entries.length, progress),
    });
  } finally {
    removeStage(stage);
  }
}

/** Puts everything back as the redo point has it. @throws restore-failed when that fails too; the journal stays */
export async function putBack(c: CaptureContext, j: Journal, failed: readonly RelPath[]): Promise<void> {
  try {
    const { keepAtRedo: keep, foldersAtRedo: folders, folderBits } = j;
    await carryOut(c, { entries: inverse(j.entries), keep, folders, folderBits });
  } catch (cause) {
    throw new TidemarkError(
      'restore-failed',
      'The restore failed, and some files could not be put back. They are safe in the redo point; it is tried again when this folder is used next.',
      {
        cause,
        paths: names(cause instanceof MoveError ? [...failed, cause.path] : failed),
        hint: 'Look at the permissions of these files and their folders, then retry.',
      },
    );
  }
}

const DENIED = 'permission denied';

/** What is denied for one file is denied for others too: then each of them is to be named. */
const isDenied = (thrown: unknown): boolean => whyFailed(thrown) === DENIED;

function whyFailed(thrown: unknown): string {
  const code = errnoOf(thrown instanceof MoveError ? thrown.cause : thrown);
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return DENIED;
  if (code === 'EBUSY' || code === 'ETXTBSY') return 'in use by another program';
  if (code === 'ENOTEMPTY') return 'the folder holds files that stay';
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/**
 * After the files: the snapshot of the result, then the journal says done. `since`: root of the redo point when
 * that was captured a moment ago; what the restore did not touch is then as it is there, and an edit made meanwhile
 * belongs to the next snapshot.
 */
export async function complete(
  c: CaptureContext,
  j: Journal,
  o: Cancel & { readonly since?: Tree },
): Promise<RestoreReceipt> {
  const after = await capture(c, {
    ...o,
    trailers: j.trailers,
    touched: j.entries.map((e) => e.path),
  });
  writeJournal(c.store, { ...j, state: 'done', after: after.id });
  return { after: after.id, redo: j.redo, entries: j.entries };
}

async function prepare(
  c: CaptureContext,
  plan: RestorePlan,
  o: ApplyRequest,
): Promise<{ journal: Journal; stage: Stage; since: Tree }> {
  const redo = await openSnapshot(c.store, o.redo);
  const target = await openSnapshot(c.store, plan.target);
  const changed = await moved(c, plan, redo);
  if (changed.length > 0) throw stale(changed);
  const around = await foldersAround(c.store, plan, target, o.signal);
  const stage = await stageContents(
    c.store,
    plan.entries,
    countOff('prepare', plan.entries.filter(needsContent).length, o.progress),
  );
  const journal: Journal = {
    v: 1,
    state: 'moving',
    target: plan.target,
    redo: o.redo,
    after: null,
    note: o.note,
    trailers: o.trailers,
    entries: plan.entries,
    ...around,
    folderBits: target.record.defaults.folder,
  };
  return { journal, stage, since: redo.root };
}

export async function applyPlan(
  c: CaptureContext,
  plan: RestorePlan,
  o: ApplyRequest,
): Promise<RestoreReceipt> {
  if (plan.conflicts.length > 0) {
    throw new TidemarkError(
      'conflicts',
      'Some files were changed by hand where the restore would change them. Choose what to keep.',
      { paths: names(plan.conflicts.map((x) => x.path)) },
    );
  }
  const { journal, stage, since } = await prepare(c, plan, o);
  try {
    throwIfAborted(o.signal);
    // staging takes time: the last look is right before the first move
    const late = plan.entries.filter((e) => !holds(c.store, e.path, e.from, e.to)).map((e) => e.path);
    if (late.length > 0) throw stale(late);
    writeJournal(c.store, journal);
  } catch (thrown) {
    removeStage(stage);
    throw thrown;
  }
  // from here on it is all or nothing, so a signal no longer counts
  const all = { signal: new AbortController().signal };
  try {
    await carryOut(c, journal, stage, o.progress);
    return await complete(c, journal, { ...all, since });
  } catch (cause) {
    const failed = cause instanceof MoveError ? [cause.path] : [];
    await putBack(c, journal, failed);
    removeJournal(c.store);
    if (isDenied(cause)) failed.push(...unwritable(c.store, plan.entries).filter((p) => !failed.includes(p)));
    throw new TidemarkError(
      'restore-failed',
      `The files could not be restored (${whyFailed(cause)}). They are all as they were before.`,
      { cause, paths: names(failed) },
    );
  }
}
