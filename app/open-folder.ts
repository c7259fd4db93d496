// A folder in use: its checkpoints, its tasks' runs, comparing, its tree. What windows and command line work with.
// Owns: joining the task layer for one workspace. Does not own: settings, keys, the list of tasks (runtime).
import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import type { Change, FileSide, LeftOut } from '../shared/domain';
import type { CheckpointId, RunId, TaskId } from '../shared/ids';
import type { ChangeList, Comparison } from '../shared/ipc';
import { placeKey, type WorkPlace } from '../shared/place-key';
import type { PathText } from '../shared/rel-path';
import type { CheckpointEngine, EngineOptions } from './checkpoint/engine';
import { commandEnvironment } from './command-environment';
import { listTasks } from './log/task-index';
import { type HomePaths, isProtectedFolder } from './paths';
import type { Provider } from './provider/provider';
import type { SettingsFile } from './settings/settings-file';
import { answerAgain } from './task/answer-again';
import { type Checkpoints, type CheckpointsOptions, openCheckpoints } from './task/checkpoints';
import { badges, listChanges, onDisk, readChange, rowOf, snapshotOf } from './task/compare';
import { toLeftOut } from './task/engine-edge';
import { openPromptQueue, type PromptQueue } from './task/prompt-queue';
import { openQuietTime, type QuietTime } from './task/quiet-time';
import { openTaskService, type RunHost, type TaskService } from './task/service';
import type { Task } from './task/task';
import { absoluteOf, locate, type WorkspaceRoot, workspaceName } from './workspace/roots';
import { openSeveral } from './workspace/several';
import type { Tree } from './workspace/tree';
import { openTrees } from './workspace/tree-of-several';
import { isTrusted, trust } from './workspace/trust';
import { openWorkspace } from './workspace/workspace';

export interface OpenFolder {
  /** real path of the folder that the agent works in; of the first one where there are several */
  readonly root: string;
  /** every folder; more than one: paths begin with their names, and there are no checkpoints */
  readonly roots: readonly WorkspaceRoot[];
  /** null when no folder is open and `root` is the home workspace */
  readonly path: string | null;
  /** where its tasks work: what their logs remember */
  readonly place: WorkPlace;
  /** `placeKey` of that */
  readonly key: string;
  readonly name: string;
  readonly checkpoints: Checkpoints;
  readonly service: TaskService;
  /** Messages that wait for the end of a run; runs of the window start here. */
  readonly prompts: PromptQueue;
  /** Makes the last answer of a task again. @throws as answerAgain */
  again(task: Task, provider: Provider, files: boolean): Promise<RunId>;
  trusted(): boolean;
  trust(): Promise<void>;
  /** A tree of its own for each window. */
  openTree(): Tree;
  /** The absolute path of a file or folder as tools and tree call it. @throws path-refused */
  absolute(path: PathText): string;
  /** null when the file is not there. @throws path-refused */
  readFile(path: PathText): Promise<FileSide | null>;
  changes(task: Task, comparison: Comparison): Promise<ChangeList>;
  change(
    task: Task,
    comparison: Comparison,
    change: Change,
    force: boolean,
  ): Promise<{ before: FileSide | null; after: FileSide | null }>;
  badges(task: Task): Promise<(PathText & { badge: 'A' | 'M' | 'D' })[]>;
  leftOut(task: Task, at: CheckpointId): Promise<LeftOut[]>;
  close(): Promise<void>;
}

export type OpenFolderOptions = {
  /** real paths of the folders that were opened at once, at least one */
  readonly roots: readonly string[];
  /** false: the home workspace, which is never checkpointed */
  readonly isFolder: boolean;
  readonly paths: HomePaths;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly settings: SettingsFile;
  readonly openEngine: (o: EngineOptions) => CheckpointEngine;
  readonly openTask: (id: TaskId) => Promise<Task>;
  readonly host: RunHost;
  /** how long after the last run the store is looked after; null: never */
  readonly quietMs: number | null;
};

