// What a run needs from outside: the agent loop knows providers, tools and approval rules, and gets all else here.
// Implemented by app/task/service for both hosts, and by app/testing for tests.
import type { ApprovalDecision, ApprovalRequest, Limit, Question } from '../../shared/domain';
import type { Delta, Fact } from '../../shared/events';
import type { RunId, TaskId } from '../../shared/ids';
import type { RelPath } from '../../shared/rel-path';
import type { Settings } from '../../shared/settings';
import type { Provider } from '../provider/provider';
import type { BackgroundBegun, BackgroundStart, Tool, ToolContext } from '../tool/tool';

export interface RunPorts {
  readonly taskId: TaskId;
  readonly runId: RunId;
  /** Aborted by Stop, a restore, or the end of the app. */
  readonly signal: AbortSignal;
  readonly provider: Provider;
  /** the tools that this mode offers */
  readonly tools: readonly Tool[];
  /** what a tool gets to work with, apart from its own call */
  readonly toolContext: Omit<ToolContext, 'signal' | 'output' | 'ask' | 'startInBackground'>;
  /** read at every call: the user may change them during a run */
  approvalSettings(): Settings['approval'];
  /**
   * Waits for the checkpoint that a tool which may change something needs (DESIGN law 2). Returns at once when it is
   * there, when the user chose to go on without, or when checkpoints are off. @throws cancelled; checkpoint-failed
   * when nobody can be asked
   */
  beforeChange(): Promise<void>;
  /** Keeps the present content of paths that no snapshot holds, before a tool writes them. */
  protect(paths: readonly RelPath[]): Promise<void>;
  /**
   * After every turn that had a tool outside the read-only list, also a cut one: saves the turn's checkpoint.
   * `ranCommand`: everything that changed belongs to the run; otherwise only `touched` does.
   */
  turnEnded(turn: { readonly touched: readonly RelPath[]; readonly ranCommand: boolean }): Promise<void>;
  /** The agent declared the task done: saves the completion's checkpoint. */
  completed(): Promise<void>;
  /** Shows a card and waits. `--yes` and auto-approval are decided before by policy or by the host. @throws cancelled */
  approve(request: ApprovalRequest): Promise<ApprovalDecision>;
  /** Shows a question and waits for the answer. @throws cancelled; decision-needed when nobody can be asked */
  ask(question: Question): Promise<string>;
  /** Starts a command that goes on after its call and its run. */
  startInBackground(callId: string, start: BackgroundStart): Promise<BackgroundBegun>;
  /** Asks whether the run may go on past a limit. @throws cancelled; decision-needed when nobody can be asked */
  goOn(limit: Limit): Promise<boolean>;
  /** Marks the point before a compaction, to which the task can be rewound. */
  compactionPoint(): Promise<void>;
  /** Calls `go` when the user does not want to wait for the next try. @returns what ends that */
  onRetryNow(go: () => void): () => void;
  /** Adds `always` to the settings. */
  allowAlways(always: string): Promise<void>;
  /** Appends to the log, then publishes. */
  emit(fact: Fact): Promise<void>;
  /** Publishes a fragment. Never waits. */
  delta(delta: Delta): void;
}
