// The contract between window and main process: methods with their input and output, and what is pushed.
// A new method is one entry here; main has a compile error until it has a handler, the preload never changes.
// Both directions are parsed with these schemas. The window is told only what it may know: keys never come back.
import { z } from 'zod';
import {
  approvalDecisionSchema,
  changeSchema,
  checkpointsStateSchema,
  conflictChoicesSchema,
  errorInfoSchema,
  fileSideSchema,
  leftOutSchema,
  modeSchema,
  pathTextSchema,
  promptSchema,
  restoreOutcomeSchema,
  restorePreviewSchema,
  scopeSchema,
  taskSummarySchema,
  treeEntrySchema,
} from './domain';
import type { ErrorInfo, Result } from './errors';
import { type Delta, deltaSchema, type TaskEvent, taskEventSchema } from './events';
import { checkpointIdSchema, runIdSchema, taskIdSchema } from './ids';
import { PROVIDER_IDS, settingsSchema } from './settings';

const nothing = z.object({});
const task = z.object({ taskId: taskIdSchema });
const restoreRequest = task.extend({
  checkpointId: checkpointIdSchema,
  scope: scopeSchema,
  whole: z.boolean(),
  conflicts: conflictChoicesSchema.nullable(),
  /** paths to leave as they are */
  without: z.array(pathTextSchema).optional(),
  /** of a redo point: return to the line that its restore left, with all files as they were there */
  line: z.boolean().optional(),
});

/** What this window has open; no folder: tasks run in the home workspace. */
export const workspaceInfoSchema = z.object({
  /** real path, of the first folder where there are several; null when no folder is open */
  path: z.string().nullable(),
  /** tells one workspace from another; "" when no folder is open */
  key: z.string(),
  name: z.string(),
  /** path shortened with ~ for people */
  shown: z.string(),
  /** every folder, with the name that begins its paths when there are several */
  roots: z.array(z.object({ path: z.string(), name: z.string(), shown: z.string() })),
  trusted: z.boolean(),
  checkpoints: checkpointsStateSchema,
});
export type WorkspaceInfo = z.infer<typeof workspaceInfoSchema>;

/** Where a comparison begins or ends. */
export const pointSchema = z.union([checkpointIdSchema, z.literal('workspace')]);
export type Point = z.infer<typeof pointSchema>;

/**
 * Which changes are meant. since: checkpoint against the workspace now ("Changes since snapshot"). between: any two.
 * turn: what came between a checkpoint and the one before it. completion: "New changes", up to that completion from
 * the previous one of the task, or from its start.
 */
export const comparisonSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('since'), from: checkpointIdSchema }),
  z.object({ kind: z.literal('between'), from: checkpointIdSchema, to: checkpointIdSchema }),
  z.object({ kind: z.literal('turn'), at: checkpointIdSchema }),
  z.object({ kind: z.literal('completion'), at: checkpointIdSchema }),
]);
export type Comparison = z.infer<typeof comparisonSchema>;

/** Lines of one side: the number of the first one, counted from 0, and what they say, without their breaks. */
const hunkSideSchema = z.object({ from: z.number().int().min(0), lines: z.array(z.string()) });
/** Lines of the older side (`before`) that stand in the newer one as `after`. Either may be empty. */
export const hunkSchema = z.object({ before: hunkSideSchema, after: hunkSideSchema });
export type Hunk = z.infer<typeof hunkSchema>;

export const changeListSchema = z.object({
  comparison: comparisonSchema,
  title: z.string(),
  from: checkpointIdSchema,
  fromAt: z.string(),
  to: pointSchema,
  toAt: z.string().nullable(),
  changes: z.array(changeSchema),
});
export type ChangeList = z.infer<typeof changeListSchema>;

export const recentSchema = z.object({
  /** tells one from another: of one folder its path */
  key: z.string(),
  /** what to open: one folder or several at once */
  paths: z.array(z.string()),
  name: z.string(),
  parent: z.string(),
  gone: z.boolean(),
  at: z.string(),
});

export const providerInfoSchema = z.object({
  id: z.enum(PROVIDER_IDS),
  name: z.string(),
  needsKey: z.boolean(),
  needsBaseUrl: z.boolean(),
  hasKey: z.boolean(),
  /** where the key comes from: the key store, a variable, or nowhere */
  keyFrom: z.enum(['store', 'variable', 'none']),
});
export type ProviderInfo = z.infer<typeof providerInfoSchema>;

