// A task service on real folders, a real engine and the Practice provider, for the tests of this folder.
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Prompt } from '../../shared/domain';
import type { TaskId } from '../../shared/ids';
import { defaultSettings, type Settings } from '../../shared/settings';
import type { CheckpointEngine } from '../checkpoint/engine';
import { openEngine } from '../checkpoint/open-engine';
import { createTask } from '../log/task-index';
import type { Provider } from '../provider/provider';
import { openProvider } from '../provider/registry';
import { openWorkspace } from '../workspace/workspace';
import { type Checkpoints, openCheckpoints } from './checkpoints';
import { openTaskService, type RunEnd, type RunHost, type TaskService } from './service';
import { openTask, type Task } from './task';

export interface Harness {
  readonly home: string;
  readonly folder: string;
  readonly service: TaskService;
  readonly checkpoints: Checkpoints;
  readonly settings: Settings;
  newTask(): Promise<Task>;
  openTask(id: TaskId): Promise<Task>;
  /** Plays a prompt with Practice to its end. */
  run(task: Task, text: string): Promise<RunEnd>;
  close(): Promise<void>;
}

export type HarnessOptions = {
  readonly files?: Readonly<Record<string, string>>;
  readonly host?: Partial<RunHost>;
  /** stands between the service and the real engine */
  readonly wrapEngine?: (engine: CheckpointEngine) => CheckpointEngine;
  /** an earlier harness's folders, to come back to them */
  readonly at?: { readonly home: string; readonly folder: string };
};

export const promptOf = (text: string): Prompt => ({ text, attachments: [] });

export const practice = (): Provider =>
  openProvider({ id: 'practice', model: null, baseUrl: null, headers: {}, key: null, contextTokens: null });

export async function openHarness(o: HarnessOptions = {}): Promise<Harness> {
  const temp =
    o.at === undefined ? await realpath(await mkdtemp(path.join(tmpdir(), 'tidemark-task-'))) : null;
  const home = o.at?.home ?? path.join(temp ?? '', 'home');
  const folder = o.at?.folder ?? path.join(temp ?? '', 'project');
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(o.files ?? {})) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  const settings = defaultSettings();
  settings.approval.auto.edit = true;
  settings.approval.auto.command = true;
  const tasks = new Map<TaskId, Promise<Task>>();
  const open = (id: TaskId): Promise<Task> => {
    const known = tasks.get(id) ?? openTask(path.join(home, 'tasks', id), id);
    tasks.set(id, known);
    return known;
  };
  const checkpoints = openCheckpoints({
    workspace: folder,
    impossible: null,
    settings: () => settings,
    setDisabled: async (disabled) => {
      settings.checkpoints.disabledWorkspaces = disabled ? [folder] : [];
    },
    openEngine: () => {
      const engine = openEngine({
        workspace: folder,
        checkpointsFolder: path.join(home, 'checkpoints'),
        groups: settings.checkpoints.groups,
        maxFileBytes: settings.checkpoints.maxFileBytes,
      });
      return o.wrapEngine?.(engine) ?? engine;
    },
  });
  const workspace = await openWorkspace(folder);
  const service = openTaskService({
    roots: [folder],
    checkpoints,
    settings: () => settings,
    allowAlways: async () => undefined,
    openTask: open,
    toolContext: async (task) => ({
      workspace,
      commandTimeoutS: 60,
      outputsFolder: path.join(task.folder, 'outputs'),
      commandEnv: { PATH: process.env.PATH ?? '' },
    }),
    host: {
      approve: async () => ({ decision: 'approve', reason: null }),
      ask: async () => 'yes',
      goOn: async () => false,
      onFailedCheckpoint: async (_error, thrown) => {
        throw thrown;
      },
      onSettled: () => undefined,
      ...o.host,
    },
  });
  return {
    home,
    folder,
    service,
    checkpoints,
    settings,
    newTask: async () => open(await createTask(home, { title: 'Test', workspace: folder })),
    openTask: open,
    async run(task, text) {
      const { ended } = await service.start({
        task,
        prompt: promptOf(text),
        mode: 'apply',
        provider: practice(),
      });
      return ended;
    },
    async close() {
      await service.close();
      await checkpoints.close();
      await Promise.all([...tasks.values()].map(async (t) => (await t).close()));
      if (temp !== null) await rm(temp, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
