import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Line } from './domain';
import type { Delta, Fact, FactOf, TaskEvent } from './events';
import {
  activeRows,
  checkpointById,
  contextTokens,
  emptyView,
  firstClearedPrompt,
  fold,
  foldAll,
  isActiveCheckpoint,
  isOnLine,
  type Row,
  type TaskView,
} from './fold';
import type { CheckpointId, RunId, SnapshotId, TaskId } from './ids';

const TASK = 't_000000000001' as TaskId;
const run = (n: number): RunId => `r_${String(n).padStart(12, '0')}` as RunId;
const point = (n: number): CheckpointId => `c_${String(n).padStart(12, '0')}` as CheckpointId;
const SNAPSHOT = '0'.repeat(40) as SnapshotId;

const started = (n: number, text = `prompt ${n}`): FactOf<'run.started'> => ({
  type: 'run.started',
  runId: run(n),
  mode: 'apply',
  prompt: { text, attachments: [] },
  provider: 'practice',
  model: 'practice',
});
const answer = (n: number, turn: number, calls: string[] = [], tokens = 10): FactOf<'message.completed'> => ({
  type: 'message.completed',
  runId: run(n),
  turn,
  text: `answer ${n}.${turn}`,
  reasoning: '',
  calls: calls.map((callId) => ({ callId, tool: 'run_command', input: { command: 'ls' } })),
  usage: { inputTokens: tokens, outputTokens: 1, cost: 0.5 },
  finish: calls.length > 0 ? 'tools' : 'stop',
});
const finished = (n: number, callId: string): FactOf<'tool.finished'> => ({
  type: 'tool.finished',
  runId: run(n),
  callId,
  outcome: 'ok',
  text: 'done',
  display: { kind: 'none' },
  touched: [],
});
const ended = (n: number): FactOf<'run.ended'> => ({
  type: 'run.ended',
  runId: run(n),
  outcome: 'completed',
  error: null,
});
const saved = (
  n: number,
  kind: FactOf<'checkpoint.created'>['kind'],
  runId: RunId | null,
  line: Line,
): FactOf<'checkpoint.created'> => ({
  type: 'checkpoint.created',
  checkpointId: point(n),
  kind,
  name: kind === 'manual' ? 'Named' : null,
  runId,
  snapshotId: SNAPSHOT,
  line,
  before: null,
  files: 0,
  added: 0,
  removed: 0,
  skipped: [],
  own: 'none',
  ownPaths: [],
  ms: 1,
});
const restored = (
  to: number,
  redo: number,
  line: Line,
  taskRestored = true,
): FactOf<'restore.completed'> => ({
  type: 'restore.completed',
  to: point(to),
  redo: point(redo),
  scope: 'all',
  whole: false,
  only: null,
  taskRestored,
  filesRestored: true,
  line,
  snapshotId: SNAPSHOT,
  files: [],
  conflicts: [],
  notCovered: [],
  prompt: null,
  filesError: null,
});

const numbered = (facts: readonly Fact[]): TaskEvent[] =>
  facts.map((f, i) => ({ v: 1, seq: i + 1, at: `2030-01-01T00:00:${i}Z`, taskId: TASK, ...f }));

/** Builds a task step by step; `line` is the active line so far, as a checkpoint records it. */
function story(): { view(): TaskView; add(...facts: Fact[]): void; line(): Line; events: TaskEvent[] } {
  let view = emptyView;
  const events: TaskEvent[] = [];
  return {
    events,
    view: () => view,
    line: () => view.line,
    add(...facts) {
      for (const fact of facts) {
        const event = { v: 1, seq: events.length + 1, at: '2030-01-01T00:00:00Z', taskId: TASK, ...fact };
        events.push(event);
        view = fold(view, event);
      }
    },
  };
}
const show = (rows: readonly Row[]): string[] =>
  rows.map((r) =>
    r.type === 'prompt'
      ? r.prompt.text
      : r.type === 'answer'
        ? r.text
        : r.type === 'tool'
          ? `tool ${r.callId} ${r.state}`
          : r.type === 'checkpoint'
            ? `${r.kind} ${Number(r.checkpointId.slice(2))}`
            : r.type === 'compaction'
              ? `compaction ${r.summary}`
              : `end ${r.outcome}`,
  );

