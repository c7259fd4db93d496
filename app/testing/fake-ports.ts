// The ports of a run for tests: a real workspace and real tools, with a log in memory and people who answer at once.
// Owns: recording what the loop did, in order. The view is folded from the facts as the task service would.
import { randomFillSync } from 'node:crypto';
import path from 'node:path';
import type { ApprovalDecision, ApprovalRequest, Mode } from '../../shared/domain';
import type { Delta, Fact, FactOf, TaskEvent } from '../../shared/events';
import { emptyView, fold, type TaskView } from '../../shared/fold';
import { newRunId, newTaskId, type RunId, type TaskId } from '../../shared/ids';
import { type RelPath, relPathToText } from '../../shared/rel-path';
import { defaultSettings, type Settings } from '../../shared/settings';
import type { RunPorts } from '../agent/ports';
import { type RunInput, type RunOutcome, runAgent } from '../agent/run';
import type { Provider } from '../provider/provider';
import { toolsFor } from '../tool/registry';
import type { Tool } from '../tool/tool';
import type { Workspace } from '../workspace/workspace';

export type FakeTaskOptions = {
  readonly workspace: Workspace;
  /** a folder outside the workspace */
  readonly outputsFolder: string;
  readonly provider: Provider;
  readonly approval?: Partial<Settings['approval']>;
  /** how a person answers; default: approves */
  readonly decide?: (request: ApprovalRequest) => ApprovalDecision | Promise<ApprovalDecision>;
  readonly ports?: Partial<RunPorts>;
};

export type FakeTask = {
  readonly view: TaskView;
  readonly events: readonly TaskEvent[];
  readonly deltas: readonly Delta[];
  /** ports and facts as they came: "beforeChange", "protect a.txt", "tool.started", "turnEnded a.txt", ... */
  readonly order: readonly string[];
  /** Settles when a fragment of this type has come. */
  delta(type: Delta['type']): Promise<void>;
  facts<T extends Fact['type']>(type: T): readonly FactOf<T>[];
  /** Plays one run to its end, with run.started and run.ended around it. */
  prompt(text: string, options?: PromptOptions): Promise<RunOutcome>;
  /** Appends any fact, e.g. a restore. */
  append(fact: Fact): void;
};

export type PromptOptions = {
  readonly mode?: Mode;
  readonly signal?: AbortSignal;
  readonly limits?: RunInput['limits'];
  readonly patience?: RunInput['patience'];
  readonly tools?: readonly Tool[];
};

/** Waits so short that retries do not slow a test down. */
const QUICK = { firstWaitMs: 2, longestWaitMs: 50, silenceMs: 5000 };

export function openFakeTask(options: FakeTaskOptions): FakeTask {
  return new MemoryTask(options);
}

class MemoryTask implements FakeTask {
  view = emptyView;
  readonly events: TaskEvent[] = [];
  readonly deltas: Delta[] = [];
  readonly order: string[] = [];
  private readonly awaited: { readonly type: Delta['type']; readonly resolve: () => void }[] = [];
  private readonly taskId: TaskId = newTaskId(randomFillSync);
  private approval: Settings['approval'];

  constructor(private readonly options: FakeTaskOptions) {
    const { approval } = defaultSettings();
    const auto = { ...approval.auto, edit: true, command: true };
    this.approval = { ...approval, auto, ...options.approval };
    this.append({ type: 'task.created', title: 'test', workspace: options.workspace.root });
  }

  append(fact: Fact): void {
    const head = { v: 1, seq: this.view.seq + 1, at: '2024-01-01T00:00:00.000Z', taskId: this.taskId };
    const event: TaskEvent = { ...fact, ...head };
    this.events.push(event);
    this.order.push(fact.type);
    this.view = fold(this.view, event);
  }

  delta(type: Delta['type']): Promise<void> {
    return new Promise((resolve) => {
      this.awaited.push({ type, resolve });
      if (this.deltas.some((d) => d.type === type)) resolve();
    });
  }

  facts<T extends Fact['type']>(type: T): readonly FactOf<T>[] {
    return this.events.filter((e): e is TaskEvent & FactOf<T> => e.type === type);
  }

  async prompt(text: string, o: PromptOptions = {}): Promise<RunOutcome> {
    const { provider } = this.options;
    const mode = o.mode ?? 'apply';
    const runId = newRunId(randomFillSync);
    this.append({
      type: 'run.started',
      runId,
      mode,
      prompt: { text, attachments: [] },
      provider: provider.id,
      model: provider.model,
    });
    const input = {
      mode,
      view: this.view,
      limits: o.limits ?? { turns: 20, cost: null },
      patience: { ...QUICK, ...o.patience },
    };
    const outcome = await runAgent(input, this.ports(runId, mode, o));
    this.append({ type: 'run.ended', runId, outcome: outcome.outcome, error: mutableError(outcome) });
    return outcome;
  }

  private ports(runId: RunId, mode: Mode, o: PromptOptions): RunPorts {
    const { workspace, provider, outputsFolder, decide } = this.options;
    return {
      taskId: this.taskId,
      runId,
      signal: o.signal ?? new AbortController().signal,
      provider,
      tools: o.tools ?? toolsFor(mode),
      toolContext: {
        workspace,
        commandTimeoutS: 30,
        outputsFolder,
        commandEnv: { PATH: process.env.PATH ?? '', HOME: path.dirname(outputsFolder) },
      },
      approvalSettings: () => this.approval,
      beforeChange: async () => this.note('beforeChange'),
      protect: async (paths) => this.note('protect', paths),
      turnEnded: async ({ touched, ranCommand }) =>
        this.note(ranCommand ? 'turnEnded (command)' : 'turnEnded', touched),
      completed: async () => this.note('completed'),
      approve: async (request) =>
        decide === undefined ? { decision: 'approve', reason: null } : decide(request),
      ask: async () => 'yes',
      goOn: async () => false,
      startInBackground: async () => {
        throw new Error('no background here');
      },
      compactionPoint: async () => this.note('compactionPoint'),
      onRetryNow: () => () => undefined,
      allowAlways: async (always) => {
        this.approval = { ...this.approval, allow: [...this.approval.allow, always] };
      },
      emit: async (fact) => this.append(fact),
      delta: (delta) => {
        this.deltas.push(delta);
        this.view = fold(this.view, delta);
        for (const { type, resolve } of this.awaited) if (type === delta.type) resolve();
      },
      ...this.options.ports,
    };
  }

  private note(what: string, paths: readonly RelPath[] = []): void {
    this.order.push([what, ...paths.map((p) => relPathToText(p).path)].join(' '));
  }
}

const mutableError = ({ error }: RunOutcome) =>
  error === null ? null : { ...error, paths: error.paths === undefined ? undefined : [...error.paths] };
