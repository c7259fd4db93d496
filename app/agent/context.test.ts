import { randomFillSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Fact, TaskEvent } from '../../shared/events';
import { foldAll } from '../../shared/fold';
import { newCheckpointId, newRunId, newTaskId } from '../../shared/ids';
import type { ModelMessage } from '../provider/provider';
import { messagesOf } from './context';

const taskId = newTaskId(randomFillSync);
const runIds = [newRunId(randomFillSync), newRunId(randomFillSync)] as const;
const [runId] = runIds;
const ASKED = { id: 'p', model: 'm' };
const usage = { inputTokens: 0, outputTokens: 0, cost: null };

const viewOf = (facts: readonly Fact[]) =>
  foldAll(facts.map((fact, i): TaskEvent => ({ ...fact, v: 1, seq: i + 1, at: '', taskId })));
const prompt = (text: string, id = runId): Fact => ({
  type: 'run.started',
  runId: id,
  mode: 'apply',
  prompt: { text, attachments: [] },
  provider: 'p',
  model: 'm',
});
type Finish = Extract<Fact, { type: 'message.completed' }>['finish'];
const answer = (
  turn: number,
  text: string,
  ids: readonly string[],
  finish: Finish = 'tools',
  id = runId,
): Fact => ({
  type: 'message.completed',
  runId: id,
  turn,
  text,
  reasoning: '',
  calls: ids.map((callId) => ({ callId, tool: 't', input: { callId } })),
  usage,
  finish,
});
const result = (callId: string, text: string, id = runId): Fact => ({
  type: 'tool.finished',
  runId: id,
  callId,
  outcome: 'ok',
  text,
  display: { kind: 'none' },
  touched: [],
});

/** Why a conversation would be refused by a server, or null. */
function faultIn(messages: readonly ModelMessage[]): string | null {
  for (const [i, message] of messages.entries()) {
    const next = messages[i + 1];
    if (message.role === 'assistant' && message.calls.length > 0) {
      if (next?.role !== 'results') return `calls without results at ${i}`;
      const asked = message.calls.map((c) => c.callId).join();
      if (asked !== next.results.map((r) => r.callId).join()) return `other results than calls at ${i}`;
    }
    if (message.role === 'results' && messages[i - 1]?.role !== 'assistant') return `orphans at ${i}`;
    if (message.role === 'assistant' && message.calls.length === 0 && message.text === '')
      return `nothing at ${i}`;
  }
  return null;
}

describe('messagesOf', () => {
  test('results stand in the order of the calls, however they ended', () => {
    const view = viewOf([prompt('go'), answer(1, 'a', ['x', 'y']), result('y', 'Y'), result('x', 'X')]);
    expect(messagesOf(view, ASKED)).toEqual([
      { role: 'user', text: 'go' },
      {
        role: 'assistant',
        text: 'a',
        thinking: [],
        calls: [
          { callId: 'x', tool: 't', input: { callId: 'x' } },
          { callId: 'y', tool: 't', input: { callId: 'y' } },
        ],
      },
      {
        role: 'results',
        results: [
          { callId: 'x', tool: 't', text: 'X', ok: true },
          { callId: 'y', tool: 't', text: 'Y', ok: true },
        ],
      },
    ]);
  });

  test('a result that came after the point of a rewind does not count', () => {
    const facts: Fact[] = [prompt('go'), answer(1, '', ['x', 'y']), result('x', 'X'), result('y', 'Y')];
    const restore: Fact = {
      type: 'restore.completed',
      to: newCheckpointId(randomFillSync),
      redo: newCheckpointId(randomFillSync),
      scope: 'task',
      whole: false,
      only: null,
      taskRestored: true,
      filesRestored: false,
      line: [{ runId, upTo: 3 }],
      snapshotId: null,
      files: [],
      conflicts: [],
      notCovered: [],
      prompt: null,
      filesError: null,
    };
    const messages = messagesOf(viewOf([...facts, restore]), ASKED);
    const last = messages.at(-1);
    expect(last?.role === 'results' && last.results.map((r) => r.ok)).toEqual([true, false]);
  });

  test('a cut answer without calls is followed by a note, so that the model goes on', () => {
    const messages = messagesOf(viewOf([prompt('go'), answer(1, 'half', [], 'cut')]), ASKED);
    expect(messages.map((m) => m.role)).toEqual(['user', 'assistant', 'user']);
  });

  test('fault 74: whatever happened, every call has exactly one result directly after it', () => {
    const ids = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 });
    const finish = fc.constantFrom<Finish>('stop', 'tools', 'length', 'cut', 'stopped');
    const turn = fc.record({
      ids,
      finish,
      text: fc.constantFrom('', 'words'),
      // which calls got a result, also of calls that were never made
      ended: fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 4 }),
    });
    const runs = fc.tuple(fc.array(turn, { maxLength: 4 }), fc.array(turn, { maxLength: 4 }), fc.boolean());
    fc.assert(
      fc.property(runs, ([first, second, ended]) => {
        const facts = [first, second].flatMap((turns, r): Fact[] => {
          const id = runIds[r] ?? runId;
          const played = turns.flatMap((t, n) => [
            answer(n + 1, t.text, t.ids, t.finish, id),
            ...t.ended.map((callId) => result(callId, callId, id)),
          ]);
          const end: Fact = { type: 'run.ended', runId: id, outcome: 'stopped', error: null };
          return [prompt('go', id), ...played, ...(ended ? [end] : [])];
        });
        const messages = messagesOf(viewOf(facts), ASKED);
        expect(faultIn(messages)).toBeNull();
        expect(messages.filter((m) => m.role === 'user' && m.text === 'go')).toHaveLength(2);
      }),
    );
  });
});
