// What a run waits for from a person, as its log says it. Pure.
import type { TaskView } from './fold';

/** Stands for the question on a limit, which belongs to no call. */
export const LIMIT_CALL = ' limit';

/** The calls with which the running run waits for an answer; empty when it waits for none. */
export function askingCalls(view: TaskView): string[] {
  if (view.running === null) return [];
  const calls = view.rows.flatMap((r) =>
    r.type === 'tool' && r.state === 'asking' && r.runId === view.running ? [r.callId] : [],
  );
  return view.limit === null ? calls : [...calls, LIMIT_CALL];
}
