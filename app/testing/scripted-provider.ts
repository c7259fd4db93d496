// A provider that makes the given calls, a list of them each turn, and then ends. For tests of what lies around a run.
import type { Provider } from '../provider/provider';

export type ScriptedTurn = readonly { readonly tool: string; readonly input: Record<string, unknown> }[];

export function scriptedProvider(turns: readonly ScriptedTurn[]): Provider {
  let next = 0;
  return {
    id: 'practice',
    model: 'scripted',
    contextSize: async () => ({ tokens: 1_000_000, from: 'setting' }),
    async *step() {
      const calls = turns[next++] ?? [];
      for (const [index, { tool, input }] of calls.entries())
        yield { type: 'call', callId: `call_${next}_${index}`, tool, input, error: null };
      if (calls.length === 0) yield { type: 'text', text: 'Done.' };
      const usage = { inputTokens: 1, outputTokens: 1, cost: null };
      yield { type: 'finish', reason: calls.length > 0 ? 'tools' : 'stop', usage };
    },
  };
}