describe('a task', () => {
  it('is where its folder was moved to', () => {
    const s = story();
    s.add({ type: 'task.created', title: 'T', workspace: '/w' });
    s.add({ type: 'task.moved', workspace: '/elsewhere' });
    expect([s.view().workspace, s.view().title]).toEqual(['/elsewhere', 'T']);
  });
});

describe('one run', () => {
  it('becomes rows in reading order, with its first checkpoint above the prompt', () => {
    const s = story();
    s.add({ type: 'task.created', title: 'T', workspace: '/w' }, started(1));
    s.add(answer(1, 1, ['a', 'b']), saved(1, 'initial', run(1), []));
    s.add({ type: 'tool.started', runId: run(1), callId: 'a' }, finished(1, 'a'), finished(1, 'b'));
    s.add(saved(2, 'turn', run(1), s.line()), answer(1, 2), ended(1));
    expect(show(activeRows(s.view()))).toEqual([
      ...[
        'initial 1',
        'prompt 1',
        'answer 1.1',
        'tool a ok',
        'tool b ok',
        'turn 2',
        'answer 1.2',
        'end completed',
      ],
    ]);
    expect(s.view()).toMatchObject({ title: 'T', workspace: '/w', running: null, seq: 10 });
    expect(s.view().spent).toEqual({ inputTokens: 20, outputTokens: 2, cost: 1 });
    expect(contextTokens(s.view())).toBe(11);
    expect(s.line()).toEqual([{ runId: run(1), upTo: 10 }]);
  });

  it('gives a result to the newest call of that id (FAULTS 75)', () => {
    const s = story();
    s.add(started(1), answer(1, 1, ['x']), finished(1, 'x'), answer(1, 2, ['x']));
    expect(
      s
        .view()
        .rows.filter((r) => r.type === 'tool')
        .map((r) => r.state),
    ).toEqual(['ok', 'requested']);
    s.add({ ...finished(1, 'x'), outcome: 'error' });
    expect(
      s
        .view()
        .rows.filter((r) => r.type === 'tool')
        .map((r) => r.state),
    ).toEqual(['ok', 'error']);
  });

  it('follows an approval to its rejection', () => {
    const s = story();
    s.add(started(1), answer(1, 1, ['x']));
    s.add({
      type: 'approval.asked',
      runId: run(1),
      request: {
        ...{ callId: 'x', tool: 'run_command', category: 'command', title: 'Run', detail: 'ls' },
        ...{ detailKind: 'command', flag: null, always: 'ls', irreversible: false },
      },
    });
    expect(s.view().rows.at(-1)).toMatchObject({ state: 'asking', request: { detail: 'ls' } });
    s.add({ type: 'approval.given', runId: run(1), callId: 'x', decision: 'reject', reason: 'no' });
    expect(s.view().rows.at(-1)).toMatchObject({ state: 'requested', rejectReason: 'no' });
    s.add({ ...finished(1, 'x'), outcome: 'rejected' });
    expect(s.view().rows.at(-1)).toMatchObject({ state: 'rejected', rejectReason: 'no' });
  });

  it('cancels calls that have no result when it ends', () => {
    const s = story();
    s.add(started(1), answer(1, 1, ['x', 'y']), finished(1, 'x'), { ...ended(1), outcome: 'interrupted' });
    expect(show(activeRows(s.view())).slice(-3)).toEqual([
      'tool x ok',
      'tool y cancelled',
      'end interrupted',
    ]);
  });

  it('marks the run that goes on unprotected', () => {
    const s = story();
    s.add(started(1), { type: 'run.unprotected', runId: run(1) });
    expect(s.view().runs).toMatchObject([{ unprotected: true, outcome: null }]);
  });
});

