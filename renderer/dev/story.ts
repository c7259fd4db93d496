// A task as its log would tell it: the scenes that the fake main process plays.
import type { ApprovalRequest, ToolDisplay } from '../../shared/domain';
import type { Fact, TaskEvent } from '../../shared/events';
import { foldAll } from '../../shared/fold';
import type { CheckpointId, RunId, SnapshotId, TaskId } from '../../shared/ids';

export const TASK = 't_0rders0a0001' as TaskId;
export const snap = (n: number): SnapshotId => n.toString(16).padStart(40, '0') as SnapshotId;
export const cp = (n: number): CheckpointId => `c_${String(n).padStart(12, '0')}` as CheckpointId;
export const run = (n: number): RunId => `r_${String(n).padStart(12, '0')}` as RunId;

/** Builds a log: numbers, times and the line that checkpoints remember come by themselves. */
export class Script {
  readonly events: TaskEvent[] = [];
  private at: number;
  constructor(
    readonly taskId: TaskId,
    start: Date,
  ) {
    this.at = start.getTime();
  }
  add(fact: Fact, afterS = 4): TaskEvent {
    this.at += afterS * 1000;
    const seq = this.events.length + 1;
    const event = {
      ...fact,
      v: 1,
      seq,
      at: new Date(this.at).toISOString(),
      taskId: this.taskId,
    } as TaskEvent;
    this.events.push(event);
    return event;
  }
  get line() {
    return foldAll(this.events).line.map((l) => ({ ...l }));
  }
  prompt(runId: RunId, text: string): TaskEvent {
    return this.add(
      {
        type: 'run.started',
        runId,
        mode: 'apply',
        prompt: { text, attachments: [] },
        provider: 'anthropic',
        model: 'claude-sonnet',
      },
      30,
    );
  }
  answer(
    runId: RunId,
    turn: number,
    text: string,
    calls: readonly { callId: string; tool: string; input: unknown }[] = [],
  ): TaskEvent {
    return this.add({
      type: 'message.completed',
      runId,
      turn,
      text,
      reasoning: turn === 1 ? 'The rounding is applied twice: once per line and once on the total.' : '',
      calls: [...calls],
      usage: { inputTokens: 2900 + turn * 400, outputTokens: 240, cost: 0.011 },
      finish: calls.length > 0 ? 'tools' : 'stop',
    });
  }
  tool(
    runId: RunId,
    callId: string,
    display: ToolDisplay,
    text = '',
    outcome: 'ok' | 'error' = 'ok',
  ): TaskEvent {
    this.add({ type: 'tool.started', runId, callId }, 0);
    return this.add({ type: 'tool.finished', runId, callId, outcome, text, display, touched: [] }, 2);
  }
  checkpoint(
    part: Partial<Extract<Fact, { type: 'checkpoint.created' }>> & {
      checkpointId: CheckpointId;
      kind: 'initial' | 'run' | 'turn' | 'completion' | 'manual' | 'redo';
    },
  ): TaskEvent {
    return this.add(
      {
        type: 'checkpoint.created',
        name: null,
        runId: null,
        snapshotId: snap(1),
        line: this.line,
        before: null,
        files: 0,
        added: null,
        removed: null,
        skipped: [],
        own: 'none',
        ownPaths: [],
        ms: 41,
        ...part,
      },
      1,
    );
  }
}

export const PATCH = `@@ -12,5 +12,4 @@
 export function total(lines: Line[]) {
   const net = sum(lines);
-  const total = round(net * (1 + vat), 2);
-  return total;
+  return Money.of(net).withVat(vat);
 }`;

