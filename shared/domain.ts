// The values that both sides speak about: changes, checkpoints, restore plans, tool descriptions.
// Owns: their shapes as zod schemas (SPEC 12 fixes names and meaning). Does not own: facts (events) or what is on disk.
import { z } from 'zod';
import type { ErrorCode } from './errors';
import { checkpointIdSchema, runIdSchema, snapshotIdSchema, taskIdSchema } from './ids';

export const pathTextSchema = z.object({ path: z.string(), pathBase64: z.string().optional() });

/** One path that differs between two snapshots, or a snapshot and the workspace. Line counts are null when binary or not counted. */
export const changeSchema = pathTextSchema.extend({
  kind: z.enum(['added', 'modified', 'deleted', 'renamed', 'type', 'mode']),
  oldPath: z.string().optional(),
  oldPathBase64: z.string().optional(),
  /** 0..100, for a rename */
  similarity: z.number().optional(),
  /** octal, like "100644", "120000" (link), "040755" (folder) */
  oldMode: z.string().optional(),
  newMode: z.string().optional(),
  added: z.number().nullable(),
  removed: z.number().nullable(),
  binary: z.boolean(),
});
export type Change = z.infer<typeof changeSchema>;

export const checkpointKindSchema = z.enum([
  'initial',
  'run',
  'turn',
  'completion',
  'manual',
  'redo',
  'compaction',
]);
export type CheckpointKind = z.infer<typeof checkpointKindSchema>;

export const modeSchema = z.enum(['ask', 'apply', 'conductor']);
export type Mode = z.infer<typeof modeSchema>;

export const scopeSchema = z.enum(['files', 'task', 'all']);
export type Scope = z.infer<typeof scopeSchema>;

/**
 * The active line at a moment: the runs in force, oldest first, each with the `seq` up to which it counts (a restore
 * to the middle of a run cuts it there for good). An empty line is the start of the task.
 */
export const lineSchema = z.array(z.object({ runId: runIdSchema, upTo: z.number() }));
export type Line = z.infer<typeof lineSchema>;

/** A path that a snapshot left out, with the reason for people. */
export const leftOutSchema = pathTextSchema.extend({ why: z.string() });
export type LeftOut = z.infer<typeof leftOutSchema>;

export const restoreActionSchema = z.enum(['revert', 'bring-back', 'remove', 'merge', 'mode']);
export const plannedFileSchema = pathTextSchema.extend({
  action: restoreActionSchema,
  /** who changed it since: this task, or someone else (listed only for the whole workspace, or when merged) */
  by: z.enum(['task', 'other']),
});
export type PlannedFile = z.infer<typeof plannedFileSchema>;

export const conflictSchema = pathTextSchema.extend({ reason: z.string() });
export type Conflict = z.infer<typeof conflictSchema>;

export const conflictChoiceSchema = z.enum(['mine', 'checkpoint']);
export type ConflictChoice = z.infer<typeof conflictChoiceSchema>;

/** What was chosen for one path. */
export const chosenSchema = pathTextSchema.extend({ choice: conflictChoiceSchema });
export type Chosen = z.infer<typeof chosenSchema>;

/** How conflicts are settled: all alike, or path by path (then those that are not listed stay open). */
export const conflictChoicesSchema = z.union([conflictChoiceSchema, z.array(chosenSchema).readonly()]);
export type ConflictAnswers = z.infer<typeof conflictChoicesSchema>;

/** What a dialog or --dry-run shows of a restore before it happens. */
export const restorePreviewSchema = z.object({
  target: checkpointIdSchema,
  scope: scopeSchema,
  whole: z.boolean(),
  /** identifies the list: a restore confirmed with it is refused as `plan-stale` if the list is different by then */
  fingerprint: z.string(),
  files: z.array(plannedFileSchema),
  conflicts: z.array(conflictSchema),
  notCovered: z.array(leftOutSchema),
  /** files with edits by hand that are kept by merging */
  handEdits: z.array(pathTextSchema),
  /** the prompt that will be in the composer, null when no user message follows the point or the task stays */
  prompt: z.string().nullable(),
  /** messages that will be cleared */
  clears: z.number(),
});
export type RestorePreview = z.infer<typeof restorePreviewSchema>;

export const attachmentSchema = z.object({
  kind: z.enum(['image', 'file']),
  name: z.string(),
  /** file name inside the task's attachments folder */
  stored: z.string().optional(),
  mediaType: z.string().optional(),
});
export const promptSchema = z.object({ text: z.string(), attachments: z.array(attachmentSchema) });
export type Prompt = z.infer<typeof promptSchema>;

/** ErrorInfo as data. A code that a newer program wrote passes: it is shown, not acted on. */
export const errorInfoSchema = z.object({
  code: z.custom<ErrorCode>((v) => typeof v === 'string'),
  message: z.string(),
  hint: z.string().optional(),
  paths: z.array(z.string()).readonly().optional(),
});

export const restoreOutcomeSchema = z.object({
  redoId: checkpointIdSchema,
  taskRestored: z.boolean(),
  filesRestored: z.boolean(),
  files: z.array(plannedFileSchema),
  conflicts: z.array(conflictSchema),
  notCovered: z.array(leftOutSchema),
  prompt: promptSchema.nullable(),
  filesError: errorInfoSchema.nullable(),
});
export type RestoreOutcome = z.infer<typeof restoreOutcomeSchema>;

export const usageSchema = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cost: z.number().nullable(),
  /** those of `inputTokens` that came from the server's cache, and those that were put into it */
  cacheReadTokens: z.number().optional(),
  cacheWriteTokens: z.number().optional(),
});
export type Usage = z.infer<typeof usageSchema>;