/** Two runs with a checkpoint in the middle of the first: 2 after turn 1, 3 before run 2, 4 at its end. */
function twoRuns(): ReturnType<typeof story> {
  const s = story();
  s.add(started(1), saved(1, 'initial', run(1), []), answer(1, 1, ['a']), finished(1, 'a'));
  s.add(saved(2, 'turn', run(1), s.line()), answer(1, 2), ended(1));
  const before = s.line();
  s.add(started(2), saved(3, 'run', run(2), before), answer(2, 1, ['b']), finished(2, 'b'));
  s.add(saved(4, 'turn', run(2), s.line()), ended(2));
  return s;
}
const lineOf = (s: ReturnType<typeof story>, n: number): Line =>
  checkpointById(s.view(), point(n))?.line ?? [];

describe('restoring the task', () => {
  it('to a turn in mid-run keeps what was before it, and cuts for good', () => {
    const s = twoRuns();
    s.add(saved(5, 'redo', null, s.line()), restored(2, 5, lineOf(s, 2)));
    expect(show(activeRows(s.view()))).toEqual([
      ...['initial 1', 'prompt 1', 'answer 1.1', 'tool a ok', 'turn 2', 'redo 5'],
    ]);
    s.add({ type: 'task.renamed', title: 'x' }, ended(2));
    expect(show(activeRows(s.view())).at(-1)).toBe('redo 5');
    s.add(started(3), answer(3, 1), ended(3));
    expect(show(activeRows(s.view()))).toEqual([
      ...['initial 1', 'prompt 1', 'answer 1.1', 'tool a ok', 'turn 2', 'redo 5'],
      ...['prompt 3', 'answer 3.1', 'end completed'],
    ]);
  });

  it('to the first checkpoint keeps the task and its first marker (FAULTS 68)', () => {
    const s = twoRuns();
    s.add(saved(5, 'redo', null, s.line()), restored(1, 5, lineOf(s, 1)));
    expect(show(activeRows(s.view()))).toEqual(['initial 1', 'redo 5']);
    expect(s.view().line).toEqual([]);
  });

  it('and back through the redo point is as before, also after new messages', () => {
    const s = twoRuns();
    const before = show(activeRows(s.view()));
    const tokens = contextTokens(s.view());
    s.add(saved(5, 'redo', null, s.line()), restored(2, 5, lineOf(s, 2)));
    s.add(started(3), answer(3, 1, [], 99), ended(3));
    expect(contextTokens(s.view())).toBe(100);
    s.add(saved(6, 'redo', null, s.line()), restored(5, 6, lineOf(s, 5)));
    expect(show(activeRows(s.view()))).toEqual([...before, 'redo 6']);
    expect(contextTokens(s.view())).toBe(tokens);
    // Spent is spent (FAULTS 83).
    expect(s.view().spent.cost).toBe(2);
  });

  it('names the prompt that it clears', () => {
    const s = twoRuns();
    expect(firstClearedPrompt(s.view(), lineOf(s, 1))?.text).toBe('prompt 1');
    expect(firstClearedPrompt(s.view(), lineOf(s, 2))?.text).toBe('prompt 2');
    expect(firstClearedPrompt(s.view(), lineOf(s, 3))?.text).toBe('prompt 2');
    expect(firstClearedPrompt(s.view(), lineOf(s, 4))).toBeNull();
    expect(firstClearedPrompt(s.view(), [{ runId: run(9), upTo: 1 }])).toBeNull();
  });

  it('of files only changes no message and no line', () => {
    const s = twoRuns();
    const before = show(activeRows(s.view()));
    const line = s.line();
    s.add(saved(5, 'redo', null, line), restored(2, 5, lineOf(s, 2), false));
    expect(s.line()).toEqual(line);
    expect(show(activeRows(s.view())).filter((r) => !r.startsWith('redo'))).toEqual(before);
  });

  it('that did not come about leaves no redo point on the screen', () => {
    const s = twoRuns();
    s.add(saved(5, 'redo', null, s.line()), { type: 'restore.undone', to: point(2), redo: point(5) });
    expect(show(activeRows(s.view()))).not.toContain('redo 5');
    const row = checkpointById(s.view(), point(5));
    expect(row && isActiveCheckpoint(s.view(), row)).toBe(false);
  });

  it('takes a checkpoint off the line that was saved on what it cleared', () => {
    const s = twoRuns();
    s.add(saved(5, 'redo', null, s.line()), restored(2, 5, lineOf(s, 2)));
    const on = [1, 2, 3, 4].filter((n) => {
      const row = checkpointById(s.view(), point(n));
      return row !== undefined && isActiveCheckpoint(s.view(), row);
    });
    expect(on).toEqual([1, 2]);
  });
});

