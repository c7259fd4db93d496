// From the log to what a task looks like: one total, pure function for renderer, command line, model context, tests.
// Owns: TaskView, the rows and the active line. Does not own: wording or drawing.
// Invariants: never throws, whatever the events; unknown types change nothing; nothing is erased: rows that are not
// on the active line stay in the view and are filtered by `activeRows`.
import type {
  ApprovalRequest,
  CheckpointKind,
  Conflict,
  LeftOut,
  Line,
  Mode,
  PlannedFile,
  Prompt,
  Scope,
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
  /** false while it streams; then seq is not yet a fact's */
  readonly final: boolean;
  readonly finish: 'stop' | 'tools' | 'length' | 'cut' | 'stopped' | null;
  readonly usage: Usage | null;
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
  /** a redo point's restore: where it went and what it did */
  readonly undoes: RestoreFacts | null;
};
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
export type Row = PromptRow | AnswerRow | ToolRow | CheckpointRow | EndRow;

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

export type TaskView = {
  readonly taskId: TaskId | null;
  readonly title: string;
  readonly workspace: string;
  readonly favorite: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** the newest fact's number; 0 before the first */
  readonly seq: number;
  readonly rows: readonly Row[];
  readonly runs: readonly RunFacts[];
  readonly line: Line;
  readonly restores: readonly RestoreFacts[];
  /** the run that has no end yet */
  readonly running: RunId | null;
  readonly waiting: string | null;
  /** money and tokens spent, all lines together: spent is spent */
  readonly spent: Usage;
};

export const emptyView: TaskView = {
  taskId: null,
  title: '',
  workspace: '',
  favorite: false,
  createdAt: '',
  updatedAt: '',
  seq: 0,
  rows: [],
  runs: [],
  line: [],
  restores: [],
  running: null,
  waiting: null,
  spent: { inputTokens: 0, outputTokens: 0, cost: null },
};

/** Applies one fact or fragment. Facts at or below `view.seq` were seen and change nothing. */
export function fold(view: TaskView, event: TaskEvent | Delta): TaskView {
  if (isDelta(event)) return foldDelta(view, event);
  if (event.seq <= view.seq) return view;
  const next = foldFact({ ...view, seq: event.seq, updatedAt: event.at, taskId: event.taskId }, event);
  const last = next.line.at(-1);
  // The line grows with the facts of its running run only: what a restore has cut off must not come back with the
  // next event of any kind.
  if (last === undefined || view.running !== last.runId || event.type === 'restore.completed') return next;
  return { ...next, line: [...next.line.slice(0, -1), { runId: last.runId, upTo: event.seq }] };
}

export const foldAll = (events: Iterable<TaskEvent>): TaskView => {
  let view = emptyView;
  for (const e of events) view = fold(view, e);
  return view;
};

