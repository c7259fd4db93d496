// One restore from the click to the toast: dry run, question where one is due, application, and the way back.
// Invariants: nothing is applied that was not planned and, where a question is due, confirmed; a plan that has become
// stale is shown anew; the flow ends on every path, so the buttons are always usable again (FAULTS 70, 71); a restore
// asked for while one is being applied waits, and replaces one that waits.
import { create } from 'zustand';
import type {
  Chosen,
  Conflict,
  ConflictChoice,
  Mode,
  PlannedFile,
  RestoreOutcome,
  RestorePreview,
  Scope,
} from '../../shared/domain';
import type { CheckpointId, TaskId } from '../../shared/ids';
import type { Input } from '../../shared/ipc';
import { type PathText, pathKey } from '../../shared/rel-path';
import { call, type ErrorInfo } from '../bridge';
import { draftKey, fillDraft, setDraft, useDrafts } from './drafts';
import { restoredWords } from './restore-words';
import { takeQueue } from './task';
import { showError, showToast } from './toast';
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
  /** of a redo point: returns to the line that its restore left */
  readonly line?: boolean;
  /** a sent message was edited: this is sent in its place; it asks only when edits by hand are at stake */
  readonly edited?: { readonly text: string; readonly mode: Mode };
};

export type Progress = {
  readonly phase: 'prepare' | 'move';
  readonly done: number;
  readonly total: number;
};

export type RestoreFlow = {
  readonly request: RestoreRequest;
  /** false: it goes on by itself as long as nothing is at stake */
  readonly dialog: boolean;
  readonly preview: RestorePreview | null;
  readonly answers: readonly Chosen[];
  /** what is to be chosen about; stays listed once it is answered, so that the answer can be changed */
  readonly conflicts: readonly Conflict[];
  readonly working: 'planning' | 'applying' | null;
  /** files changed while the question was open, so the list is a new one */
  readonly stale: boolean;
  readonly error: ErrorInfo | null;
  /** the task went back and the files did not */
  readonly partly: boolean;
  /** files that could not be written and are now left alone */
  readonly without: readonly PathText[];
  /** the list that was confirmed last: trying it again asks nothing new */
  readonly confirmed: readonly PlannedFile[] | null;
  readonly progress: Progress | null;
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
  const asks = !request.undo && request.edited === undefined && (request.scope !== 'files' || request.whole);
  const next: RestoreFlow = {
    request,
    dialog: asks,
    preview: null,
    answers: [],
    conflicts: [],
    working: 'planning',
    stale: false,
    error: null,
    partly: false,
    without: [],
    confirmed: null,
    progress: null,
  };
  useRestore.setState({ flow: next });
  void plan();
}

export function cancelRestore(): void {
  if (useRestore.getState().flow?.working !== 'applying') finish();
}

/** Answers for one conflict, or for all of them. */
export function chooseForConflicts(choice: ConflictChoice, only: PathText | null = null): void {
  const { flow } = useRestore.getState();
  if (flow === null || flow.working === 'applying') return;
  const meant = only === null ? flow.conflicts : [only];
  const keys = new Set(meant.map(pathKey));
  const answers = [
    ...flow.answers.filter((a) => !keys.has(pathKey(a))),
    ...meant.map(({ path, pathBase64 }): Chosen => ({ path, ...withBytes(pathBase64), choice })),
  ];
  change({ answers });
  void plan();
}

const withBytes = (pathBase64: string | undefined): { pathBase64?: string } =>
  pathBase64 === undefined ? {} : { pathBase64 };

/** After an error: once more, the files alone where only they failed. */
export function retryRestore(): void {
  const { flow } = useRestore.getState();
  if (flow === null) return;
  if (flow.partly) change({ request: { ...flow.request, scope: 'files' }, partly: false });
  void plan();
}

/** Once more, but leaves the files alone that the error names. */
export function retryWithout(): void {
  const { flow } = useRestore.getState();
  const named = new Set(flow?.error?.paths ?? []);
  if (flow === null || named.size === 0) return;
  // a name that is not UTF-8 stands in the list with its bytes
  const known = (flow.preview?.files ?? []).filter((f) => named.has(f.path));
  const others = [...named].filter((path) => !known.some((f) => f.path === path)).map((path) => ({ path }));
  const files = known.map(({ path, pathBase64 }) => ({ path, ...withBytes(pathBase64) }));
  change({ without: [...flow.without, ...files, ...others] });
  retryRestore();
}

/** The request of a flow as it goes over the bridge. */
export function askedOf(flow: RestoreFlow): Input<'restore.plan'> {
  const { taskId, checkpointId, scope, whole, line } = flow.request;
  return {
    taskId,
    checkpointId,
    scope,
    whole,
    conflicts: flow.answers.length === 0 ? null : flow.answers,
    ...(flow.without.length === 0 ? {} : { without: [...flow.without] }),
    ...(line === undefined ? {} : { line }),
  };
}

/** Looks overlap when answers come quickly; only the last one counts. */
let looks = 0;

async function plan(): Promise<void> {
  change({ working: 'planning', error: null });
  const { flow } = useRestore.getState();
  if (flow === null) return;
  looks += 1;
  const look = looks;
  const result = await call('restore.plan', askedOf(flow));
  if (!isCurrent(flow) || look !== looks) return;
  if (!result.ok) {
    change({ working: null, error: result.error, dialog: true });
    return;
  }
  takePlan(flow, result.value);
}

