// Lines that a restore of the task has left, and redo points: what can be returned to. Pure.
// Invariant: nothing is listed twice, and nothing that the active line already holds.
import type { Line, Prompt } from './domain';
import { type CheckpointRow, checkpointRows, isOnLine, type RestoreFacts, type TaskView } from './fold';

/** A redo point whose restore came about. */
export type RedoPoint = CheckpointRow & { readonly undoes: RestoreFacts };

/** A line that the conversation is not on any more. */
export type EarlierLine = {
  /** going back to it leads here */
  readonly redo: RedoPoint;
  /** the first message that only this line has */
  readonly prompt: Prompt;
  /** prompts and answers that only this line has */
  readonly messages: number;
};

export const isRedoPoint = (row: CheckpointRow): row is RedoPoint => row.undoes !== null;

/** Newest first, whether they were used or not. */
export const redoPoints = (view: TaskView): readonly RedoPoint[] =>
  checkpointRows(view).filter(isRedoPoint).reverse();

/** True for a restore that has been taken back. */
export const isUsed = (view: TaskView, redo: CheckpointRow): boolean =>
  view.restores.some((r) => r.to === redo.checkpointId);

/** Newest first. */
export function earlierLines(view: TaskView): readonly EarlierLine[] {
  const found: EarlierLine[] = [];
  for (const redo of redoPoints(view)) {
    const { line } = redo;
    if (!redo.undoes.taskRestored || isOnLine(line, view.line)) continue;
    if (found.some((f) => isOnLine(line, f.redo.line))) continue;
    const own = rowsOnlyOn(view, line);
    const prompt = own.find((r) => r.type === 'prompt')?.prompt ?? promptOf(view, line);
    if (prompt !== null) found.push({ redo, prompt, messages: own.length });
  }
  return found;
}

/** Prompts and answers of a line that the active one does not have. */
function rowsOnlyOn(view: TaskView, line: Line) {
  const now = new Map(view.line.map((l) => [l.runId, l.upTo]));
  const then = new Map(line.map((l) => [l.runId, l.upTo]));
  return view.rows.flatMap((r) => {
    if (r.type !== 'prompt' && r.type !== 'answer') return [];
    return r.seq <= (then.get(r.runId) ?? -1) && r.seq > (now.get(r.runId) ?? -1) ? [r] : [];
  });
}

/** A line that was cut within a run begins with no message of its own: that run's message then stands for it. */
function promptOf(view: TaskView, line: Line): Prompt | null {
  const at = line.findIndex((l, i) => view.line[i]?.runId !== l.runId || view.line[i]?.upTo !== l.upTo);
  return view.runs.find((r) => r.runId === line[at]?.runId)?.prompt ?? null;
}