/** @throws workspace-missing, workspace-denied */
export async function makeFolder(o: OpenFolderOptions): Promise<OpenFolder> {
  const { settings } = o;
  const workspace = o.roots.length > 1 ? await openSeveral(o.roots) : await openWorkspace(o.roots[0] ?? '');
  const { root, roots } = workspace;
  const paths = roots.map((r) => r.path);
  const place: WorkPlace = paths.length > 1 ? { workspace: root, roots: paths } : { workspace: root };
  const checkpoints = openCheckpoints({
    workspace: o.isFolder ? root : null,
    impossible: impossibleHere(o, root),
    settings: settings.get,
    setDisabled: async (disabled) => {
      await settings.set((now) => {
        const others = now.checkpoints.disabledWorkspaces.filter((w) => w !== root);
        return { checkpoints: { disabledWorkspaces: disabled ? [...others, root] : others } };
      });
    },
    openEngine: () =>
      o.openEngine({
        workspace: root,
        checkpointsFolder: settings.get().storage.checkpoints ?? o.paths.checkpoints,
        groups: settings.get().checkpoints.groups,
        maxFileBytes: settings.get().checkpoints.maxFileBytes,
      }),
  });
  const quiet = openQuietTime(checkpoints, o.quietMs, async (signal) => {
    const { keepDays, capBytes } = settings.get().storage;
    const rule = { keepDays, capBytes, now: Date.now() };
    const here = await listTasks(o.home, { workspace: root });
    const old = here.filter((t) => Date.parse(t.createdAt) < rule.now - keepDays * 24 * 60 * 60 * 1000);
    const ids = (some: readonly { readonly id: TaskId }[]): TaskId[] => some.map((t) => t.id);
    await runs.retain({ tasks: ids(here), old: ids(old), rule, signal });
  });
  const runs = openTaskService({
    roots: paths,
    checkpoints,
    settings: settings.get,
    allowAlways: (always) => allowAlways(settings, always),
    openTask: o.openTask,
    toolContext: async (task) => ({
      workspace,
      commandTimeoutS: settings.get().limits.commandTimeoutS,
      outputsFolder: join(task.folder, 'outputs'),
      commandEnv: commandEnvironment(o.env),
    }),
    host: o.host,
  });
  const service = withQuietTime(runs, quiet);
  const prompts = openPromptQueue(service);
  const life = new AbortController();
  setMaxListeners(0, life.signal); // a diff of many files reads them side by side
  const { signal } = life;
  return {
    root,
    roots,
    path: o.isFolder ? root : null,
    place,
    key: placeKey(place),
    name: o.isFolder ? workspaceName(paths) : 'No folder',
    checkpoints,
    service,
    prompts,
    again: (task, provider, files) =>
      answerAgain({ ...service, start: prompts.start }, task, { provider, files }),
    trusted: () => !o.isFolder || paths.every((p) => isTrusted(settings.get(), p)),
    async trust() {
      for (const path of paths) await trust(settings, path);
    },
    openTree: () => openTrees(roots),
    absolute: (path) => absoluteOf(roots, path),
    async readFile(path) {
      const { folder, rest } = locate(roots, path);
      return onDisk(folder.path, rest, false);
    },
    changes: async (task, comparison) => listChanges(await service.engine(), task.view(), comparison, signal),
    change: async (task, comparison, change, force) =>
      readChange(await service.engine(), root, task.view(), comparison, change, force, signal),
    badges: async (task) =>
      checkpoints.state().state === 'ready' ? badges(await service.engine(), task.view(), signal) : [],
    async leftOut(task, at) {
      const engine = await service.engine();
      return (await engine.leftOut(snapshotOf(rowOf(task.view(), at)), { signal })).map(toLeftOut);
    },
    async close() {
      life.abort();
      quiet.close();
      await service.close();
      await checkpoints.close();
    },
  };
}

/** Tells the quiet time of runs and deletions. */
function withQuietTime(service: TaskService, quiet: QuietTime): TaskService {
  return {
    ...service,
    async start(run) {
      const over = quiet.busy();
      try {
        const started = await service.start(run);
        started.ended.then(over, over);
        return started;
      } catch (error) {
        over();
        throw error;
      }
    },
    async forget(taskId) {
      await service.forget(taskId);
      quiet.again();
    },
  };
}

/** SPEC 7: where checkpoints cannot be, whatever the settings say. */
function impossibleHere(o: OpenFolderOptions, root: string): CheckpointsOptions['impossible'] {
  if (!o.isFolder) {
    return {
      why: 'no-workspace',
      message: 'No workspace detected. Please open Tidemark in a workspace to use checkpoints.',
    };
  }
  if (o.roots.length > 1) {
    return {
      why: 'multi-root',
      message: 'Checkpoints are not currently supported in multi-root workspaces.',
    };
  }
  const guard = isProtectedFolder(root, { home: o.home });
  return guard === null ? null : { why: 'protected', message: guard.message };
}

/** "category:edit" switches a category to automatic; anything else is a command prefix to allow. */
async function allowAlways(settings: SettingsFile, always: string): Promise<void> {
  const category = /^category:(\w+)$/.exec(always)?.[1];
  await settings.set(({ approval }) => {
    if (category !== undefined) return { approval: { auto: { ...approval.auto, [category]: true } } };
    return approval.allow.includes(always) ? {} : { approval: { allow: [...approval.allow, always] } };
  });
}
