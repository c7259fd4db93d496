// From the log to what a task looks like: one total, pure function for renderer, command line, model context, tests.
// Owns: TaskView, the rows and the active line. Does not own: wording or drawing.
// Invariants: never throws, whatever the events; unknown types change nothing; nothing is erased: rows that are not
// on the active line stay in the view and are filtered by `activeRows`.
import type {
  ApprovalRequest,
  CheckpointKind,
  Conflict,
  ContextSize,
  LeftOut,
  Limit,
  Line,
  Mode,
  PlannedFile,
  Prompt,
  Question,
  Scope,
  Thinking,
  ToolDisplay,
  Usage,
} from './domain';
import type { ErrorInfo } from './errors';
import { type Delta, isDelta, type TaskEvent } from './events';
import type { CheckpointId, RunId, SnapshotId, TaskId } from './ids';
import type { PathText } from './rel-path';

type RowBase = { readonly seq: number; readonly at: string; readonly runId: RunId | null };

export type PromptRow = RowBase & {
  readonly type: 'prompt';
  readonly runId: RunId;
  readonly prompt: Prompt;
  readonly mode: Mode;
};
export type AnswerRow = RowBase & {
  readonly type: 'answer';
  readonly runId: RunId;
  readonly turn: number;
  readonly text: string;
  readonly reasoning: string;
  readonly thinking: readonly Thinking[];
  /** false while it streams; then seq is not yet a fact's */
  readonly final: boolean;
  readonly finish: 'stop' | 'tools' | 'length' | 'cut' | 'stopped' | null;
  readonly usage: Usage | null;
  readonly context: ContextSize | null;
};
export type ToolRow = RowBase & {
  readonly type: 'tool';
  readonly runId: RunId;
  readonly turn: number;
  readonly callId: string;
  readonly tool: string;
  readonly input: unknown;
  readonly state: 'writing' | 'requested' | 'asking' | 'running' | 'ok' | 'error' | 'rejected' | 'cancelled';
  readonly request: ApprovalRequest | null;
  readonly rejectReason: string | null;
  /** what the agent asks, and what it was answered */
  readonly question: Question | null;
  readonly answer: string | null;
  /** what the model was told; while running, the output so far */
  readonly text: string;
  readonly display: ToolDisplay;
  readonly touched: readonly PathText[];
  /** seq of its end, null before */
  readonly endedSeq: number | null;
};
export type CheckpointRow = RowBase & {
  readonly type: 'checkpoint';
  readonly checkpointId: CheckpointId;
  readonly kind: CheckpointKind;
  readonly name: string | null;
  readonly snapshotId: SnapshotId | null;
  readonly line: Line;
  readonly before: SnapshotId | null;
  readonly files: number;
  readonly added: number | null;
  readonly removed: number | null;
  readonly skipped: readonly LeftOut[];
  readonly own: 'task' | 'paths' | 'user' | 'none';
  readonly ownPaths: readonly PathText[];
  readonly ms: number;
  readonly failed: ErrorInfo | null;
  /** why the files of it are kept no longer; then `snapshotId` is null */
  readonly released: 'age' | 'cap' | null;
  /** a redo point's restore: where it went and what it did */
  readonly undoes: RestoreFacts | null;
};
/** Why a checkpoint's files are kept no longer, in words. */
export const RELEASED_WORDS = {
  age: 'Its files are kept no longer: it is older than the days to keep (Settings, Storage).',
  cap: 'Its files are kept no longer: the store had grown past its size (Settings, Storage).',
} as const;