export const METHODS = {
  'app.info': {
    input: nothing,
    output: z.object({
      version: z.string(),
      electron: z.string(),
      platform: z.string(),
      oldElectron: z.boolean(),
      home: z.string(),
      keyStore: z.boolean(),
      recents: z.array(recentSchema),
      /** something the user must hear about at start, e.g. damaged settings */
      notices: z.array(z.string()),
    }),
  },
  'workspace.info': { input: nothing, output: workspaceInfoSchema },
  /** Asks for a folder; null when the user cancelled. */
  'workspace.choose': { input: nothing, output: workspaceInfoSchema.nullable() },
  /** Folders and `.code-workspace` files, opened together as one workspace. */
  'workspace.open': { input: z.object({ paths: z.array(z.string()).min(1) }), output: workspaceInfoSchema },
  'workspace.sample': { input: nothing, output: workspaceInfoSchema },
  'workspace.trust': { input: nothing, output: workspaceInfoSchema },
  'workspace.forget-recent': { input: z.object({ key: z.string() }), output: nothing },
  'workspace.reveal': { input: pathTextSchema, output: nothing },
  'workspace.open-file': { input: pathTextSchema, output: nothing },
  /** Entries of one folder ("" is the root), folders first; it is watched until closed. */
  'tree.open': { input: pathTextSchema, output: z.object({ entries: z.array(treeEntrySchema) }) },
  'tree.close': { input: pathTextSchema, output: nothing },
  'file.read': { input: pathTextSchema, output: fileSideSchema },
  'checkpoints.retry': { input: nothing, output: checkpointsStateSchema },
  'checkpoints.disable': { input: nothing, output: checkpointsStateSchema },
  'checkpoints.enable': { input: nothing, output: checkpointsStateSchema },
  'tasks.list': {
    input: nothing,
    output: z.object({
      tasks: z.array(taskSummarySchema),
      /** the calls with which runs wait for an answer right now, also when nobody was listening as they asked */
      asking: z.array(task.extend({ calls: z.array(z.string()) })),
    }),
  },
  'task.create': { input: nothing, output: task },
  'task.events': { input: task, output: z.object({ events: z.array(taskEventSchema) }) },
  'task.rename': { input: task.extend({ title: z.string().min(1).max(200) }), output: nothing },
  'task.favorite': { input: task.extend({ favorite: z.boolean() }), output: nothing },
  'task.delete': { input: task, output: nothing },
  /** Starts a run. Resolves when it has begun. Without a task a new one is made. */
  'task.prompt': {
    input: z.object({ taskId: taskIdSchema.nullable(), prompt: promptSchema, mode: modeSchema }),
    output: z.object({ taskId: taskIdSchema, runId: runIdSchema }),
  },
  /** Lets a message wait for the end of the task's run; without one it is sent at once. */
  'queue.add': { input: task.extend({ prompt: promptSchema, mode: modeSchema }), output: nothing },
  'queue.change': { input: task.extend({ queueId: z.string(), text: z.string().min(1) }), output: nothing },
  'queue.remove': { input: task.extend({ queueId: z.string() }), output: nothing },
  /** Stops the task's run, if one goes on, and sends this message. */
  'queue.send': { input: task.extend({ queueId: z.string() }), output: nothing },
  /** Makes the last answer again; `files`: after taking back what its run changed in files. */
  'task.again': { input: task.extend({ files: z.boolean() }), output: z.object({ runId: runIdSchema }) },
  'task.stop': { input: task, output: nothing },
  /** A run that waits before it asks the model again asks now. */
  'task.retry-now': { input: task, output: nothing },
  'task.approve': {
    input: task.extend({ callId: z.string(), ...approvalDecisionSchema.shape }),
    output: nothing,
  },
  /** Answers a question of the agent. */
  'task.answer': { input: task.extend({ callId: z.string(), answer: z.string().min(1) }), output: nothing },
  /** Says whether a run that has reached a limit may go on. */
  'task.go-on': { input: task.extend({ goOn: z.boolean() }), output: nothing },
  'background.stop': { input: task.extend({ backgroundId: z.string() }), output: nothing },
  /** The end of what a background command has printed; null when it does not run. */
  'background.output': {
    input: task.extend({ backgroundId: z.string() }),
    output: z.object({ text: z.string().nullable() }),
  },
  /** Answers a failed checkpoint that a changing tool waits for. */
  'task.unprotected': {
    input: task.extend({ choice: z.enum(['retry', 'continue', 'stop']) }),
    output: nothing,
  },
  'checkpoint.save': {
    input: task.extend({ name: z.string().min(1).max(200) }),
    output: z.object({ checkpointId: checkpointIdSchema.nullable() }),
  },
  'checkpoint.left-out': {
    input: task.extend({ checkpointId: checkpointIdSchema }),
    output: z.object({ left: z.array(leftOutSchema) }),
  },
  'changes.list': { input: task.extend({ comparison: comparisonSchema }), output: changeListSchema },
  /** Both sides of one change; null where the path is absent. */
  'changes.file': {
    input: task.extend({ comparison: comparisonSchema, change: changeSchema, force: z.boolean() }),
    output: z.object({ before: fileSideSchema.nullable(), after: fileSideSchema.nullable() }),
  },
  /** Puts the older lines of one hunk in the place of the present ones (`Revert this hunk`); undone like a restore. */
  'changes.revert-hunk': {
    input: task.extend({ comparison: comparisonSchema, change: changeSchema, hunk: hunkSchema }),
    output: restoreOutcomeSchema,
  },
  /** Paths that differ from the task's first checkpoint: badges of the tree. */
  'changes.badges': {
    input: z.object({ taskId: taskIdSchema.nullable() }),
    output: z.object({ badges: z.array(pathTextSchema.extend({ badge: z.enum(['A', 'M', 'D']) })) }),
  },
  'restore.plan': { input: restoreRequest, output: restorePreviewSchema },
  /** The three sides of a conflict; null where the file is absent. `base`: as the task itself last left it. */
  'restore.sides': {
    input: restoreRequest.extend({ path: pathTextSchema }),
    output: z.object({
      base: fileSideSchema.nullable(),
      mine: fileSideSchema.nullable(),
      checkpoint: fileSideSchema.nullable(),
    }),
  },
  /** The checkpoint to go back to so that a sent message is cleared; `files`: it has them too. */
  'restore.point': {
    input: task.extend({ runId: runIdSchema }),
    output: z.object({ checkpointId: checkpointIdSchema, files: z.boolean() }),
  },
  'restore.apply': {
    input: restoreRequest.extend({
      /** of the preview that was confirmed; null: apply whatever the plan is now */
      fingerprint: z.string().nullable(),
    }),
    output: restoreOutcomeSchema,
  },
  /** Takes one file back to the checkpoint (`Restore file` in the diff). */
  'restore.file': {
    input: task.extend({
      checkpointId: checkpointIdSchema,
      /** the file; of a renamed one both its names */
      paths: z.array(pathTextSchema).min(1),
      /** null: lines by hand that it would take back stop it, with the error `conflicts` */
      conflicts: conflictChoicesSchema.nullable(),
    }),
    output: restoreOutcomeSchema,
  },
  'settings.get': { input: nothing, output: settingsSchema },
  'settings.set': { input: z.object({ patch: z.record(z.string(), z.unknown()) }), output: settingsSchema },
  'providers.list': { input: nothing, output: z.object({ providers: z.array(providerInfoSchema) }) },
  /** What the next run of the task (or of a new one) would use. `fixedBy`: a variable that beats the settings. */
  'providers.current': {
    input: z.object({ taskId: taskIdSchema.nullable() }),
    output: z.object({ id: z.string(), name: z.string(), model: z.string(), fixedBy: z.string().nullable() }),
  },
  /** An empty key removes it. Never read back. */
  'providers.set-key': {
    input: z.object({ provider: z.enum(PROVIDER_IDS), key: z.string() }),
    output: nothing,
  },
  /** Asks the server with the present settings and key whether it answers. */
  'providers.check': {
    input: z.object({ provider: z.enum(PROVIDER_IDS) }),
    output: z.object({ ok: z.boolean(), message: z.string(), models: z.array(z.string()) }),
  },
  'window.theme': { input: z.object({ theme: z.enum(['system', 'light', 'dark']) }), output: nothing },
} as const satisfies Record<string, { input: z.ZodType; output: z.ZodType }>;

