// Facts for the log's tests. Not part of the product.
import type { Fact } from '../../shared/events';
import type { RunId, TaskId } from '../../shared/ids';

export const TASK = 't_000000000001' as TaskId;
export const RUN = 'r_000000000001' as RunId;

export const renamed = (title: string): Fact => ({ type: 'task.renamed', title });

export const runStarted = (text = 'Do it'): Fact => ({
  type: 'run.started',
  runId: RUN,
  mode: 'apply',
  prompt: { text, attachments: [] },
  provider: 'practice',
  model: 'practice',
});

export const answer = (text: string, turn = 1): Fact => ({
  type: 'message.completed',
  runId: RUN,
  turn,
  text,
  reasoning: '',
  calls: [{ callId: 'a', tool: 'read_file', input: { path: 'x' } }],
  usage: { inputTokens: 1, outputTokens: 1, cost: null },
  finish: 'stop',
});

export const runEnded: Fact = { type: 'run.ended', runId: RUN, outcome: 'completed', error: null };

/** The line that the log has for a fact. */
export const lineOf = (seq: number, fact: object, head: object = {}): string =>
  `${JSON.stringify({ v: 1, seq, at: '2030-01-01T00:00:00.000Z', taskId: TASK, ...head, ...fact })}\n`;