export type RestoreFacts = {
  readonly seq: number;
  readonly at: string;
  readonly to: CheckpointId;
  readonly redo: CheckpointId;
  readonly scope: Scope;
  readonly whole: boolean;
  /** paths it was limited to (`Restore file`); null: not limited */
  readonly only: readonly PathText[] | null;
  readonly taskRestored: boolean;
  readonly filesRestored: boolean;
  /** false: the user had it keep or leave files that it would have changed */
  readonly complete: boolean;
  readonly line: Line;
  readonly snapshotId: SnapshotId | null;
  readonly files: readonly PlannedFile[];
  readonly conflicts: readonly Conflict[];
  readonly prompt: Prompt | null;
  readonly filesError: ErrorInfo | null;
};
export type EndRow = RowBase & {
  readonly type: 'end';
  readonly runId: RunId;
  readonly outcome: 'completed' | 'stopped' | 'failed' | 'interrupted';
  readonly error: ErrorInfo | null;
};
/** For the model, all before it is its summary. */
export type CompactionRow = RowBase & {
  readonly type: 'compaction';
  readonly runId: RunId;
  readonly summary: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly why: 'full' | 'asked';
};
export type Row = PromptRow | AnswerRow | ToolRow | CheckpointRow | EndRow | CompactionRow;

/** A command that goes on, or went on, after its call. */
export type BackgroundCommand = {
  readonly backgroundId: string;
  readonly seq: number;
  readonly at: string;
  readonly runId: RunId;
  readonly callId: string;
  readonly command: string;
  readonly folder: string;
  readonly file: string;
  /** the end of what it has printed, as far as it was seen */
  readonly output: string;
  readonly ended: {
    readonly seq: number;
    readonly how: 'exited' | 'stopped' | 'lost';
    readonly exitCode: number | null;
    readonly ms: number;
  } | null;
};

/** A message that waits for the end of the run during which it was typed. */
export type QueuedPrompt = {
  readonly queueId: string;
  readonly at: string;
  readonly prompt: Prompt;
  readonly mode: Mode;
};

export type RunFacts = {
  readonly runId: RunId;
  readonly seq: number;
  readonly mode: Mode;
  readonly provider: string;
  readonly model: string;
  readonly prompt: Prompt;
  readonly outcome: EndRow['outcome'] | null;
  readonly unprotected: boolean;
};

/** What a run waits for, and the other task when it is one. */
export type Waiting = {
  readonly words: string;
  readonly taskId: TaskId | null;
  /** a pause before the next try, which need not be waited for */
  readonly retry?: true;
};

export type TaskView = {
  readonly taskId: TaskId | null;
  readonly title: string;
  readonly workspace: string;
  /** real paths of all folders, `workspace` first; empty where there is only that one */
  readonly roots: readonly string[];
  readonly favorite: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** the newest fact's number; 0 before the first */
  readonly seq: number;
  readonly rows: readonly Row[];
  readonly runs: readonly RunFacts[];
  readonly line: Line;
  readonly restores: readonly RestoreFacts[];
  /** oldest first; those that have ended stay in it */
  readonly background: readonly BackgroundCommand[];
  /** first in, first sent */
  readonly queue: readonly QueuedPrompt[];
  /** the run that has no end yet */
  readonly running: RunId | null;
  readonly waiting: Waiting | null;
  /** the run waits for a word whether it may go on; null: it does not */
  readonly limit: Limit | null;
  /** money and tokens spent, all lines together: spent is spent */
  readonly spent: Usage;
};

export const emptyView: TaskView = {
  taskId: null,
  title: '',
  workspace: '',
  roots: [],
  favorite: false,
  createdAt: '',
  updatedAt: '',
  seq: 0,
  rows: [],
  runs: [],
  line: [],
  restores: [],
  background: [],
  queue: [],
  running: null,
  waiting: null,
  limit: null,
  spent: { inputTokens: 0, outputTokens: 0, cost: null },
};

/** A view under construction: its lists are its own, their items are shared with others and never changed. */
type Draft = {
  -readonly [K in keyof TaskView]: TaskView[K] extends readonly (infer T)[] ? T[] : TaskView[K];
};