export function story(start: Date): Script {
  const s = new Script(TASK, start);
  const r = run(1);
  s.add({
    type: 'task.created',
    title: 'Move price rounding into Money',
    workspace: '/home/dana/code/orders-api',
  });
  s.prompt(r, 'Move the rounding rules out of invoice.ts into a Money type, and make the tests pass.');
  s.checkpoint({ checkpointId: cp(1), kind: 'initial', runId: r, line: [], snapshotId: snap(1) });
  s.answer(r, 1, "I'll read the invoice code first, then introduce `Money` and switch the callers over.", [
    { callId: 'a', tool: 'read_file', input: { path: 'src/pricing/invoice.ts' } },
  ]);
  s.tool(r, 'a', { kind: 'lines', label: '118 lines' }, '1\timport { round } from "./rounding";\n2\t…');
  s.answer(r, 2, '', [
    { callId: 'b', tool: 'replace_text', input: { path: 'src/pricing/invoice.ts' } },
    { callId: 'c', tool: 'write_file', input: { path: 'src/pricing/money.ts', content: '' } },
    { callId: 'd', tool: 'run_command', input: { command: 'npm test -- pricing' } },
  ]);
  s.tool(r, 'b', { kind: 'edit', path: 'src/pricing/invoice.ts', added: 6, removed: 11, patch: PATCH });
  s.tool(r, 'c', { kind: 'edit', path: 'src/pricing/money.ts', added: 52, removed: 0, patch: MONEY_PATCH });
  s.tool(r, 'd', {
    kind: 'command',
    exitCode: 0,
    ms: 2130,
    output:
      '✓ invoice totals are rounded once (4 ms)\n✓ VAT is applied before rounding (1 ms)      24 passed\n',
    cut: false,
  });
  s.checkpoint({
    checkpointId: cp(2),
    kind: 'turn',
    runId: r,
    snapshotId: snap(2),
    before: snap(1),
    files: 3,
    added: 58,
    removed: 31,
    own: 'task',
    skipped: [
      { path: '.env', why: 'secret' },
      { path: 'data/prices.csv', why: 'data file' },
    ],
  });
  s.answer(r, 3, '', [{ callId: 'e', tool: 'complete_task', input: { result: '' } }]);
  s.tool(r, 'e', {
    kind: 'completion',
    result: 'Rounding now lives in `Money`; invoice.ts and its tests use it.',
  });
  s.checkpoint({ checkpointId: cp(3), kind: 'completion', runId: r, snapshotId: snap(2), before: snap(2) });
  s.add({ type: 'run.ended', runId: r, outcome: 'completed', error: null });
  return s;
}

const MONEY_PATCH = `@@ -0,0 +1,14 @@
${MONEY()
  .split('\n')
  .map((l) => `+${l}`)
  .join('\n')}`;

export function MONEY(): string {
  return `/** An amount of money, rounded once. */
export class Money {
  private constructor(private readonly cents: number) {}
  static of(amount: number) {
    return new Money(Math.round(amount * 100));
  }
  withVat(rate: number) {
    return new Money(Math.round(this.cents * (1 + rate)));
  }
  toString() {
    return (this.cents / 100).toFixed(2);
  }
}`;
}

export function secondRun(s: Script): void {
  const r = run(2);
  s.prompt(r, 'Also say in the README how totals are rounded.');
  s.checkpoint({
    checkpointId: cp(4),
    kind: 'run',
    runId: r,
    line: s.line.slice(0, 1),
    snapshotId: snap(3),
    before: snap(2),
    files: 2,
    added: 3,
    removed: 1,
    own: 'user',
  });
  s.answer(
    r,
    1,
    `The README has a section on prices. I'll add this:

\`\`\`md
## Rounding
Totals are rounded once, after VAT.
\`\`\`

| step | rounds |
| --- | --- |
| line | no |
| total | **yes** |`,
    [{ callId: 'a', tool: 'replace_text', input: { path: 'README.md' } }],
  );
}

export const COMMAND_REQUEST: ApprovalRequest = {
  callId: 'x',
  tool: 'run_command',
  category: 'command',
  title: 'Run a command?',
  detail: 'rm -r build && npm run build',
  detailKind: 'command',
  flag: 'deletes files',
  always: 'npm run build',
  irreversible: false,
};
export const EDIT_REQUEST: ApprovalRequest = {
  callId: 'a',
  tool: 'replace_text',
  category: 'edit',
  title: 'Edit README.md?',
  detail: `@@ -8,3 +8,6 @@
 Prices are in euro.
+
+## Rounding
+Totals are rounded once, after VAT.
 `,
  detailKind: 'diff',
  flag: null,
  always: 'category:edit',
  irreversible: false,
};
export const SECRET_REQUEST: ApprovalRequest = {
  callId: 'y',
  tool: 'write_file',
  category: 'edit',
  title: 'Edit .env.local?',
  detail: 'This file holds secrets.',
  detailKind: 'text',
  flag: null,
  always: null,
  irreversible: true,
};
