// What a restore means before anything is looked at: its target, its scope, and which files it may touch. Pure.
import type { ConflictAnswers, RestorePreview, Scope } from '../../shared/domain';
import { TidemarkError } from '../../shared/errors';
import { activeRows, type CheckpointRow, firstClearedPrompt, type TaskView } from '../../shared/fold';
import type { CheckpointId, SnapshotId } from '../../shared/ids';
import { type PathText, relPathOf, relPathToText } from '../../shared/rel-path';
import type { ConflictChoices, RestorePlan, RestoreScope } from '../checkpoint/engine';
import { rowOf, snapshotOf } from './compare';
import { toLeftOut, toPlannedFiles } from './engine-edge';
import { limitSteps, ownSteps } from './own-steps';

export type RestoreRequest = {
  readonly checkpointId: CheckpointId;
  /** null: what fits the target (for a redo point what its restore did, else files and task) */
  readonly scope: Scope | null;
  readonly whole: boolean;
  readonly conflicts: ConflictAnswers | null;
  /** limits it to these paths (`Restore file`) */
  readonly only?: readonly PathText[];
  /** leaves these as they are (`Retry without these files`) */
  readonly without?: readonly PathText[] | undefined;
  /**
   * of a redo point: returns to the line that its restore left, with all files of the task as they were there, also
   * those that later runs changed. Without it a redo brings back exactly what its restore changed.
   */
  readonly line?: boolean | undefined;
};

export type RestoreMeaning = {
  readonly row: CheckpointRow;
  readonly scope: Scope;
  readonly whole: boolean;
  readonly only: readonly PathText[] | null;
  /** null when no file is to be restored */
  readonly files: { readonly target: SnapshotId; readonly scope: RestoreScope } | null;
};

/** @throws checkpoint-unknown; snapshot-missing; usage when the target has no files to offer */
export function meaningOf(view: TaskView, request: RestoreRequest): RestoreMeaning {
  const row = rowOf(view, request.checkpointId);
  const undoes = row.undoes;
  const filesThere = undoes === null ? row.snapshotId !== null : undoes.snapshotId !== null;
  const scope = request.scope ?? (undoes === null ? (filesThere ? 'all' : 'task') : scopeOfUndo(undoes));
  const only = request.only ?? undoes?.only ?? null;
  if (scope === 'task') return { row, scope, whole: false, only: null, files: null };
  // Taking a restore back that moved no file: nothing is to be done for files.
  if (undoes !== null && !filesThere) {
    if (request.scope === 'files') {
      throw new TidemarkError('usage', `The restore that ${row.checkpointId} takes back changed no files.`);
    }
    return { row, scope: 'task', whole: false, only: null, files: null };
  }
  const target = snapshotOf(row);
  const steps = ownSteps(view, undoes === null ? null : row.checkpointId);
  const kind = request.whole || request.only !== undefined ? 'workspace' : 'task';
  // Undo brings back exactly what its restore changed.
  const limit = request.whole || request.line === true ? null : (request.only ?? undoes?.files ?? null);
  return {
    row,
    scope,
    whole: request.whole,
    only,
    files: {
      target,
      scope: {
        kind,
        taskId: view.taskId ?? '',
        steps: limit === null ? steps : limitSteps(steps, limit.map(relPathOf)),
        ...(limit === null ? {} : { only: limit.map(relPathOf) }),
        ...(request.without === undefined ? {} : { without: request.without.map(relPathOf) }),
      },
    },
  };
}

/** The answers as the engine takes them. */
export function choicesOf(answers: ConflictAnswers | null): ConflictChoices {
  if (answers === null || typeof answers === 'string') return answers;
  return new Map(answers.map((a) => [relPathOf(a), a.choice]));
}

const scopeOfUndo = (undoes: {
  readonly taskRestored: boolean;
  readonly snapshotId: SnapshotId | null;
}): Scope => (undoes.taskRestored ? (undoes.snapshotId === null ? 'task' : 'all') : 'files');

/** What dialog and --dry-run show. `plan` is null when no file is to be restored. */
export function previewOf(view: TaskView, meaning: RestoreMeaning, plan: RestorePlan | null): RestorePreview {
  const task = meaning.scope !== 'files';
  const prompt = task ? firstClearedPrompt(view, meaning.row.line) : null;
  return {
    target: meaning.row.checkpointId,
    scope: meaning.scope,
    whole: meaning.whole,
    fingerprint: plan?.fingerprint ?? 'no-files',
    files: plan === null ? [] : toPlannedFiles(plan),
    conflicts:
      plan === null ? [] : plan.conflicts.map((c) => ({ ...relPathToText(c.path), reason: c.reason })),
    notCovered: plan === null ? [] : plan.notCovered.map(toLeftOut),
    handEdits: plan === null ? [] : plan.handEdits.map(relPathToText),
    prompt: prompt?.text ?? null,
    clears: task ? clearedMessages(view, meaning.row) : 0,
  };
}

/** Prompts and answers of the active line that come after the checkpoint. */
function clearedMessages(view: TaskView, row: CheckpointRow): number {
  const kept = new Map(row.line.map((l) => [l.runId, l.upTo]));
  return activeRows(view).filter(
    (r) => (r.type === 'prompt' || r.type === 'answer') && r.seq > (kept.get(r.runId) ?? -1),
  ).length;
}