const draftOf = (view: TaskView): Draft => ({
  ...view,
  rows: [...view.rows],
  runs: [...view.runs],
  line: [...view.line],
  restores: [...view.restores],
  roots: [...view.roots],
  background: [...view.background],
  queue: [...view.queue],
});

/** Applies one fact or fragment. Facts at or below `view.seq` were seen and change nothing. */
export function fold(view: TaskView, event: TaskEvent | Delta): TaskView {
  if (isDelta(event) ? !belongs(view, event) : event.seq <= view.seq) return view;
  const draft = draftOf(view);
  if (isDelta(event)) takeDelta(draft, event);
  else takeFact(draft, event);
  return draft;
}

/** Fragments of a run count while it runs; a background command outlives its run. */
const belongs = (view: TaskView, delta: Delta): boolean =>
  delta.type === 'delta.background' || view.running === delta.runId;

/** The same as folding one by one, in time that grows with the number of events and not with its square. */
export function foldAll(events: Iterable<TaskEvent>): TaskView {
  const draft = draftOf(emptyView);
  for (const event of events) if (event.seq > draft.seq) takeFact(draft, event);
  return draft;
}

function takeFact(draft: Draft, e: TaskEvent): void {
  const { running } = draft;
  draft.seq = e.seq;
  draft.updatedAt = e.at;
  draft.taskId = e.taskId;
  if (running !== null && 'runId' in e && e.runId === running) draft.waiting = null;
  apply(draft, e);
  const last = draft.line.at(-1);
  // The line grows with the facts of its running run only: what a restore has cut off must not come back with the
  // next event of any kind.
  if (last === undefined || running !== last.runId || e.type === 'restore.completed') return;
  draft.line[draft.line.length - 1] = { runId: last.runId, upTo: e.seq };
}