export type Method = keyof typeof METHODS;
export type Input<M extends Method> = z.input<(typeof METHODS)[M]['input']>;
export type Output<M extends Method> = z.output<(typeof METHODS)[M]['output']>;
export type Handlers = {
  readonly [M in Method]: (input: z.output<(typeof METHODS)[M]['input']>) => Promise<Output<M>>;
};

export const pushSchema = z.discriminatedUnion('push', [
  z.object({ push: z.literal('event'), event: taskEventSchema }),
  z.object({ push: z.literal('delta'), delta: deltaSchema }),
  /** something in the workspace changed on disk: `folders` are those open ones whose entries may differ */
  z.object({ push: z.literal('workspace-changed'), folders: z.array(pathTextSchema) }),
  /** another folder is open now, or the state of its checkpoints changed */
  z.object({ push: z.literal('workspace'), info: workspaceInfoSchema }),
  z.object({ push: z.literal('tasks-changed') }),
  z.object({ push: z.literal('settings'), settings: settingsSchema }),
  /** a run waits for an answer to a failed checkpoint; null: answered */
  z.object({ push: z.literal('unprotected'), taskId: taskIdSchema, error: errorInfoSchema.nullable() }),
  /** the native menu asks the window to do something */
  z.object({ push: z.literal('command'), command: z.string() }),
  z.object({ push: z.literal('notice'), text: z.string() }),
  /** how far a large restore is, in files: contents are laid ready (prepare), then put in place (move) */
  z.object({
    push: z.literal('restore-progress'),
    taskId: taskIdSchema,
    phase: z.enum(['prepare', 'move']),
    done: z.number(),
    total: z.number(),
  }),
]);
export type Push =
  | z.infer<typeof pushSchema>
  | { push: 'event'; event: TaskEvent }
  | { push: 'delta'; delta: Delta };

export interface Bridge {
  invoke<M extends Method>(method: M, input: Input<M>): Promise<Result<Output<M>>>;
  /** @returns a function that ends the subscription */
  onPush(listener: (push: Push) => void): () => void;
  /** the absolute path of a dropped file or folder */
  pathOf(file: unknown): string;
}

export type { ErrorInfo, Result };
