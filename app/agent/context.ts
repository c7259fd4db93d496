// From a task's rows to what the model is sent. Pure.
// Owns: the rule that every call has exactly one result directly after it, whatever happened to it.
// Does not own: the wire format (app/provider), which rows are in force (shared/fold).
import type { Thinking } from '../../shared/domain';
import {
  type AnswerRow,
  activeRows,
  type CompactionRow,
  type TaskView,
  type ToolRow,
} from '../../shared/fold';
import type { ModelMessage } from '../provider/provider';
import { compactCommand } from './compaction';

/** One answer with the fate of its calls, as both the loop and the log know it. */
export type PlayedAnswer = {
  readonly text: string;
  readonly thinking: readonly Thinking[];
  readonly finish: 'stop' | 'tools' | 'length' | 'cut' | 'stopped';
  readonly calls: readonly {
    readonly callId: string;
    readonly tool: string;
    readonly input: unknown;
    readonly result: { readonly text: string; readonly ok: boolean };
  }[];
};

const CUT_NOTE = '(Your last answer was cut off before its end. Go on from there.)';
const NO_RESULT = 'There is no result: it was not carried out, or was interrupted and may be done in part.';

/** The messages of one answer: itself, the results of its calls, a note when it broke off. */
export function messagesOfAnswer(answer: PlayedAnswer): readonly ModelMessage[] {
  const { text, thinking, calls, finish } = answer;
  if (calls.length > 0) {
    return [
      {
        role: 'assistant',
        text,
        thinking,
        calls: calls.map(({ callId, tool, input }) => ({ callId, tool, input })),
      },
      { role: 'results', results: calls.map(({ callId, tool, result }) => ({ callId, tool, ...result })) },
    ];
  }
  if (text.trim() === '') return [];
  const said: ModelMessage = { role: 'assistant', text, thinking, calls: [] };
  return finish === 'cut' || finish === 'length' ? [said, { role: 'user', text: CUT_NOTE }] : [said];
}

/** Who is going to be asked. */
export type Asked = { readonly id: string; readonly model: string };

/** The whole conversation in force. Thinking goes back to the model that it is from, and to no other. */
export function messagesOf(view: TaskView, asked: Asked): readonly ModelMessage[] {
  const all = activeRows(view);
  const compaction = all.findLast((r): r is CompactionRow => r.type === 'compaction');
  const rows = compaction === undefined ? all : all.slice(all.indexOf(compaction) + 1);
  const messages: ModelMessage[] = [];
  if (compaction !== undefined) {
    const run = view.runs.find((r) => r.runId === compaction.runId);
    messages.push(...messagesAfter(compaction.summary, run?.prompt.text ?? ''));
  }
  for (const row of rows) {
    if (row.type === 'prompt') {
      // A /compact that came to nothing asks the model for nothing.
      if (compactCommand(row.prompt.text) === null) messages.push({ role: 'user', text: row.prompt.text });
    } else if (row.type === 'answer' && row.final) {
      const calls = rows.filter((r): r is ToolRow => r.type === 'tool' && isCallOf(r, row));
      messages.push(...messagesOfAnswer(playedAnswer(view, row, calls, asked)));
    }
  }
  return messages;
}

/** What stands for a conversation that was compacted in a run with this prompt. */
export function messagesAfter(summary: string, prompt: string): readonly ModelMessage[] {
  const said: ModelMessage = {
    role: 'user',
    text: `(The conversation until now was summed up to save room. The summary:)\n\n${summary}`,
  };
  if (prompt === '' || compactCommand(prompt) !== null) return [said];
  const text = `(What I asked for last; the summary says how far you are with it:)\n\n${prompt}`;
  return [said, { role: 'user', text }];
}

const isCallOf = (call: ToolRow, answer: AnswerRow): boolean =>
  call.runId === answer.runId && call.turn === answer.turn && call.seq === answer.seq;

function playedAnswer(view: TaskView, row: AnswerRow, calls: readonly ToolRow[], asked: Asked): PlayedAnswer {
  const run = view.runs.find((r) => r.runId === row.runId);
  const own = run?.provider === asked.id && run.model === asked.model;
  const upTo = view.line.find((l) => l.runId === row.runId)?.upTo ?? 0;
  return {
    text: row.text,
    thinking: own ? row.thinking : [],
    finish: row.finish ?? 'cut',
    calls: calls.map((call) => {
      // A result that came after the point to which the task was rewound is not in force.
      const ended = call.endedSeq !== null && call.endedSeq <= upTo;
      const result = ended ? { text: call.text, ok: call.state === 'ok' } : { text: NO_RESULT, ok: false };
      return { callId: call.callId, tool: call.tool, input: call.input, result };
    }),
  };
}