function apply(draft: Draft, e: TaskEvent): void {
  const base = { seq: e.seq, at: e.at };
  switch (e.type) {
    case 'task.created':
      draft.title = e.title;
      draft.workspace = e.workspace;
      draft.roots = e.roots ?? [];
      draft.createdAt = e.at;
      return;
    case 'task.renamed':
      draft.title = e.title;
      return;
    case 'task.moved':
      draft.workspace = e.workspace;
      draft.roots = e.roots ?? [];
      return;
    case 'snapshots.released': {
      const gone = new Set<string | null>(e.snapshots);
      draft.rows = draft.rows.map((r) => {
        if (r.type !== 'checkpoint') return r;
        // what lies between a released snapshot and a kept one can be told no longer
        const before = gone.has(r.before) ? null : r.before;
        return gone.has(r.snapshotId) && r.snapshotId !== null
          ? { ...r, before, snapshotId: null, released: e.why }
          : { ...r, before };
      });
      return;
    }
    case 'task.favorited':
      draft.favorite = e.favorite;
      return;
    case 'run.started':
      draft.running = e.runId;
      draft.waiting = null;
      draft.line.push({ runId: e.runId, upTo: e.seq });
      draft.runs.push({
        runId: e.runId,
        seq: e.seq,
        mode: e.mode,
        provider: e.provider,
        model: e.model,
        prompt: e.prompt,
        outcome: null,
        unprotected: false,
      });
      draft.rows.push({ type: 'prompt', ...base, runId: e.runId, prompt: e.prompt, mode: e.mode });
      draft.queue = draft.queue.filter((q) => q.queueId !== e.queueId);
      return;
    case 'prompt.queued':
      draft.queue.push({ queueId: e.queueId, at: e.at, prompt: e.prompt, mode: e.mode });
      return;
    case 'prompt.changed':
      draft.queue = draft.queue.map((q) => (q.queueId === e.queueId ? { ...q, prompt: e.prompt } : q));
      return;
    case 'prompt.unqueued':
      draft.queue = draft.queue.filter((q) => q.queueId !== e.queueId);
      return;
    case 'message.completed':
      dropFragments(draft, e.runId);
      draft.rows.push({
        type: 'answer',
        ...base,
        runId: e.runId,
        turn: e.turn,
        text: e.text,
        reasoning: e.reasoning,
        thinking: e.thinking ?? [],
        final: true,
        finish: e.finish,
        usage: e.usage,
        context: e.context ?? null,
      });
      for (const call of e.calls) {
        draft.rows.push({ ...newCall(base, e.runId, e.turn, call), input: call.input, state: 'requested' });
      }
      draft.waiting = null;
      draft.spent = addUsage(draft.spent, e.usage);
      return;
    case 'context.compacted':
      draft.rows.push({
        type: 'compaction',
        ...base,
        runId: e.runId,
        summary: e.summary,
        tokensBefore: e.tokensBefore,
        tokensAfter: e.tokensAfter,
        why: e.why,
      });
      draft.waiting = null;
      draft.spent = addUsage(draft.spent, e.usage);
      return;
    case 'approval.asked':
      changeCall(draft, e.runId, e.request.callId, (r) => ({ ...r, state: 'asking', request: e.request }));
      return;
    case 'approval.given':
      changeCall(draft, e.runId, e.callId, (r) => ({
        ...r,
        state: 'requested',
        rejectReason: e.decision === 'reject' ? (e.reason ?? '') : null,
      }));
      return;
    case 'question.asked':
      changeCall(draft, e.runId, e.question.callId, (r) => ({
        ...r,
        state: 'asking',
        question: e.question,
      }));
      return;
    case 'question.answered':
      changeCall(draft, e.runId, e.callId, (r) => ({ ...r, state: 'running', answer: e.answer }));
      return;
    case 'limit.reached':
      draft.limit = e.limit;
      return;
    case 'limit.answered':
      draft.limit = null;
      return;
    case 'tool.started':
      changeCall(draft, e.runId, e.callId, (r) => ({ ...r, state: 'running' }));
      return;
    case 'tool.finished':
      changeCall(draft, e.runId, e.callId, (r) => ({
        ...r,
        state: e.outcome,
        text: e.text,
        display: e.display,
        touched: e.touched,
        endedSeq: e.seq,
      }));
      return;
    case 'checkpoint.created':
      draft.rows.push({
        type: 'checkpoint',
        ...base,
        runId: e.runId,
        checkpointId: e.checkpointId,
        kind: e.kind,
        name: e.name,
        snapshotId: e.snapshotId,
        line: e.line,
        before: e.before,
        files: e.files,
        added: e.added,
        removed: e.removed,
        skipped: e.skipped,
        own: e.own,
        ownPaths: e.ownPaths,
        ms: e.ms,
        failed: null,
        released: null,
        undoes: null,
      });
      return;
    case 'checkpoint.failed':
      draft.rows.push({
        type: 'checkpoint',
        ...base,
        runId: e.runId,
        checkpointId: e.checkpointId,
        kind: e.kind,
        name: null,
        snapshotId: null,
        line: [...draft.line],
        before: null,
        files: 0,
        added: null,
        removed: null,
        skipped: [],
        own: 'none',
        ownPaths: [],
        ms: 0,
        failed: e.error,
        released: null,
        undoes: null,
      });
      return;
    case 'restore.completed': {
      const facts: RestoreFacts = {
        ...base,
        to: e.to,
        redo: e.redo,
        scope: e.scope,
        whole: e.whole,
        only: e.only,
        taskRestored: e.taskRestored,
        filesRestored: e.filesRestored,
        complete: e.without === undefined && e.chosen?.some((c) => c.choice === 'mine') !== true,
        line: e.line,
        snapshotId: e.snapshotId,
        files: e.files,
        conflicts: e.conflicts,
        prompt: e.prompt,
        filesError: e.filesError,
      };
      if (e.taskRestored) {
        draft.running = null;
        draft.waiting = null;
        draft.limit = null;
        draft.line = [...e.line];
      }
      draft.restores.push(facts);
      draft.rows = draft.rows.map((r) =>
        r.type === 'checkpoint' && r.checkpointId === e.redo ? { ...r, undoes: facts } : r,
      );
      return;
    }
    case 'background.started': {
      const { backgroundId, runId, callId, command, folder, file } = e;
      draft.background.push({
        ...base,
        backgroundId,
        runId,
        callId,
        command,
        folder,
        file,
        output: '',
        ended: null,
      });
      return;
    }
    case 'background.ended': {
      const { how, exitCode, ms } = e;
      changeBackground(draft, e.backgroundId, () => ({
        output: e.output,
        ended: { seq: e.seq, how, exitCode, ms },
      }));
      return;
    }
    case 'run.unprotected':
      changeRun(draft, e.runId, { unprotected: true });
      return;
    case 'run.ended':
      dropFragments(draft, e.runId);
      changeRowsOf(draft, e.runId, (r) =>
        // What it had put out so far was only in fragments.
        r.type === 'tool' && r.endedSeq === null ? { ...r, state: 'cancelled', text: '' } : r,
      );
      if (draft.running === e.runId) draft.running = null;
      draft.waiting = null;
      draft.limit = null;
      changeRun(draft, e.runId, { outcome: e.outcome });
      draft.rows.push({
        type: 'end',
        ...base,
        runId: e.runId,
        outcome: e.outcome,
        error: e.error,
      });
      return;
    default: // restore.undone, and types of a later version: no row
  }
}

