// Provider and model may change with every prompt of a task; whatever was before, the next request is valid.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openProvider } from '../provider/registry';
import { startAnthropicServer } from '../testing/anthropic-server';
import { openFakeTask } from '../testing/fake-ports';
import type { ScriptedAnswer } from '../testing/model-server';
import { startOllamaServer } from '../testing/ollama-server';
import { startProviderServer } from '../testing/provider-server';
import { makeTempFolder } from '../testing/temp-folder';

const call = fc.record(
  {
    id: fc.constantFrom('Edit_0', 'call_0', 'a.b:1', 'x'.repeat(60), ''),
    name: fc.constantFrom('write_file', 'read_file', 'no tool!'),
    args: fc.constantFrom<ScriptedArgs>({ path: 'a.txt', content: 'x' }, { path: 'a.txt' }, '{"path": '),
  },
  { requiredKeys: ['name', 'args'] },
);
type ScriptedArgs = Record<string, string> | string;
const answer: fc.Arbitrary<ScriptedAnswer> = fc.record(
  {
    text: fc.constantFrom('Well.', '\n\n', 'two words'),
    reasoning: fc.constantFrom('hm', 'let me see'),
    redacted: fc.constant('secret'),
    calls: fc.array(call, { minLength: 1, maxLength: 3 }),
    cutAfter: fc.nat(14),
  },
  { requiredKeys: [] },
);
const model = fc.constantFrom(
  ['openai-compatible', 'some-model'],
  ['openai-compatible', 'another-model'],
  ['ollama', 'test-model'],
  ['anthropic', 'claude-sonnet-4-5'],
  ['anthropic', 'claude-opus-4-1'],
  ['anthropic', 'claude-opus-5-5'],
);

test('fault 74, 75: change of provider and model between prompts', async () => {
  const temp = await makeTempFolder();
  const servers = {
    'openai-compatible': await startProviderServer(),
    anthropic: await startAnthropicServer(),
    ollama: await startOllamaServer(),
  };
  const runs = fc.array(fc.tuple(model, fc.array(answer, { maxLength: 3 })), { minLength: 2, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(runs, async (plan) => {
      let at: readonly string[] = plan[0]?.[0] ?? [];
      const current = () => {
        const [id = '', name = ''] = at;
        const { baseUrl } = servers[id as keyof typeof servers];
        return openProvider({ id, model: name, baseUrl, headers: {}, key: 'k', contextTokens: null });
      };
      const provider = {
        get id() {
          return current().id;
        },
        get model() {
          return current().model;
        },
        contextSize: () => current().contextSize(),
        step: (request: Parameters<ReturnType<typeof current>['step']>[0]) => current().step(request),
      };
      const task = openFakeTask({ workspace: temp.workspace, outputsFolder: temp.outputs, provider });
      for (const [next, answers] of plan) {
        at = next;
        const server = servers[next[0] as keyof typeof servers];
        server.script(...answers, { text: 'done' });
        const limits = { turns: answers.length + 1, cost: null };
        await task.prompt('go', { limits, patience: { tries: 2, firstWaitMs: 1 } });
        server.forget();
        expect(server.faults).toEqual([]);
      }
    }),
    { numRuns: 60 },
  );
  await Promise.all(Object.values(servers).map((server) => server.close()));
  await temp.remove();
}, 120_000);
