import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Limit, Question } from '../../shared/domain';
import { TidemarkError } from '../../shared/errors';
import { openProvider } from '../provider/registry';
import { type FakeTask, openFakeTask } from '../testing/fake-ports';
import { type ProviderServer, startProviderServer } from '../testing/provider-server';
import { makeTempFolder, type TempFolder } from '../testing/temp-folder';
import { openLimits } from './limits';
import type { RunPorts } from './ports';

let temp: TempFolder;
let server: ProviderServer;
beforeEach(async () => {
  temp = await makeTempFolder();
  server = await startProviderServer();
});
afterEach(async () => {
  await server.close();
  await temp.remove();
});

const taskWith = (ports: Partial<RunPorts>): FakeTask =>
  openFakeTask({
    workspace: temp.workspace,
    outputsFolder: temp.outputs,
    provider: openProvider({
      id: 'openai-compatible',
      model: 'm',
      baseUrl: server.baseUrl,
      headers: {},
      key: null,
      contextTokens: null,
    }),
    ports,
  });
const LOOK = { calls: [{ name: 'list_files', args: {} }] };
const DONE = { calls: [{ name: 'complete_task', args: { result: 'ok' } }] };
const ASK = {
  calls: [{ name: 'ask_question', args: { question: 'Which?', choices: ['red', 'blue', 'red'] } }],
};
const told = (request: number) => JSON.stringify(server.requests[request]?.body.messages.at(-1)?.content);

describe('a question', () => {
  test('waits for its answer, which the model is told; the log has both', async () => {
    server.script(ASK, DONE);
    const questions: Question[] = [];
    const states: string[] = [];
    const task = taskWith({
      ask: async (question) => {
        questions.push(question);
        states.push(...task.view.rows.flatMap((r) => (r.type === 'tool' ? [r.state] : [])));
        return 'green';
      },
    });
    await task.prompt('go', { mode: 'apply' });
    expect(questions).toEqual([{ callId: 'call_0', question: 'Which?', choices: ['red', 'blue'] }]);
    expect(states).toEqual(['asking']);
    expect(told(1)).toContain('The user answered: green');
    expect(task.view.rows.find((r) => r.type === 'tool')).toMatchObject({ state: 'ok', answer: 'green' });
    expect(task.order.some((o) => o.startsWith('turnEnded') || o === 'beforeChange')).toBe(false);
  });

  test('may be asked in Ask mode', async () => {
    server.script(ASK, { text: 'Fine.' });
    const outcome = await taskWith({}).prompt('go', { mode: 'ask' });
    expect(outcome.outcome).toBe('completed');
    expect(told(1)).toContain('The user answered: yes');
  });

  test('that nobody can answer is an error that the model can act on', async () => {
    server.script(ASK, DONE);
    const task = taskWith({
      ask: async () => {
        throw new TidemarkError('decision-needed', 'Nobody can be asked.');
      },
    });
    expect((await task.prompt('go')).outcome).toBe('completed');
    expect(told(1)).toContain('Nobody can be asked.');
    expect(task.facts('tool.finished')[0]?.outcome).toBe('error');
  });

  test('ends with the run', async () => {
    server.script(ASK);
    const stop = new AbortController();
    const task = taskWith({
      ask: () =>
        new Promise((_, reject) => {
          stop.signal.addEventListener('abort', () => reject(new TidemarkError('cancelled', 'Stopped.')));
          stop.abort();
        }),
    });
    expect((await task.prompt('go', { signal: stop.signal })).outcome).toBe('stopped');
    expect(task.facts('tool.finished')).toHaveLength(1);
    expect(task.facts('question.answered')).toEqual([]);
  });
});

test('a plan is kept as it was last said and changes nothing', async () => {
  const plan = (status: string) => ({
    calls: [
      {
        name: 'update_plan',
        args: {
          steps: [
            { title: 'Look', status },
            { title: 'Write', status: 'pending' },
          ],
        },
      },
    ],
  });
  server.script(plan('active'), plan('done'), DONE);
  const task = taskWith({});
  await task.prompt('go');
  expect(told(2)).toContain('1 of 2 steps are done');
  expect(task.order.some((o) => o.startsWith('turnEnded') || o === 'approval.asked')).toBe(false);
});

describe('a limit of turns', () => {
  const limits = { turns: 2, cost: null };

  test('asks before the next turn; a yes is good for as many again', async () => {
    server.script(LOOK, LOOK, LOOK, LOOK, DONE);
    const asked: Limit[] = [];
    const task = taskWith({
      goOn: async (limit) => {
        asked.push(limit);
        expect(task.view.limit).toEqual(limit);
        expect(server.requests).toHaveLength(limit.spent);
        return true;
      },
    });
    expect((await task.prompt('go', { limits })).outcome).toBe('completed');
    expect(asked).toEqual([
      { kind: 'turns', spent: 2, most: 2 },
      { kind: 'turns', spent: 4, most: 4 },
    ]);
    expect(task.view.limit).toBeNull();
  });

  test('a no ends it as Stop does, with nothing more sent', async () => {
    server.script(LOOK, LOOK, LOOK);
    const task = taskWith({ goOn: async () => false });
    expect((await task.prompt('go', { limits })).outcome).toBe('stopped');
    expect(server.requests).toHaveLength(2);
    expect(task.facts('limit.answered')).toEqual([expect.objectContaining({ goOn: false })]);
  });

  test('with nobody to ask it fails and says so', async () => {
    server.script(LOOK, LOOK, LOOK);
    const task = taskWith({
      goOn: async () => {
        throw new TidemarkError('decision-needed', 'The limit was reached.');
      },
    });
    expect(await task.prompt('go', { limits })).toMatchObject({
      outcome: 'failed',
      error: { code: 'decision-needed' },
    });
    expect(task.view.limit).toBeNull();
  });
});

test('a limit of cost counts what was paid, and one large answer asks once', () => {
  const limits = openLimits({ turns: 100, cost: 1 });
  const pay = (cost: number | null) => limits.count({ inputTokens: 0, outputTokens: 0, cost });
  pay(0.5);
  pay(null);
  expect(limits.reached()).toBeNull();
  pay(0.5);
  expect(limits.reached()).toEqual({ kind: 'cost', spent: 1, most: 1 });
  expect(limits.reached()).toBeNull();
  pay(2.5);
  expect(limits.reached()).toEqual({ kind: 'cost', spent: 3.5, most: 2 });
  expect(limits.reached()).toBeNull();
});