function takeDelta(draft: Draft, d: Delta): void {
  const base = { seq: draft.seq + 0.5, at: draft.updatedAt };
  switch (d.type) {
    case 'delta.waiting':
      draft.waiting =
        d.waiting === null
          ? null
          : { words: d.waiting, taskId: d.waitsFor ?? null, ...(d.retry ? { retry: true as const } : {}) };
      return;
    case 'delta.output':
      changeCall(draft, d.runId, d.callId, (r) =>
        r.state === 'running' ? { ...r, text: r.text + d.text } : r,
      );
      return;
    case 'delta.background':
      changeBackground(draft, d.backgroundId, (b) =>
        b.ended === null ? { output: (b.output + d.text).slice(-MOST_BACKGROUND_OUTPUT) } : {},
      );
      return;
    case 'delta.call': {
      const known = draft.rows.some(
        (r) => r.type === 'tool' && r.runId === d.runId && r.turn === d.turn && r.callId === d.callId,
      );
      if (!known) draft.rows.push(newCall(base, d.runId, d.turn, d));
      return;
    }
    case 'delta.text':
    case 'delta.reasoning': {
      const index = draft.rows.findLastIndex(
        (r) => r.type === 'answer' && r.runId === d.runId && r.turn === d.turn,
      );
      const found = draft.rows[index];
      const old = found?.type === 'answer' ? found : newAnswer(base, d.runId, d.turn);
      if (old.final) return;
      draft.rows[index < 0 ? draft.rows.length : index] =
        d.type === 'delta.text'
          ? { ...old, text: old.text + d.text }
          : { ...old, reasoning: old.reasoning + d.text };
      return;
    }
    default: // fragments of a later version
  }
}

const newCall = (
  base: { readonly seq: number; readonly at: string },
  runId: RunId,
  turn: number,
  call: { readonly callId: string; readonly tool: string },
): ToolRow => ({
  type: 'tool',
  ...base,
  runId,
  turn,
  callId: call.callId,
  tool: call.tool,
  input: null,
  state: 'writing',
  request: null,
  rejectReason: null,
  question: null,
  answer: null,
  text: '',
  display: { kind: 'none' },
  touched: [],
  endedSeq: null,
});