function foldFact(view: TaskView, e: TaskEvent): TaskView {
  const base = { seq: e.seq, at: e.at };
  switch (e.type) {
    case 'task.created':
      return { ...view, title: e.title, workspace: e.workspace, createdAt: e.at };
    case 'task.renamed':
      return { ...view, title: e.title };
    case 'task.favorited':
      return { ...view, favorite: e.favorite };
    case 'run.started':
      return {
        ...view,
        running: e.runId,
        waiting: null,
        line: [...view.line, { runId: e.runId, upTo: e.seq }],
        runs: [
          ...view.runs,
          {
            runId: e.runId,
            seq: e.seq,
            mode: e.mode,
            provider: e.provider,
            model: e.model,
            prompt: e.prompt,
            outcome: null,
            unprotected: false,
          },
        ],
        rows: [...view.rows, { type: 'prompt', ...base, runId: e.runId, prompt: e.prompt, mode: e.mode }],
      };
    case 'message.completed': {
      const kept = view.rows.filter(
        (r) =>
          !(
            r.runId === e.runId &&
            ((r.type === 'answer' && !r.final) || (r.type === 'tool' && r.state === 'writing'))
          ),
      );
      const answer: AnswerRow = {
        type: 'answer',
        ...base,
        runId: e.runId,
        turn: e.turn,
        text: e.text,
        reasoning: e.reasoning,
        final: true,
        finish: e.finish,
        usage: e.usage,
      };
      const calls = e.calls.map(
        (c): ToolRow => ({
          type: 'tool',
          ...base,
          runId: e.runId,
          turn: e.turn,
          callId: c.callId,
          tool: c.tool,
          input: c.input,
          state: 'requested',
          request: null,
          rejectReason: null,
          text: '',
          display: { kind: 'none' },
          touched: [],
          endedSeq: null,
        }),
      );
      return {
        ...view,
        waiting: null,
        rows: [...kept, answer, ...calls],
        spent: addUsage(view.spent, e.usage),
      };
    }
    case 'approval.asked':
      return mapCall(view, e.runId, e.request.callId, (r) => ({ ...r, state: 'asking', request: e.request }));
    case 'approval.given':
      return mapCall(view, e.runId, e.callId, (r) => ({
        ...r,
        state: 'requested',
        rejectReason: e.decision === 'reject' ? (e.reason ?? '') : null,
      }));
    case 'tool.started':
      return mapCall(view, e.runId, e.callId, (r) => ({ ...r, state: 'running' }));
    case 'tool.finished':
      return mapCall(view, e.runId, e.callId, (r) => ({
        ...r,
        state: e.outcome,
        text: e.text,
        display: e.display,
        touched: e.touched,
        endedSeq: e.seq,
      }));
    case 'checkpoint.created':
      return {
        ...view,
        rows: [
          ...view.rows,
          {
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
            undoes: null,
          },
        ],
      };
    case 'checkpoint.failed':
      return {
        ...view,
        rows: [
          ...view.rows,
          {
            type: 'checkpoint',
            ...base,
            runId: e.runId,
            checkpointId: e.checkpointId,
            kind: e.kind,
            name: null,
            snapshotId: null,
            line: view.line,
            before: null,
            files: 0,
            added: null,
            removed: null,
            skipped: [],
            own: 'none',
            ownPaths: [],
            ms: 0,
            failed: e.error,
            undoes: null,
          },
        ],
      };
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
        line: e.line,
        snapshotId: e.snapshotId,
        files: e.files,
        conflicts: e.conflicts,
        prompt: e.prompt,
        filesError: e.filesError,
      };
      return {
        ...view,
        running: e.taskRestored ? null : view.running,
        line: e.taskRestored ? e.line : view.line,
        restores: [...view.restores, facts],
        rows: view.rows.map((r) =>
          r.type === 'checkpoint' && r.checkpointId === e.redo ? { ...r, undoes: facts } : r,
        ),
      };
    }
    case 'restore.undone':
      return view;
    case 'run.unprotected':
      return { ...view, runs: view.runs.map((r) => (r.runId === e.runId ? { ...r, unprotected: true } : r)) };
    case 'run.ended':
      return {
        ...view,
        running: view.running === e.runId ? null : view.running,
        waiting: null,
        runs: view.runs.map((r) => (r.runId === e.runId ? { ...r, outcome: e.outcome } : r)),
        rows: [
          ...view.rows
            .filter(
              (r) =>
                !(r.type === 'answer' && !r.final && r.runId === e.runId) &&
                !(r.type === 'tool' && r.state === 'writing' && r.runId === e.runId),
            )
            .map((r) =>
              r.type === 'tool' && r.runId === e.runId && r.endedSeq === null
                ? { ...r, state: 'cancelled' as const }
                : r,
            ),
          { type: 'end', ...base, runId: e.runId, outcome: e.outcome, error: e.error },
        ],
      };
    default:
      return view;
  }
}

function foldDelta(view: TaskView, d: Delta): TaskView {
  if (view.running !== d.runId) return view;
  switch (d.type) {
    case 'delta.waiting':
      return { ...view, waiting: d.waiting };
    case 'delta.output':
      return mapCall(view, d.runId, d.callId, (r) =>
        r.endedSeq === null ? { ...r, text: r.text + d.text } : r,
      );
    case 'delta.call': {
      if (
        view.rows.some(
          (r) => r.type === 'tool' && r.runId === d.runId && r.turn === d.turn && r.callId === d.callId,
        )
      )
        return view;
      const row: ToolRow = {
        type: 'tool',
        seq: view.seq + 0.5,
        at: view.updatedAt,
        runId: d.runId,
        turn: d.turn,
        callId: d.callId,
        tool: d.tool,
        input: null,
        state: 'writing',
        request: null,
        rejectReason: null,
        text: '',
        display: { kind: 'none' },
        touched: [],
        endedSeq: null,
      };
      return { ...view, rows: [...view.rows, row] };
    }
    default: {
      const isText = d.type === 'delta.text';
      const index = view.rows.findLastIndex(
        (r) => r.type === 'answer' && r.runId === d.runId && r.turn === d.turn,
      );
      const found = view.rows[index];
      if (found?.type === 'answer' && found.final) return view;
      const old: AnswerRow =
        found?.type === 'answer'
          ? found
          : {
              type: 'answer',
              seq: view.seq + 0.5,
              at: view.updatedAt,
              runId: d.runId,
              turn: d.turn,
              text: '',
              reasoning: '',
              final: false,
              finish: null,
              usage: null,
            };
      const row: AnswerRow = {
        ...old,
        text: isText ? old.text + d.text : old.text,
        reasoning: isText ? old.reasoning : old.reasoning + d.text,
      };
      const rows = view.rows.slice();
      if (index >= 0) rows[index] = row;
      else rows.push(row);
      return { ...view, rows };
    }
  }
}

