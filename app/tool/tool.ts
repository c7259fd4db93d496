// What a tool is. One file a tool beside this one; registry.ts lists them.
// A tool does its own work and nothing more: approval, checkpoints and the log are the loop's (app/agent/tool-call).
import type { z } from 'zod';
import type { ApprovalCategory, ToolDisplay } from '../../shared/domain';
import type { RelPath } from '../../shared/rel-path';
import type { Guard, Workspace } from '../workspace/workspace';

export type BackgroundStart = {
  readonly command: string;
  /** absolute */
  readonly cwd: string;
  /** the same for people, relative to the workspace */
  readonly folder: string;
};
/** How a command that goes on has begun. */
export type BackgroundBegun = {
  readonly pid: number;
  /** where all of its output is kept */
  readonly file: string;
  readonly output: string;
  /** it ended at once; null: it runs */
  readonly ended: { readonly code: number | null } | null;
};

export type ToolContext = {
  readonly workspace: Workspace;
  readonly signal: AbortSignal;
  /** shows text of a running tool (command output) */
  readonly output: (text: string) => void;
  /** asks the user and waits. @throws TidemarkError cancelled; decision-needed when nobody can be asked */
  readonly ask: (question: string, choices: readonly string[]) => Promise<string>;
  /** starts a command that goes on after the call. @throws TidemarkError tool-failed */
  readonly startInBackground: (start: BackgroundStart) => Promise<BackgroundBegun>;
  /** default and upper limit of a command's time, in seconds */
  readonly commandTimeoutS: number;
  /** where output that does not fit an answer is kept; made on first use */
  readonly outputsFolder: string;
  /** the environment for commands: the user's, without Tidemark's and the providers' variables */
  readonly commandEnv: Readonly<Record<string, string>>;
};

export type ToolOutcome = {
  /** what the model is told */
  readonly text: string;
  readonly display: ToolDisplay;
  /** paths that were written, moved or deleted */
  readonly touched: readonly RelPath[];
  /** false: the tool did not do what was asked (a failed command is still ok: its exit code is in the text) */
  readonly ok: boolean;
};

/** What an approval card shows of a call before it runs. */
export type ToolPreview = {
  readonly title: string;
  readonly detail: string;
  readonly detailKind: 'command' | 'diff' | 'text';
  /** paths that the call would write, move or delete */
  readonly paths: readonly RelPath[];
  /** those of them (or words of a command) that no checkpoint brings back or that decide what runs later */
  readonly guarded: readonly { readonly path: string; readonly guard: Guard }[];
};

export type Tool<Input = unknown> = {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodType<Input>;
  readonly category: ApprovalCategory | 'control';
  /** "read": never changes the workspace. "edit": only the paths of its preview. "run": anything. "control": nothing on disk. */
  readonly effect: 'read' | 'edit' | 'run' | 'control';
  /** Looks, changes nothing. @throws TidemarkError tool-failed, path-refused: then the call fails without a card */
  preview(input: Input, context: ToolContext): Promise<ToolPreview>;
  /** Does it. Expected failures are an outcome with ok false; @throws only for what the tool cannot explain */
  run(input: Input, context: ToolContext): Promise<ToolOutcome>;
};