const newAnswer = (
  base: { readonly seq: number; readonly at: string },
  runId: RunId,
  turn: number,
): AnswerRow => ({
  type: 'answer',
  ...base,
  runId,
  turn,
  text: '',
  reasoning: '',
  thinking: [],
  final: false,
  finish: null,
  usage: null,
  context: null,
});

/** Removes what streamed ahead of the facts of a run. */
function dropFragments(draft: Draft, runId: RunId): void {
  changeRowsOf(draft, runId, (r) =>
    (r.type === 'answer' && !r.final) || (r.type === 'tool' && r.state === 'writing') ? null : r,
  );
}

/** Changes the rows of a run; null removes one. Rows are in the order of their numbers, so none is before its start. */
function changeRowsOf(draft: Draft, runId: RunId, change: (row: Row) => Row | null): void {
  const start = draft.runs.find((r) => r.runId === runId)?.seq ?? 0;
  let kept = draft.rows.findLastIndex((r) => r.seq < start) + 1;
  for (let i = kept; i < draft.rows.length; i++) {
    const row = draft.rows[i];
    if (row === undefined) continue;
    const changed = row.runId === runId ? change(row) : row;
    if (changed !== null) draft.rows[kept++] = changed;
  }
  if (kept < draft.rows.length) draft.rows.length = kept;
}

/** So much of what a background command prints is kept to be looked at; the rest is in its file. */
const MOST_BACKGROUND_OUTPUT = 20_000;

function changeBackground(
  draft: Draft,
  id: string,
  change: (b: BackgroundCommand) => Partial<BackgroundCommand>,
): void {
  const index = draft.background.findLastIndex((b) => b.backgroundId === id);
  const found = draft.background[index];
  if (found !== undefined) draft.background[index] = { ...found, ...change(found) };
}

function changeRun(draft: Draft, runId: RunId, change: Partial<RunFacts>): void {
  draft.runs.forEach((r, i) => {
    if (r.runId === runId) draft.runs[i] = { ...r, ...change };
  });
}

/** Changes the newest open row of a call: ids may come again in later turns (FAULTS 75). */
/** A call that is only being written is a fragment: no fact is about it yet. */
function changeCall(draft: Draft, runId: RunId, callId: string, change: (row: ToolRow) => ToolRow): void {
  const index = draft.rows.findLastIndex(
    (r) =>
      r.type === 'tool' &&
      r.runId === runId &&
      r.callId === callId &&
      r.endedSeq === null &&
      r.state !== 'writing',
  );
  const row = draft.rows[index];
  if (row?.type === 'tool') draft.rows[index] = change(row);
}

const sumOf = (name: 'cacheReadTokens' | 'cacheWriteTokens', a: Usage, b: Usage): Partial<Usage> => {
  const sum = (a[name] ?? 0) + (b[name] ?? 0);
  return sum === 0 ? {} : { [name]: sum };
};

function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    ...sumOf('cacheReadTokens', a, b),
    ...sumOf('cacheWriteTokens', a, b),
    cost: a.cost === null && b.cost === null ? null : (a.cost ?? 0) + (b.cost ?? 0),
  };
}

/** True when `a` is where `b` once was: the same runs so far, cut alike, and not later within the last of them. */
export function isOnLine(a: Line, b: Line): boolean {
  return a.every((entry, i) => {
    const other = b[i];
    if (other?.runId !== entry.runId) return false;
    return i === a.length - 1 ? entry.upTo <= other.upTo : entry.upTo === other.upTo;
  });
}

/** Which run of the active line a run is; -1 when none. */
type PlaceOf = (runId: RunId | null) => number;

function placesOf(view: TaskView): PlaceOf {
  const places = new Map<RunId | null, number>(view.line.map((l, i) => [l.runId, i]));
  return (runId) => places.get(runId) ?? -1;
}

