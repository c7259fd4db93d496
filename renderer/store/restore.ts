// One restore from the click to the toast: dry run, question where one is due, application, and the way back.
// Invariants: nothing is applied that was not planned and, where a question is due, confirmed; a plan that has become
// stale is shown anew; the flow ends on every path, so the buttons are always usable again (FAULTS 70, 71); a restore
// asked for while one is being applied waits, and replaces one that waits.
import { create } from 'zustand';
import type { Conflict, ConflictChoice, RestoreOutcome, RestorePreview, Scope } from '../../shared/domain';
import type { CheckpointId, TaskId } from '../../shared/ids';
import { call, type ErrorInfo } from '../bridge';
import { draftKey, fillDraft, setDraft, useDrafts } from './drafts';
import { restoredWords } from './restore-words';
import { showToast } from './toast';
import { focusComposer } from './ui';

export type RestoreRequest = {
  readonly taskId: TaskId;
  readonly checkpointId: CheckpointId;
  readonly scope: Scope;
  readonly whole: boolean;
  /** the checkpoint for people: its time, or its name */
  readonly label: string;
  /** takes a restore back: asks only when edits are at stake */
  readonly undo: boolean;
  /** through a redo point's mark: what it brings back, in words; it asks like any restore from a mark */
  readonly back?: string;
  /** the prompt that the restore which is taken back had put into the composer */
  readonly filled?: string | null;
};

export type RestoreFlow = {
  readonly request: RestoreRequest;
  /** false: it goes on by itself as long as nothing is at stake */
  readonly dialog: boolean;
  readonly preview: RestorePreview | null;
  readonly choice: ConflictChoice | null;
  /** what was to be chosen about; stays listed once it is answered, so that the answer can be changed */
  readonly conflicts: readonly Conflict[];
  readonly working: 'planning' | 'applying' | null;
  /** files changed while the question was open, so the list is a new one */
  readonly stale: boolean;
  readonly error: ErrorInfo | null;
  /** the task went back and the files did not */
  readonly partly: boolean;
};

type RestoreState = { readonly flow: RestoreFlow | null; readonly queued: RestoreRequest | null };
export const useRestore = create<RestoreState>()(() => ({ flow: null, queued: null }));

const change = (part: Partial<RestoreFlow>): void =>
  useRestore.setState((s) => (s.flow === null ? s : { flow: { ...s.flow, ...part } }));
const isCurrent = (flow: RestoreFlow): boolean => useRestore.getState().flow?.request === flow.request;

export function beginRestore(request: RestoreRequest): void {
  const { flow } = useRestore.getState();
  if (flow?.working === 'applying') {
    useRestore.setState({ queued: request });
    return;
  }
  const asks = !request.undo && (request.scope !== 'files' || request.whole);
  const next: RestoreFlow = {
    request,
    dialog: asks,
    preview: null,
    choice: null,
    conflicts: [],
    working: 'planning',
    stale: false,
    error: null,
    partly: false,
  };
  useRestore.setState({ flow: next });
  void plan();
}

export function cancelRestore(): void {
  if (useRestore.getState().flow?.working !== 'applying') finish();
}

export function chooseForConflicts(choice: ConflictChoice): void {
  change({ choice });
  void plan();
}

/** After an error: the plan again, or the files again where only they failed. */
export function retryRestore(): void {
  const { flow } = useRestore.getState();
  if (flow === null) return;
  if (flow.partly) change({ request: { ...flow.request, scope: 'files' }, partly: false });
  void plan();
}

async function plan(): Promise<void> {
  change({ working: 'planning', error: null });
  const { flow } = useRestore.getState();
  if (flow === null) return;
  const { taskId, checkpointId, scope, whole, undo } = flow.request;
  const result = await call('restore.plan', { taskId, checkpointId, scope, whole, conflicts: flow.choice });
  if (!isCurrent(flow)) return;
  if (!result.ok) {
    change({ working: null, error: result.error, dialog: true });
    return;
  }
  const preview = result.value;
  const answered = flow.choice !== null && preview.conflicts.length === 0;
  change({ preview, working: null, conflicts: answered ? flow.conflicts : preview.conflicts });
  if (flow.dialog) return;
  if ((preview.conflicts.length > 0 && flow.choice === null) || (!undo && preview.handEdits.length > 0)) {
    change({ dialog: true });
    return;
  }
  if (!undo && preview.files.length === 0) {
    showToast({ text: `Nothing to restore: the files are as they were at ${flow.request.label}.` });
    finish();
    return;
  }
  void applyRestore();
}

export async function applyRestore(): Promise<void> {
  change({ working: 'applying', error: null });
  const { flow } = useRestore.getState();
  if (flow === null || flow.preview === null) return;
  const { taskId, checkpointId, scope, whole } = flow.request;
  const fingerprint = flow.preview.fingerprint;
  const result = await call('restore.apply', {
    taskId,
    checkpointId,
    scope,
    whole,
    conflicts: flow.choice,
    fingerprint,
  });
  if (!isCurrent(flow)) return;
  if (result.ok) {
    finishWith(flow, result.value);
    return;
  }
  const moved = result.error.code === 'plan-stale';
  if (moved || result.error.code === 'conflicts') {
    // An answer given for another list is no answer for this one. Rapid toggling only asks when edits are at stake.
    change({ stale: moved && flow.dialog, choice: moved ? null : flow.choice });
    await plan();
    return;
  }
  change({ working: null, error: result.error, dialog: true });
}

function finishWith(flow: RestoreFlow, outcome: RestoreOutcome): void {
  if (outcome.taskRestored) fillComposer(flow.request, outcome);
  if (outcome.filesError !== null) {
    change({
      working: null,
      error: outcome.filesError as ErrorInfo,
      partly: outcome.taskRestored,
      dialog: true,
    });
    return;
  }
  const words = restoredWords(outcome, flow.request.label, takesBack(flow.request));
  showToast({
    text: words.text,
    detail: words.detail,
    ms: 20_000,
    action: { label: 'Undo', run: () => beginRestore(undoOf(flow.request, outcome)) },
  });
  finish();
  if (outcome.taskRestored) focusComposer();
}

const takesBack = (request: RestoreRequest): boolean => request.undo || request.back !== undefined;

function undoOf(request: RestoreRequest, outcome: RestoreOutcome): RestoreRequest {
  const scope =
    outcome.taskRestored && outcome.filesRestored ? 'all' : outcome.taskRestored ? 'task' : 'files';
  const { back: _back, ...rest } = request;
  return {
    ...rest,
    checkpointId: outcome.redoId,
    scope,
    undo: true,
    filled: outcome.taskRestored ? (outcome.prompt?.text ?? null) : null,
  };
}

function fillComposer(request: RestoreRequest, outcome: RestoreOutcome): void {
  const key = draftKey(request.taskId);
  if (outcome.prompt !== null) {
    fillDraft(key, outcome.prompt.text);
    return;
  }
  // The undo brings the message back into the conversation; untouched, it need not stay in the composer as well.
  const filled = request.filled ?? null;
  if (filled !== null && useDrafts.getState().drafts[key] === filled) setDraft(key, '');
}

function finish(): void {
  const { queued } = useRestore.getState();
  useRestore.setState({ flow: null, queued: null });
  if (queued !== null) beginRestore(queued);
}