describe('lines', () => {
  const a = { runId: run(1), upTo: 5 };
  it.each<[string, Line, Line, boolean]>([
    ['the start is on every line', [], [a], true],
    ['a line is on itself', [a], [a], true],
    ['earlier in the last run', [{ ...a, upTo: 3 }], [a], true],
    ['later in the last run', [{ ...a, upTo: 6 }], [a], false],
    [
      'cut differently before the last run',
      [
        { ...a, upTo: 4 },
        { runId: run(2), upTo: 9 },
      ],
      [a, { runId: run(2), upTo: 9 }],
      false,
    ],
    ['a shorter line under a longer one', [a], [a, { runId: run(2), upTo: 9 }], true],
    ['a longer line', [a, { runId: run(2), upTo: 9 }], [a], false],
    ['another run', [{ runId: run(3), upTo: 1 }], [a], false],
  ])('%s', (_, x, y, expected) => {
    expect(isOnLine(x, y)).toBe(expected);
  });
});

// --- properties -------------------------------------------------------------------------------------------------

const runs = fc.integer({ min: 1, max: 3 });
const calls = fc.constantFrom('a', 'b');
const anyLine = fc.array(fc.record({ runId: runs.map(run), upTo: fc.nat(40) }), { maxLength: 3 });
const anyFact: fc.Arbitrary<Fact> = fc.oneof(
  runs.map((n) => started(n)),
  fc.tuple(runs, fc.integer({ min: 1, max: 2 }), fc.uniqueArray(calls)).map(([n, t, c]) => answer(n, t, c)),
  fc.tuple(runs, calls).map(([n, c]) => ({ type: 'tool.started' as const, runId: run(n), callId: c })),
  fc.tuple(runs, calls).map(([n, c]) => finished(n, c)),
  runs.map((n) => ended(n)),
  runs.map((n) => ({ type: 'run.unprotected' as const, runId: run(n) })),
  fc
    .tuple(fc.nat(5), fc.constantFrom('initial', 'run', 'turn', 'redo', 'manual'), fc.option(runs), anyLine)
    .map(([n, kind, r, line]) => saved(n, kind as 'turn', r === null ? null : run(r), line)),
  fc
    .tuple(fc.nat(5), fc.nat(5), anyLine, fc.boolean())
    .map(([to, redo, line, task]) => restored(to, redo, line, task)),
  fc.constant<Fact>({ type: 'task.renamed', title: 'x' }),
  fc.constant({ type: 'task.blessed' } as unknown as Fact),
);
const anyDelta: fc.Arbitrary<Delta> = fc
  .tuple(runs, fc.integer({ min: 1, max: 2 }), calls, fc.nat(5))
  .map(([n, turn, callId, kind]) => {
    const base = { taskId: TASK, runId: run(n) };
    const all: Delta[] = [
      { type: 'delta.text', ...base, turn, text: 't' },
      { type: 'delta.reasoning', ...base, turn, text: 'r' },
      { type: 'delta.call', ...base, turn, callId, tool: 'x' },
      { type: 'delta.output', ...base, callId, text: 'o' },
      { type: 'delta.waiting', ...base, waiting: 'w' },
      { type: 'delta.later', ...base, text: 'z' } as unknown as Delta,
    ];
    return all[kind] as Delta;
  });
const mixed = fc.array(fc.oneof({ weight: 2, arbitrary: anyFact }, { weight: 1, arbitrary: anyDelta }), {
  maxLength: 40,
});
const isDelta = (e: Fact | Delta): e is Delta => e.type.startsWith('delta.');

