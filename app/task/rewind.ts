// Restoring: plan for the dialog, and the restore itself. Shared by app and command line.
// Owns: the order of its steps. Does not own: file work (engine), stopping runs (service), asking the user.
// Invariants: whatever can be checked is checked before the first byte or message moves; a redo point is in the log
// before that; files and task move together, or the task alone and the error says so (SPEC 6).
import type { RestoreOutcome, RestorePreview } from '../../shared/domain';
import { isAbort, TidemarkError, toErrorInfo } from '../../shared/errors';
import type { FactOf } from '../../shared/events';
import { firstClearedPrompt } from '../../shared/fold';
import { type CheckpointId, newCheckpointId } from '../../shared/ids';
import { relPathToText } from '../../shared/rel-path';
import type { CheckpointEngine, Hold, OnProgress, RestorePlan } from '../checkpoint/engine';
import { toChosen, toLeftOut, toPlannedFiles } from './engine-edge';
import { randomBytes } from './random';
import { choicesOf, meaningOf, previewOf, type RestoreMeaning, type RestoreRequest } from './restore-request';
import { saveCheckpoint } from './save-checkpoint';
import type { RestoreNote } from './take-hold';
import type { Task } from './task';

/** Looks at what a restore would do; changes nothing and needs no hold. `engine` null: checkpoints are off. */
export async function planRestore(
  task: Task,
  engine: CheckpointEngine | null,
  request: RestoreRequest,
  signal: AbortSignal,
): Promise<RestorePreview> {
  const meaning = meaningOf(task.view(), request);
  return previewOf(task.view(), meaning, await planFiles(engine, meaning, request, signal));
}

/** The engine's plan; null when no file is to be restored. @throws checkpoints-off, snapshot-missing */
export async function planFiles(
  engine: CheckpointEngine | null,
  meaning: RestoreMeaning,
  request: RestoreRequest,
  signal: AbortSignal,
): Promise<RestorePlan | null> {
  if (meaning.files === null) return null;
  return needEngine(engine).plan(meaning.files.target, meaning.files.scope, {
    signal,
    choices: choicesOf(request.conflicts),
  });
}

function needEngine(engine: CheckpointEngine | null): CheckpointEngine {
  if (engine !== null) return engine;
  throw new TidemarkError(
    'checkpoints-off',
    'Checkpoints are off for this folder, so files cannot be restored.',
    {
      hint: 'Enable checkpoints, or restore the task only. Nothing was changed.',
    },
  );
}

export type RestoreOptions = RestoreRequest & {
  /** of the list that was confirmed; null: whatever the plan is now */
  readonly fingerprint: string | null;
  readonly signal: AbortSignal;
  readonly progress?: OnProgress | undefined;
};

/**
 * Restores. The task's run has been stopped, and `hold` is this workspace's (null when checkpoints are off, then only
 * the task can be restored).
 * @throws plan-stale, conflicts, snapshot-missing, checkpoints-off, checkpoint-failed: then nothing has moved. A
 * failure while files are written is in `filesError` of the outcome when the task was restored, else thrown.
 */
export async function restore(
  task: Task,
  place: { readonly engine: CheckpointEngine; readonly hold: Hold } | null,
  o: RestoreOptions,
): Promise<RestoreOutcome> {
  const { signal } = o;
  await task.refresh();
  const meaning = meaningOf(task.view(), o);
  const plan = await planFiles(place?.engine ?? null, meaning, o, signal);
  if (plan !== null) refuseUnsettled(plan, o.fingerprint);
  const prompt = meaning.scope === 'files' ? null : firstClearedPrompt(task.view(), meaning.row.line);
  const redo = await saveRedo(task, place, plan, signal);
  const fact: FactOf<'restore.completed'> = {
    type: 'restore.completed',
    to: meaning.row.checkpointId,
    redo,
    scope: meaning.scope,
    whole: meaning.whole,
    only: meaning.only === null ? null : [...meaning.only],
    taskRestored: meaning.scope !== 'files',
    filesRestored: plan !== null,
    line: meaning.scope === 'files' ? task.view().line : meaning.row.line,
    snapshotId: null,
    files: plan === null ? [] : toPlannedFiles(plan),
    conflicts: [],
    ...(plan === null || plan.settled.length === 0 ? {} : { chosen: toChosen(plan) }),
    ...(plan === null || o.without === undefined ? {} : { without: [...o.without] }),
    notCovered: plan === null ? [] : plan.notCovered.map(toLeftOut),
    prompt,
    filesError: null,
  };
  if (plan === null || place === null) {
    await task.append(fact);
    return outcomeOf(fact);
  }
  return applyFiles(task, place, plan, fact, o);
}