function takePlan(flow: RestoreFlow, preview: RestorePreview): void {
  const answered = new Set(flow.answers.map(pathKey));
  const open = new Set(preview.conflicts.map(pathKey));
  const still = flow.conflicts.filter((c) => answered.has(pathKey(c)) && !open.has(pathKey(c)));
  const conflicts = [...still, ...preview.conflicts].sort((a, b) => (a.path < b.path ? -1 : 1));
  change({ preview, working: null, conflicts });
  const { undo, edited, label } = flow.request;
  if (preview.conflicts.length > 0) {
    change({ dialog: true });
    return;
  }
  if (flow.confirmed !== null && isWithin(preview.files, flow.confirmed)) {
    void applyRestore();
    return;
  }
  if (flow.dialog) return;
  if (!undo && preview.handEdits.length > 0 && preview.scope !== 'task') {
    change({ dialog: true });
    return;
  }
  if (!undo && edited === undefined && preview.files.length === 0) {
    showToast({ text: `Nothing to restore: the files are as they were at ${label}.` });
    finish();
    return;
  }
  void applyRestore();
}

/** True when nothing happens that was not on the confirmed list. */
function isWithin(files: readonly PlannedFile[], confirmed: readonly PlannedFile[]): boolean {
  const known = new Set(confirmed.map((f) => `${f.action} ${pathKey(f)}`));
  return files.every((f) => known.has(`${f.action} ${pathKey(f)}`));
}

export async function applyRestore(): Promise<void> {
  change({ working: 'applying', error: null, progress: null });
  const { flow } = useRestore.getState();
  if (flow === null || flow.preview === null) return;
  const { fingerprint, files } = flow.preview;
  change({ confirmed: files });
  const result = await call('restore.apply', { ...askedOf(flow), fingerprint });
  if (!isCurrent(flow)) return;
  if (result.ok) {
    finishWith(flow, result.value);
    return;
  }
  const moved = result.error.code === 'plan-stale';
  if (moved || result.error.code === 'conflicts') {
    // An answer given for another list is no answer for this one. Rapid toggling only asks when edits are at stake.
    change({
      stale: moved && flow.dialog,
      confirmed: null,
      ...(moved ? { answers: [], conflicts: [] } : {}),
    });
    await plan();
    return;
  }
  change({ working: null, error: result.error, dialog: true });
}

/** Takes what the main process says of the restore that goes on. */
export function takeProgress(taskId: TaskId, progress: Progress): void {
  const { flow } = useRestore.getState();
  if (flow?.working === 'applying' && flow.request.taskId === taskId) change({ progress });
}

function finishWith(flow: RestoreFlow, outcome: RestoreOutcome): void {
  const { edited, taskId } = flow.request;
  if (edited !== undefined && outcome.filesError !== null) fillDraft(draftKey(taskId), edited.text);
  else if (edited === undefined && outcome.taskRestored) void fillComposer(flow.request, outcome);
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
  if (edited !== undefined) void sendEdited(taskId, edited);
  else if (outcome.taskRestored) focusComposer();
}

async function sendEdited(taskId: TaskId, edited: NonNullable<RestoreRequest['edited']>): Promise<void> {
  // to its own task, whichever is on screen by now
  const prompt = { text: edited.text, attachments: [] };
  const result = await call('task.prompt', { taskId, prompt, mode: edited.mode });
  const key = draftKey(taskId);
  if (result.ok) {
    if (useDrafts.getState().drafts[key] === edited.text) setDraft(key, '');
    return;
  }
  // what was written is not lost with the run that did not begin
  fillDraft(key, edited.text);
  showError(result.error);
}

const takesBack = (request: RestoreRequest): boolean => request.undo || request.back !== undefined;

function undoOf(request: RestoreRequest, outcome: RestoreOutcome): RestoreRequest {
  const scope =
    outcome.taskRestored && outcome.filesRestored ? 'all' : outcome.taskRestored ? 'task' : 'files';
  const { back: _back, edited: _edited, line: _line, ...rest } = request;
  return {
    ...rest,
    checkpointId: outcome.redoId,
    scope,
    undo: true,
    filled: outcome.taskRestored ? (outcome.prompt?.text ?? null) : null,
  };
}

/** The first cleared prompt, and what waited to be sent after the run that is gone. */
async function fillComposer(request: RestoreRequest, outcome: RestoreOutcome): Promise<void> {
  const key = draftKey(request.taskId);
  if (outcome.prompt !== null) fillDraft(key, outcome.prompt.text);
  const waited = await takeQueue(request.taskId);
  if (waited.length > 0) {
    const now = useDrafts.getState().drafts[key] ?? '';
    setDraft(key, [...(now === '' ? [] : [now]), ...waited].join('\n\n'));
  }
  if (outcome.prompt !== null || waited.length > 0) return;
  // The undo brings the message back into the conversation; untouched, it need not stay in the composer as well.
  const filled = request.filled ?? null;
  if (filled !== null && useDrafts.getState().drafts[key] === filled) setDraft(key, '');
}

function finish(): void {
  const { queued } = useRestore.getState();
  useRestore.setState({ flow: null, queued: null });
  if (queued !== null) beginRestore(queued);
}