/** How many tokens the context of a model holds, and who says so ("unknown": nobody, it is a guess). */
export const contextSizeSchema = z.object({
  tokens: z.number(),
  from: z.enum(['setting', 'server', 'table', 'unknown', 'error']),
});
export type ContextSize = z.infer<typeof contextSizeSchema>;

/**
 * A block of a model's thinking as its server wants it back: word for word, and from no other model. `redacted`: it
 * was encrypted by the server, `text` is empty then.
 */
export const thinkingSchema = z.object({
  text: z.string(),
  signature: z.string().nullable(),
  redacted: z.string().nullable(),
});
export type Thinking = z.infer<typeof thinkingSchema>;

export const toolCallSchema = z.object({ callId: z.string(), tool: z.string(), input: z.unknown() });
export type ToolCallData = z.infer<typeof toolCallSchema>;

/** What a finished tool shows besides the text that the model gets. */
export const toolDisplaySchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('none') }),
  z.object({ kind: z.literal('lines'), label: z.string() }),
  /** an edit: counts and a short unified diff without file headers (at most 200 lines) */
  z.object({
    kind: z.literal('edit'),
    path: z.string(),
    added: z.number(),
    removed: z.number(),
    patch: z.string(),
  }),
  z.object({
    kind: z.literal('command'),
    exitCode: z.number().nullable(),
    ms: z.number(),
    output: z.string(),
    cut: z.boolean(),
  }),
  z.object({ kind: z.literal('completion'), result: z.string() }),
]);
export type ToolDisplay = z.infer<typeof toolDisplaySchema>;

export const approvalCategorySchema = z.enum(['read', 'edit', 'command', 'web', 'browser', 'mcp']);
export type ApprovalCategory = z.infer<typeof approvalCategorySchema>;

/** What an approval card shows. */
export const approvalRequestSchema = z.object({
  callId: z.string(),
  tool: z.string(),
  category: approvalCategorySchema,
  title: z.string(),
  /** the command line, or a unified diff of the edit, or plain text */
  detail: z.string(),
  detailKind: z.enum(['command', 'diff', 'text']),
  /** why it asks or what is dangerous, e.g. "deletes files"; null when nothing stands out */
  flag: z.string().nullable(),
  /** for `Always allow`: a command prefix, or "category:edit"; null when it cannot be allowed for ever */
  always: z.string().nullable(),
  /** true when a checkpoint cannot bring it back (secrets, outside effects) */
  irreversible: z.boolean(),
});
export type ApprovalRequest = z.infer<typeof approvalRequestSchema>;

export const approvalDecisionSchema = z.object({
  decision: z.enum(['approve', 'always', 'reject']),
  reason: z.string().nullable(),
});
export type ApprovalDecision = z.infer<typeof approvalDecisionSchema>;

/** What the agent asks; an answer may also be none of the choices. */
export const questionSchema = z.object({
  callId: z.string(),
  question: z.string(),
  choices: z.array(z.string()),
});
export type Question = z.infer<typeof questionSchema>;

/** What a run has used up of what it may: `most` was reached with `spent` (turns, or money in the provider's currency). */
export const limitSchema = z.object({
  kind: z.enum(['turns', 'cost']),
  spent: z.number(),
  most: z.number(),
});
export type Limit = z.infer<typeof limitSchema>;

export const taskSummarySchema = z.object({
  id: taskIdSchema,
  title: z.string(),
  workspace: z.string(),
  /** real paths of all folders, `workspace` first; only where there are several */
  roots: z.array(z.string()).optional(),
  createdAt: z.string(),
  updatedAt: z.string(),
  favorite: z.boolean(),
  messages: z.number(),
  bytes: z.number(),
  state: z.enum(['idle', 'running', 'interrupted']),
});
export type TaskSummary = z.infer<typeof taskSummarySchema>;

/** State of the checkpoints of one workspace, for the header. */
export const checkpointsStateSchema = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('off'),
    why: z.enum(['setting', 'workspace', 'no-workspace', 'protected', 'multi-root']),
    message: z.string(),
  }),
  z.object({ state: z.literal('starting'), slow: z.boolean() }),
  z.object({
    state: z.literal('ready'),
    lastMs: z.number().nullable(),
    storeBytes: z.number(),
    checkpoints: z.number(),
    gitVersion: z.string(),
  }),
  z.object({ state: z.literal('failed'), error: errorInfoSchema }),
]);
export type CheckpointsState = z.infer<typeof checkpointsStateSchema>;

/** Text content of one side of a diff; null text when binary or too large. */
export const fileSideSchema = z.object({
  text: z.string().nullable(),
  bytes: z.number(),
  encoding: z.string(),
  /** "lf", "crlf", "cr", "mixed" or "none" (no line break in it) */
  endings: z.enum(['lf', 'crlf', 'cr', 'mixed', 'none']),
  /** why there is no text */
  note: z.enum(['binary', 'large', 'link', 'folder']).nullable(),
  /** the whole content, when it is a picture that a window can show */
  image: z.object({ mediaType: z.string(), base64: z.string() }).optional(),
});
export type FileSide = z.infer<typeof fileSideSchema>;

export const treeEntrySchema = pathTextSchema.extend({
  name: z.string(),
  type: z.enum(['file', 'folder', 'link', 'other']),
  size: z.number(),
});
export type TreeEntry = z.infer<typeof treeEntrySchema>;

export { snapshotIdSchema };