/** A conflict that nobody has settled, or a list that is not the confirmed one, stops the restore here. */
function refuseUnsettled(plan: RestorePlan, fingerprint: string | null): void {
  if (fingerprint !== null && plan.fingerprint !== fingerprint) {
    throw new TidemarkError(
      'plan-stale',
      'The folder has changed since this list was made. Nothing was restored.',
      {
        hint: 'Look at the new list, then confirm again.',
      },
    );
  }
  if (plan.conflicts.length === 0) return;
  throw new TidemarkError(
    'conflicts',
    'You have edited lines that the checkpoint would change. Nothing was restored.',
    {
      hint: 'Choose for them: keep mine, or take the checkpoint’s.',
      paths: plan.conflicts.map((c) => relPathToText(c.path).path),
    },
  );
}

async function saveRedo(
  task: Task,
  place: { readonly engine: CheckpointEngine; readonly hold: Hold } | null,
  plan: RestorePlan | null,
  signal: AbortSignal,
): Promise<CheckpointId> {
  if (plan !== null && place !== null) {
    const saved = await saveCheckpoint(place.engine, place.hold, {
      task,
      kind: 'redo',
      runId: null,
      own: 'user',
      signal,
      // Also what stands ignored in the way of the restore: nothing is overwritten that the redo point does not hold.
      touched: plan.entries.map((e) => e.path),
      planned: plan.fingerprint,
    });
    return saved.checkpointId;
  }
  const checkpointId = newCheckpointId(randomBytes);
  await task.append({
    type: 'checkpoint.created',
    checkpointId,
    kind: 'redo',
    name: null,
    runId: null,
    snapshotId: null,
    line: task.view().line,
    before: null,
    files: 0,
    added: null,
    removed: null,
    skipped: [],
    own: 'none',
    ownPaths: [],
    ms: 0,
  });
  return checkpointId;
}

async function applyFiles(
  task: Task,
  place: { readonly engine: CheckpointEngine; readonly hold: Hold },
  plan: RestorePlan,
  fact: FactOf<'restore.completed'>,
  { signal, progress }: RestoreOptions,
): Promise<RestoreOutcome> {
  const redoRow = task.view().rows.findLast((r) => r.type === 'checkpoint' && r.checkpointId === fact.redo);
  if (redoRow?.type !== 'checkpoint' || redoRow.snapshotId === null) {
    throw new TidemarkError('checkpoint-failed', 'The redo point was not saved. Nothing was restored.');
  }
  const note: RestoreNote = { taskId: task.id, fact };
  try {
    const receipt = await place.hold.apply(plan, {
      signal,
      redo: redoRow.snapshotId,
      note: JSON.stringify(note),
      trailers: { taskId: task.id, runId: null, kind: 'restored' },
      ...(progress === undefined ? {} : { progress }),
    });
    const done = { ...fact, snapshotId: receipt.after };
    await task.append(done);
    await place.hold.acknowledge();
    return outcomeOf(done);
  } catch (error) {
    const info = toErrorInfo(error);
    // Only a failure while writing lets the task go back alone; all else was found before anything moved.
    if (info.code !== 'restore-failed' || fact.scope !== 'all' || isAbort(error)) throw error;
    const failed = { ...fact, filesRestored: false, files: [], filesError: info };
    await task.append(failed);
    return outcomeOf(failed);
  }
}

/** What a restore's fact says, for whoever asked for it. */
export const outcomeOf = (f: FactOf<'restore.completed'>): RestoreOutcome => ({
  redoId: f.redo,
  taskRestored: f.taskRestored,
  filesRestored: f.filesRestored,
  files: f.files,
  conflicts: f.conflicts,
  notCovered: f.notCovered,
  prompt: f.prompt,
  filesError: f.filesError,
});