function foldMixed(items: readonly (Fact | Delta)[]): TaskView {
  let view = emptyView;
  let seq = 0;
  for (const item of items) {
    const event = isDelta(item) ? item : { v: 1, seq: ++seq, at: 'now', taskId: TASK, ...item };
    const before = JSON.stringify(view);
    const next = fold(view, event);
    expect(JSON.stringify(view)).toBe(before); // nobody's view changes under them
    view = next;
  }
  return view;
}

describe('whatever the events', () => {
  it('folding all at once equals folding one by one', () => {
    fc.assert(
      fc.property(fc.array(anyFact, { maxLength: 60 }), (facts) => {
        const events = numbered(facts);
        expect(foldAll(events)).toEqual(events.reduce<TaskView>(fold, emptyView));
      }),
    );
  });

  it('never throws and never changes a view that it was given', () => {
    fc.assert(
      fc.property(mixed, (items) => {
        const view = foldMixed(items);
        const rows = activeRows(view);
        for (const row of rows) expect(view.rows).toContain(row);
        contextTokens(view);
        firstClearedPrompt(view, view.line);
      }),
    );
  });

  it('takes each fact once, however often it comes', () => {
    fc.assert(
      fc.property(fc.array(anyFact, { maxLength: 30 }), fc.array(fc.nat(29)), (facts, again) => {
        const events = numbered(facts);
        const view = foldAll(events);
        const repeated = again.flatMap((i) => events[i] ?? []);
        expect(foldAll([...events, ...repeated])).toEqual(view);
        expect(repeated.reduce<TaskView>(fold, view)).toBe(view);
      }),
    );
  });

  it('does without any fragment once the runs have ended (law 8)', () => {
    fc.assert(
      fc.property(mixed, (items) => {
        const end = [ended(1), ended(2), ended(3)];
        const facts = items.filter((i): i is Fact => !isDelta(i));
        expect(foldMixed([...items, ...end])).toEqual(foldMixed([...facts, ...end]));
      }),
    );
  });

  it('erases nothing: rows of facts stay, in number', () => {
    fc.assert(
      fc.property(fc.array(anyFact, { maxLength: 40 }), (facts) => {
        const expected = facts.reduce(
          (n, f) =>
            n +
            (f.type === 'message.completed' ? 1 + f.calls.length : 0) +
            (f.type === 'run.started' || f.type === 'run.ended' || f.type === 'checkpoint.created' ? 1 : 0),
          0,
        );
        expect(foldAll(numbered(facts)).rows).toHaveLength(expected);
      }),
    );
  });
});

describe('streaming', () => {
  const text = (t: string, turn = 1): Delta => ({
    type: 'delta.text',
    taskId: TASK,
    runId: run(1),
    turn,
    text: t,
  });

  it('shows fragments in an answer that the fact replaces', () => {
    const s = story();
    s.add(started(1));
    let view = [text('He'), text('llo')].reduce<TaskView>(fold, s.view());
    view = fold(view, { type: 'delta.call', taskId: TASK, runId: run(1), turn: 1, callId: 'a', tool: 'x' });
    expect(show(activeRows(view))).toEqual(['prompt 1', 'Hello', 'tool a writing']);
    const [event] = numbered([answer(1, 1, ['a'])]);
    if (event !== undefined) view = fold(view, { ...event, seq: 2 });
    expect(show(activeRows(view))).toEqual(['prompt 1', 'answer 1.1', 'tool a requested']);
    expect(fold(view, text('late'))).toEqual(view);
  });

  it('ignores fragments of a run that is not running', () => {
    const s = story();
    s.add(started(1), ended(1));
    expect(fold(s.view(), text('late'))).toBe(s.view());
  });
});

it('is quick with 100,000 events', () => {
  const facts: Fact[] = [];
  for (let n = 1; facts.length < 100_000; n++) {
    facts.push(started(n));
    for (let t = 1; t <= 10; t++) facts.push(answer(n, t, ['c']), finished(n, 'c'));
    facts.push(ended(n));
  }
  const events = numbered(facts);
  const began = Date.now();
  const view = foldAll(events);
  activeRows(view);
  expect(Date.now() - began).toBeLessThan(10_000);
  expect(view.rows.length).toBeGreaterThan(90_000);
});
