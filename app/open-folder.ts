// A folder in use: its checkpoints, its tasks' runs, comparing, its tree. What windows and command line work with.
// Owns: joining the task layer for one workspace. Does not own: settings, keys, the list of tasks (runtime).
import { setMaxListeners } from 'node:events';
import { basename, join } from 'node:path';
import type { Change, FileSide, LeftOut } from '../shared/domain';
import type { CheckpointId, TaskId } from '../shared/ids';
import type { ChangeList, Comparison } from '../shared/ipc';
import type { PathText } from '../shared/rel-path';
import { relPathOf } from '../shared/rel-path';
import type { CheckpointEngine, EngineOptions } from './checkpoint/engine';
import { commandEnvironment } from './command-environment';
import { type HomePaths, isProtectedFolder } from './paths';
import type { SettingsFile } from './settings/settings-file';
import { type Checkpoints, type CheckpointsOptions, openCheckpoints } from './task/checkpoints';
import { badges, listChanges, onDisk, readChange, rowOf, snapshotOf } from './task/compare';
import { toLeftOut } from './task/engine-edge';
import { openQuietTime, type QuietTime } from './task/quiet-time';
import { openTaskService, type RunHost, type TaskService } from './task/service';
import type { Task } from './task/task';
import { openTree, type Tree } from './workspace/tree';
import { isTrusted, trust } from './workspace/trust';
import { openWorkspace } from './workspace/workspace';

export interface OpenFolder {
  /** real path of the folder that the agent works in */
  readonly root: string;
  /** null when no folder is open and `root` is the home workspace */
  readonly path: string | null;
  readonly name: string;
  readonly checkpoints: Checkpoints;
  readonly service: TaskService;
  trusted(): boolean;
  trust(): Promise<void>;
  /** A tree of its own for each window. */
  openTree(): Tree;
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
  readonly root: string;
  /** false: the home workspace, which is never checkpointed */
  readonly isFolder: boolean;
  /** how many folders were opened at once */
  readonly roots: number;
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
  const { root, settings } = o;
  const workspace = await openWorkspace(root);
  const checkpoints = openCheckpoints({
    workspace: o.isFolder ? root : null,
    impossible: impossibleHere(o),
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
  const quiet = openQuietTime(checkpoints, o.quietMs);
  const runs = openTaskService({
    root,
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
  const life = new AbortController();
  setMaxListeners(0, life.signal); // a diff of many files reads them side by side
  const { signal } = life;
  return {
    root,
    path: o.isFolder ? root : null,
    name: o.isFolder ? basename(root) || root : 'No folder',
    checkpoints,
    service,
    trusted: () => !o.isFolder || isTrusted(settings.get(), root),
    trust: () => trust(settings, root),
    openTree: () => openTree(root),
    readFile: (path) => onDisk(root, relPathOf(path), false),
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
function impossibleHere(o: OpenFolderOptions): CheckpointsOptions['impossible'] {
  if (!o.isFolder) {
    return {
      why: 'no-workspace',
      message: 'No workspace detected. Please open Tidemark in a workspace to use checkpoints.',
    };
  }
  if (o.roots > 1) {
    return {
      why: 'multi-root',
      message: 'Checkpoints are not currently supported in multi-root workspaces.',
    };
  }
  const guard = isProtectedFolder(o.root, { home: o.home });
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