/** Changes the newest open row of a call: ids may come again in later turns (FAULTS 75). */
function mapCall(view: TaskView, runId: RunId, callId: string, change: (row: ToolRow) => ToolRow): TaskView {
  const index = view.rows.findLastIndex(
    (r) => r.type === 'tool' && r.runId === runId && r.callId === callId && r.endedSeq === null,
  );
  const row = view.rows[index];
  if (row?.type !== 'tool') return view;
  const rows = view.rows.slice();
  rows[index] = change(row);
  return { ...view, rows };
}

function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
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

/** Which run of the active line a row belongs to; -1 when none. */
const placeOf = (view: TaskView, runId: RunId | null): number =>
  view.line.findIndex((l) => l.runId === runId);

/** True when the row counts for the screen and the model's context. */
function isActive(row: Row, view: TaskView): boolean {
  if (row.type === 'checkpoint') {
    // A redo point whose restore did not come about takes nothing back.
    if (row.undoes === null) return row.kind !== 'redo' && isOnLine(row.line, view.line);
    // A redo point that was used has nothing left to take back.
    return isOnLine(row.undoes.line, view.line) && !view.restores.some((r) => r.to === row.checkpointId);
  }
  const entry = view.line[placeOf(view, row.runId)];
  if (entry === undefined) return false;
  const streaming = row.seq % 1 !== 0;
  return row.seq <= entry.upTo || (streaming && view.running === row.runId);
}

/**
 * The rows in force, in reading order: an initial or run checkpoint stands above its run's prompt although it was
 * saved after it; a redo point stands where its restore left the task.
 */
export function activeRows(view: TaskView): readonly Row[] {
  // run, before (0) or within (1) it, number
  const place = (row: Row): readonly [number, 0 | 1, number] => {
    if (row.type !== 'checkpoint') return [placeOf(view, row.runId), 1, row.seq];
    if (row.undoes !== null) return [row.undoes.line.length, 0, row.seq];
    if (row.kind === 'initial' || row.kind === 'run') {
      const own = placeOf(view, row.runId);
      return [own >= 0 ? own : row.line.length, 0, row.seq];
    }
    return row.line.length === 0 ? [0, 0, row.seq] : [row.line.length - 1, 1, row.seq];
  };
  const placed = view.rows
    .filter((r) => isActive(r, view))
    .map((row, index) => ({ row, index, at: place(row) }));
  placed.sort((a, b) => a.at[0] - b.at[0] || a.at[1] - b.at[1] || a.at[2] - b.at[2] || a.index - b.index);
  return placed.map((p) => p.row);
}

/** All checkpoints, oldest first, whether on the active line or not. */
export const checkpointRows = (view: TaskView): readonly CheckpointRow[] =>
  view.rows.filter((r): r is CheckpointRow => r.type === 'checkpoint');

export const isActiveCheckpoint = (view: TaskView, row: CheckpointRow): boolean => isActive(row, view);

/** The checkpoint with this id, or undefined. */
export const checkpointById = (view: TaskView, id: CheckpointId): CheckpointRow | undefined =>
  checkpointRows(view).find((r) => r.checkpointId === id);

/** Tokens that the next request will at least carry: those of the last answer in force. 0 when unknown. */
export function contextTokens(view: TaskView): number {
  const last = view.rows.findLast((r) => r.type === 'answer' && r.usage !== null && isActive(r, view));
  return last?.type === 'answer' && last.usage !== null
    ? last.usage.inputTokens + last.usage.outputTokens
    : 0;
}

/**
 * The first prompt that a restore of the task to `line` clears: it goes back to the composer. null when no prompt of
 * the active line follows the point.
 */
export function firstClearedPrompt(view: TaskView, line: Line): Prompt | null {
  const next = view.line[line.length];
  if (next === undefined || !isOnLine(line, view.line)) return null;
  return view.runs.find((r) => r.runId === next.runId)?.prompt ?? null;
}
