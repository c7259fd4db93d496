// The facts of a task's log and the fragments that run ahead of them.
// Owns: the union TaskEvent (logged, numbered, for ever readable) and Delta (shown early, never logged).
// Invariants: a fact says what has happened; types and fields are added, never renamed or removed; file bytes stay in
// the shadow store, events carry ids.
import { z } from 'zod';
import {
  approvalDecisionSchema,
  approvalRequestSchema,
  checkpointKindSchema,
  chosenSchema,
  conflictSchema,
  contextSizeSchema,
  errorInfoSchema,
  leftOutSchema,
  limitSchema,
  lineSchema,
  modeSchema,
  pathTextSchema,
  plannedFileSchema,
  promptSchema,
  questionSchema,
  scopeSchema,
  thinkingSchema,
  toolCallSchema,
  toolDisplaySchema,
  usageSchema,
} from './domain';
import { checkpointIdSchema, runIdSchema, snapshotIdSchema, taskIdSchema } from './ids';

const usage = usageSchema;

/** The version of the event format that this program writes. A log with a higher one is read-only. */
export const EVENT_VERSION = 1;

export const factSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('task.created'),
    title: z.string(),
    workspace: z.string(),
    /** real paths of all folders, `workspace` first; only where there are several */
    roots: z.array(z.string()).optional(),
  }),
  z.object({ type: z.literal('task.renamed'), title: z.string() }),
  /** the folder was moved or renamed; its checkpoints went with it */
  z.object({ type: z.literal('task.moved'), workspace: z.string(), roots: z.array(z.string()).optional() }),
  z.object({ type: z.literal('task.favorited'), favorite: z.boolean() }),
  z.object({
    type: z.literal('run.started'),
    runId: runIdSchema,
    mode: modeSchema,
    prompt: promptSchema,
    provider: z.string(),
    model: z.string(),
    /** the waiting message that this run sends: it waits no longer */
    queueId: z.string().optional(),
  }),
  /** A message was typed while a run went on. */
  z.object({
    type: z.literal('prompt.queued'),
    queueId: z.string(),
    prompt: promptSchema,
    mode: modeSchema,
  }),
  z.object({ type: z.literal('prompt.changed'), queueId: z.string(), prompt: promptSchema }),
  z.object({ type: z.literal('prompt.unqueued'), queueId: z.string() }),
  /** One answer of the model. `calls` have their arguments as parsed; an unreadable one has input null and an error result. */
  z.object({
    type: z.literal('message.completed'),
    runId: runIdSchema,
    turn: z.number(),
    text: z.string(),
    reasoning: z.string(),
    /** what goes back to the same provider and model with this answer; none: there is nothing of that kind */
    thinking: z.array(thinkingSchema).optional(),
    calls: z.array(toolCallSchema),
    usage,
    /** how much the model that was asked can take */
    context: contextSizeSchema.optional(),
    /** "cut": the stream ended early, nothing of it ran; "stopped": the user ended it */
    finish: z.enum(['stop', 'tools', 'length', 'cut', 'stopped']),
  }),
  /** What came before in the conversation is, for the model, this summary. Its checkpoint comes just before it. */
  z.object({
    type: z.literal('context.compacted'),
    runId: runIdSchema,
    summary: z.string(),
    /** of the request that made the summary */
    usage,
    /** about how much the conversation took before and takes now */
    tokensBefore: z.number(),
    tokensAfter: z.number(),
    /** "full": it was nearly full; "asked": by /compact */
    why: z.enum(['full', 'asked']),
  }),
  z.object({ type: z.literal('approval.asked'), runId: runIdSchema, request: approvalRequestSchema }),
  z.object({
    type: z.literal('approval.given'),
    runId: runIdSchema,
    callId: z.string(),
    ...approvalDecisionSchema.shape,
  }),
  z.object({ type: z.literal('question.asked'), runId: runIdSchema, question: questionSchema }),
  z.object({
    type: z.literal('question.answered'),
    runId: runIdSchema,
    callId: z.string(),
    answer: z.string(),
  }),
  /** The run waits for a word whether it may go on. */
  z.object({ type: z.literal('limit.reached'), runId: runIdSchema, limit: limitSchema }),
  z.object({ type: z.literal('limit.answered'), runId: runIdSchema, goOn: z.boolean() }),
  /** A command goes on after its call, and after its run. */
  z.object({
    type: z.literal('background.started'),
    runId: runIdSchema,
    callId: z.string(),
    backgroundId: z.string(),
    command: z.string(),
    /** relative to the workspace, "" for itself */
    folder: z.string(),
    /** absolute: where all of its output is kept */
    file: z.string(),
  }),
  z.object({
    type: z.literal('background.ended'),
    backgroundId: z.string(),
    /** "exited": by itself; "stopped": by the user, a restore or the app's end; "lost": its Tidemark had died */
    how: z.enum(['exited', 'stopped', 'lost']),
    exitCode: z.number().nullable(),
    ms: z.number(),
    /** the end of what it has printed */
    output: z.string(),
  }),
  z.object({ type: z.literal('tool.started'), runId: runIdSchema, callId: z.string() }),
  z.object({
    type: z.literal('tool.finished'),
    runId: runIdSchema,
    callId: z.string(),
    outcome: z.enum(['ok', 'error', 'rejected', 'cancelled']),
    /** what the model is told */
    text: z.string(),
    display: toolDisplaySchema,
    /** paths that the tool itself wrote, moved or deleted */
    touched: z.array(pathTextSchema),
  }),
  /** Snapshots that are kept no longer: "age": past the days to keep; "cap": the store was past its size. */
  z.object({
    type: z.literal('snapshots.released'),
    snapshots: z.array(snapshotIdSchema),
    why: z.enum(['age', 'cap']),
  }),
  z.object({
    type: z.literal('checkpoint.created'),
    checkpointId: checkpointIdSchema,
    kind: checkpointKindSchema,
    name: z.string().nullable(),
    runId: runIdSchema.nullable(),
    /** null for a checkpoint that has none (compaction; a redo point of a restore of the task alone) */
    snapshotId: snapshotIdSchema.nullable(),
    /** the active line just before this event */
    line: lineSchema,
    /** the snapshot that came before it in this task, null for the first: what changed in between is counted below */
    before: snapshotIdSchema.nullable(),
    files: z.number(),
    added: z.number().nullable(),
    removed: z.number().nullable(),
    skipped: z.array(leftOutSchema),
    /**
     * Whose changes lie between `before` and this snapshot. "task": all of them (a command ran); "paths": only
     * `ownPaths`, the rest is by hand; "user": none (hand edits between runs); "none": nothing is between them.
     */
    own: z.enum(['task', 'paths', 'user', 'none']),
    ownPaths: z.array(pathTextSchema),
    ms: z.number(),
  }),
  z.object({
    type: z.literal('checkpoint.failed'),
    checkpointId: checkpointIdSchema,
    kind: checkpointKindSchema,
    runId: runIdSchema.nullable(),
    error: errorInfoSchema,
  }),
  z.object({
    type: z.literal('restore.completed'),
    to: checkpointIdSchema,
    redo: checkpointIdSchema,
    scope: scopeSchema,
    whole: z.boolean(),
    /** limited to these paths (`Restore file`); null: not limited */
    only: z.array(pathTextSchema).nullable(),
    taskRestored: z.boolean(),
    filesRestored: z.boolean(),
    /** the active line from now on */
    line: lineSchema,
    /** the workspace after it; null when no file was to be restored */
    snapshotId: snapshotIdSchema.nullable(),
    files: z.array(plannedFileSchema),
    conflicts: z.array(conflictSchema),
    /** what was chosen where edits by hand and the restore touched the same lines; none: there were no such files */
    chosen: z.array(chosenSchema).optional(),
    /** what the user had it leave as it is */
    without: z.array(pathTextSchema).optional(),
    notCovered: z.array(leftOutSchema),
    prompt: promptSchema.nullable(),
    filesError: errorInfoSchema.nullable(),
  }),
  /** A crash had cut this restore; the files are as they were before it. */
  z.object({ type: z.literal('restore.undone'), to: checkpointIdSchema, redo: checkpointIdSchema }),
  z.object({
    type: z.literal('run.ended'),
    runId: runIdSchema,
    outcome: z.enum(['completed', 'stopped', 'failed', 'interrupted']),
    error: errorInfoSchema.nullable(),
  }),
  /** The user chose to go on without checkpoints for this run after one had failed. */
  z.object({ type: z.literal('run.unprotected'), runId: runIdSchema }),
]);
export type Fact = z.infer<typeof factSchema>;
export type FactOf<T extends Fact['type']> = Extract<Fact, { type: T }>;