/** True when the row counts for the screen and the model's context. */
function isActive(row: Row, view: TaskView, placeOf: PlaceOf): boolean {
  if (row.type === 'checkpoint') {
    // A redo point whose restore did not come about takes nothing back.
    if (row.undoes === null) return row.kind !== 'redo' && isOnLine(row.line, view.line);
    // A redo point that was used has nothing left to take back.
    return isOnLine(row.undoes.line, view.line) && !view.restores.some((r) => r.to === row.checkpointId);
  }
  const entry = view.line[placeOf(row.runId)];
  if (entry === undefined) return false;
  const streaming = row.seq % 1 !== 0;
  return row.seq <= entry.upTo || (streaming && view.running === row.runId);
}

/**
 * The rows in force, in reading order: an initial or run checkpoint stands above its run's prompt although it was
 * saved after it; a redo point stands where its restore left the task.
 */
export function activeRows(view: TaskView): readonly Row[] {
  const placeOf = placesOf(view);
  // run, before (0) or within (1) it, number
  const place = (row: Row): readonly [number, 0 | 1, number] => {
    if (row.type !== 'checkpoint') return [placeOf(row.runId), 1, row.seq];
    if (row.undoes !== null) return [row.undoes.line.length, 0, row.seq];
    if (row.kind === 'initial' || row.kind === 'run') {
      const own = placeOf(row.runId);
      return [own >= 0 ? own : row.line.length, 0, row.seq];
    }
    return row.line.length === 0 ? [0, 0, row.seq] : [row.line.length - 1, 1, row.seq];
  };
  const placed = view.rows
    .filter((r) => isActive(r, view, placeOf))
    .map((row, index) => ({ row, index, at: place(row) }));
  placed.sort((a, b) => a.at[0] - b.at[0] || a.at[1] - b.at[1] || a.at[2] - b.at[2] || a.index - b.index);
  return placed.map((p) => p.row);
}

/** Background commands that run now. */
export const livingBackground = (view: TaskView): readonly BackgroundCommand[] =>
  view.background.filter((b) => b.ended === null);

/** All checkpoints, oldest first, whether on the active line or not. */
export const checkpointRows = (view: TaskView): readonly CheckpointRow[] =>
  view.rows.filter((r): r is CheckpointRow => r.type === 'checkpoint');

export const isActiveCheckpoint = (view: TaskView, row: CheckpointRow): boolean =>
  isActive(row, view, placesOf(view));

/** The checkpoint with this id, or undefined. */
export const checkpointById = (view: TaskView, id: CheckpointId): CheckpointRow | undefined =>
  checkpointRows(view).find((r) => r.checkpointId === id);

export type ContextFill = { readonly tokens: number; readonly size: ContextSize | null };

/**
 * Tokens that the next request will at least carry, those of the last answer in force or of the summary after it, and
 * how many the model takes that was asked last. 0 and null when unknown.
 */
export function contextFill(view: TaskView): ContextFill {
  const placeOf = placesOf(view);
  const last = view.rows.findLast(
    (r) =>
      (r.type === 'compaction' || (r.type === 'answer' && r.usage !== null)) && isActive(r, view, placeOf),
  );
  const sized = view.rows.findLast((r) => r.type === 'answer' && r.context !== null);
  const size = sized?.type === 'answer' ? sized.context : null;
  if (last?.type === 'compaction') return { tokens: last.tokensAfter, size };
  if (last?.type !== 'answer' || last.usage === null) return { tokens: 0, size };
  return { tokens: last.usage.inputTokens + last.usage.outputTokens, size };
}

export const contextTokens = (view: TaskView): number => contextFill(view).tokens;

/**
 * The first prompt that a restore of the task to `line` clears: it goes back to the composer. null when no prompt of
 * the active line follows the point.
 */
export function firstClearedPrompt(view: TaskView, line: Line): Prompt | null {
  const next = view.line[line.length];
  if (next === undefined || !isOnLine(line, view.line)) return null;
  return view.runs.find((r) => r.runId === next.runId)?.prompt ?? null;
}
