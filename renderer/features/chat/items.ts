// From the rows in force to what stands in the chat, one entry a line of the feed. Pure.
// Owns: which neighbouring markers are one, where edits by hand have a row, which completion has a checkpoint to view.
import {
  type AnswerRow,
  activeRows,
  type CheckpointRow,
  type CompactionRow,
  type EndRow,
  type PromptRow,
  type Row,
  type TaskView,
  type ToolRow,
  type Waiting,
} from '../../../shared/fold';
import type { CheckpointId } from '../../../shared/ids';

export type MarkerItem = {
  readonly kind: 'marker';
  readonly key: string;
  /** the one it acts as: the latest */
  readonly row: CheckpointRow;
  /** earlier ones with the same snapshot and no message between */
  readonly also: readonly CheckpointRow[];
};
export type FeedItem =
  | MarkerItem
  | { readonly kind: 'hand-edits'; readonly key: string; readonly row: CheckpointRow }
  | { readonly kind: 'prompt'; readonly key: string; readonly row: PromptRow }
  | { readonly kind: 'answer'; readonly key: string; readonly row: AnswerRow }
  | { readonly kind: 'tool'; readonly key: string; readonly row: ToolRow }
  | {
      readonly kind: 'completion';
      readonly key: string;
      readonly row: ToolRow;
      readonly checkpointId: CheckpointId | null;
    }
  | { readonly kind: 'compaction'; readonly key: string; readonly row: CompactionRow }
  | { readonly kind: 'end'; readonly key: string; readonly row: EndRow };

/** Edits by hand between runs: a snapshot before a run whose changes are the user's own. */
export const isHandEdits = (row: CheckpointRow): boolean =>
  row.kind === 'run' && row.own === 'user' && row.files > 0;

export function feedItems(view: TaskView): readonly FeedItem[] {
  const items: FeedItem[] = [];
  const rows = activeRows(view);
  for (const row of rows) {
    if (row.type === 'checkpoint') {
      if (isPointOnly(row)) continue;
      const last = items.at(-1);
      if (last?.kind === 'marker' && areOne(last.row, row)) {
        items[items.length - 1] = { ...last, row, also: [...last.also, last.row] };
        continue;
      }
      if (isHandEdits(row)) items.push({ kind: 'hand-edits', key: `hand ${row.checkpointId}`, row });
      items.push({ kind: 'marker', key: row.checkpointId, row, also: [] });
    } else if (row.type === 'tool' && row.display.kind === 'completion') {
      const saved = rows.findLast(
        (r): r is CheckpointRow =>
          r.type === 'checkpoint' && r.kind === 'completion' && r.runId === row.runId && r.failed === null,
      );
      const checkpointId = saved === undefined || changedNothing(rows, saved) ? null : saved.checkpointId;
      items.push({ kind: 'completion', key: toolKey(row), row, checkpointId });
    } else if (row.type === 'tool') {
      if (!isOldPlan(row, rows)) items.push({ kind: 'tool', key: toolKey(row), row });
    } else if (row.type === 'answer') {
      // A turn of tool calls alone has nothing to say.
      if (row.text.trim() !== '' || row.reasoning.trim() !== '')
        items.push({ kind: 'answer', key: `answer ${row.runId} ${row.turn}`, row });
    } else if (row.type === 'prompt') {
      items.push({ kind: 'prompt', key: `prompt ${row.runId}`, row });
    } else if (row.type === 'compaction') {
      items.push({ kind: 'compaction', key: `compaction ${row.seq}`, row });
    } else if (row.outcome !== 'completed') {
      items.push({ kind: 'end', key: `end ${row.runId}`, row });
    }
  }
  return items;
}

/** Made for going back to before a message that has no checkpoint of its own: nothing to see. */
const isPointOnly = (row: CheckpointRow): boolean =>
  row.kind === 'run' && row.snapshotId === null && row.failed === null;

/** A plan stands where it was last said; what it was before is not read again. */
const isOldPlan = (row: ToolRow, rows: readonly Row[]): boolean =>
  row.tool === 'update_plan' &&
  rows.some(
    (r) =>
      r.type === 'tool' &&
      r.tool === row.tool &&
      r.runId === row.runId &&
      r.seq > row.seq &&
      r.state === 'ok',
  );

/** The files are as they were at the completion before, or at the start: there are no changes to view. */
function changedNothing(rows: readonly Row[], saved: CheckpointRow): boolean {
  const earlier = rows.filter(
    (r): r is CheckpointRow => r.type === 'checkpoint' && r.snapshotId !== null && r.seq < saved.seq,
  );
  const from = earlier.findLast((r) => r.kind === 'completion') ?? earlier[0];
  return from !== undefined && from.snapshotId === saved.snapshotId;
}

/** Call ids may come again in later turns, so the turn is part of the key. */
const toolKey = (row: ToolRow): string => `tool ${row.runId} ${row.turn} ${row.callId}`;

/** A redo point stays apart, whatever its snapshot: it is the way back. */
const areOne = (earlier: CheckpointRow, later: CheckpointRow): boolean =>
  earlier.snapshotId !== null &&
  earlier.snapshotId === later.snapshotId &&
  earlier.undoes === null &&
  later.undoes === null;

/** What a run is doing when nothing on screen shows it; null: nothing, or something shows it. */
export function waitingOf(view: TaskView): Waiting | null {
  if (view.running === null) return null;
  const open = view.rows.filter((r) => r.runId === view.running);
  if (open.some((r) => r.type === 'tool' && r.state === 'asking')) return null;
  if (view.waiting !== null) return view.waiting;
  const last = open.at(-1);
  if (last?.type === 'answer' && !last.final) return null;
  if (open.some((r) => r.type === 'tool' && (r.state === 'running' || r.state === 'writing'))) return null;
  return { words: 'Thinking…', taskId: null };
}

/** Whether the last answer can be made again, and whether its run has changed files; null: it cannot. */
export function againOf(view: TaskView): { readonly changed: boolean } | null {
  const last = view.runs.find((r) => r.runId === view.line.at(-1)?.runId);
  if (view.running !== null || last === undefined || last.outcome === null) return null;
  const changed = activeRows(view).some(
    (r) => r.type === 'checkpoint' && r.kind === 'turn' && r.runId === last.runId && r.files > 0,
  );
  return { changed };
}

/** What the reader must see when it is new: their message, and what waits for their answer. */
export function callsOf(view: TaskView): readonly string[] {
  const asking = view.rows.filter(
    (r) => r.type === 'tool' && r.state === 'asking' && r.runId === view.running,
  );
  return [
    ...(view.limit === null ? [] : [`limit ${view.limit.spent}`]),
    `run ${view.runs.at(-1)?.runId ?? ''}`,
    ...asking.map((r) => (r.type === 'tool' ? toolKey(r) : '')),
  ];
}