export const eventHeadSchema = z.object({
  v: z.number(),
  /** 1, 2, 3 ... without holes */
  seq: z.number(),
  /** ISO 8601, UTC */
  at: z.string(),
  taskId: taskIdSchema,
});
export const taskEventSchema = z.intersection(eventHeadSchema, factSchema);
export type TaskEvent = Fact & z.infer<typeof eventHeadSchema>;

/** Fragments. Dropping any of them changes nothing after the next fact (DESIGN law 8). */
export const deltaSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('delta.text'),
    taskId: taskIdSchema,
    runId: runIdSchema,
    turn: z.number(),
    text: z.string(),
  }),
  z.object({
    type: z.literal('delta.reasoning'),
    taskId: taskIdSchema,
    runId: runIdSchema,
    turn: z.number(),
    text: z.string(),
  }),
  /** the model began to write a call: shown as a pending card */
  z.object({
    type: z.literal('delta.call'),
    taskId: taskIdSchema,
    runId: runIdSchema,
    turn: z.number(),
    callId: z.string(),
    tool: z.string(),
  }),
  z.object({
    type: z.literal('delta.output'),
    taskId: taskIdSchema,
    runId: runIdSchema,
    callId: z.string(),
    text: z.string(),
  }),
  /** what a background command prints; its run may have ended long ago */
  z.object({
    type: z.literal('delta.background'),
    taskId: taskIdSchema,
    runId: runIdSchema,
    backgroundId: z.string(),
    text: z.string(),
  }),
  /** what a run is waiting for right now; null: nothing */
  z.object({
    type: z.literal('delta.waiting'),
    taskId: taskIdSchema,
    runId: runIdSchema,
    waiting: z.string().nullable(),
    /** the task that it waits for, when that is known */
    waitsFor: taskIdSchema.optional(),
    /** it is a pause before the next try, which need not be waited for */
    retry: z.boolean().optional(),
  }),
]);
export type Delta = z.infer<typeof deltaSchema>;

export const isDelta = (e: TaskEvent | Delta): e is Delta => e.type.startsWith('delta.');
