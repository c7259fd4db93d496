// The composition root without Electron: builds the parts and joins them, for app and command line alike.
// Owns: one of each thing per `<home>` (settings, keys, open tasks) and one OpenFolder per workspace in use.
// Does not own: windows, IPC, arguments.
import { mkdir } from 'node:fs/promises';
import type { TaskSummary } from '../shared/domain';
import type { TaskId } from '../shared/ids';
import type { ProviderInfo } from '../shared/ipc';
import { placeKey, type WorkPlace } from '../shared/place-key';
import type { ProviderId } from '../shared/settings';
import { adoptMovedStore, forgetMove, movedFrom } from './checkpoint/moved-folder';
import { openEngine, probeGit } from './checkpoint/open-engine';
import { type LostFolder, lostFolders, type Recovered, recoverFolder } from './checkpoint/recover';
import { openWorkerEngine } from './checkpoint/worker-host';
import { createTask, deleteTask, listTasks } from './log/task-index';
import { makeFolder, type OpenFolder } from './open-folder';
import { type HomePaths, pathsOf } from './paths';
import { availableProviders, checkProvider, listModels } from './provider/registry';
import {
  type Choice,
  type ChoiceInput,
  type ChosenProvider,
  chooseIds,
  chooseProvider,
  type ProviderFlags,
  providerSettings,
} from './provider-choice';
import { copySample } from './sample';
import { type Cipher, openSecrets, type Secrets } from './settings/secrets';
import { openSettings, type SettingsFile } from './settings/settings-file';
import { QUIET_MS } from './task/quiet-time';
import type { RunHost } from './task/service';
import { openTask, type Task } from './task/task';
import { foldersOf } from './workspace/workspace-file';

export type { LostFolder, Recovered } from './checkpoint/recover';
export type { OpenFolder } from './open-folder';
export type { Cipher } from './settings/secrets';
export type { RunEnd, RunHost } from './task/service';
export type { Task } from './task/task';
export { workspaceName } from './workspace/roots';
export type { Tree } from './workspace/tree';

export type RuntimeOptions = {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** the built worker of the engine; null: the engine runs in this thread */
  readonly engineWorker: string | null;
  /** null: no key store (command line) */
  readonly cipher: Cipher | null;
  readonly host: RunHost;
  /** true: without any choice, Practice is the provider (the app); false: that is an error (the command line) */
  readonly practiceByDefault: boolean;
};

export interface Runtime {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly paths: HomePaths;
  readonly settings: SettingsFile;
  readonly secrets: Secrets;
  /**
   * Opens folders together as one workspace, or gives the one that is open already. A `.code-workspace` file stands for
   * the folders that it names; none at all is the home workspace. @throws workspace-missing, workspace-denied
   */
  openFolder(paths: readonly string[]): Promise<OpenFolder>;
  /** Closes a folder that no window has any more; one with a run stays open until the app ends. */
  releaseFolder(folder: OpenFolder): Promise<void>;
  folders(): readonly OpenFolder[];
  /** Makes the user's copy of the sample project, once, and trusts it. @returns its path */
  sample(source: string): Promise<string>;
  tasks(): Promise<readonly TaskSummary[]>;
  createTask(title: string, place: WorkPlace): Promise<Task>;
  openTask(id: TaskId): Promise<Task>;
  deleteTask(id: TaskId): Promise<void>;
  /** Folders with checkpoints that are not there any more. @throws git-missing, git-too-old */
  lostFolders(o: { readonly signal: AbortSignal }): Promise<readonly LostFolder[]>;
  /** Brings a deleted folder back, never over a file. @throws workspace-missing, would-overwrite, snapshot-missing */
  recoverFolder(o: {
    readonly workspace: string;
    readonly to: string;
    readonly signal: AbortSignal;
  }): Promise<Recovered>;
  /** @throws provider-missing, provider-unknown, key-missing */
  provider(flags: ProviderFlags, task: Task | null): ChosenProvider;
  /** What `provider` would open. @throws provider-missing */
  providerNamed(flags: ProviderFlags, task: Task | null): Choice & { readonly name: string };
  providers(): ProviderInfo[];
  /** Asks the server of a provider, as the settings have it, whether it answers. */
  checkProvider(id: ProviderId): Promise<{ ok: boolean; message: string; models: string[] }>;
  /** @throws git-missing, git-too-old */
  gitVersion(): Promise<string>;
  close(): Promise<void>;
}

/** @throws settings-failed when `<home>` cannot be made or read */
export async function openRuntime(o: RuntimeOptions): Promise<Runtime> {
  const paths = pathsOf(o.home);
  const settings = await openSettings(paths.settings);
  const secrets = await openSecrets({ file: paths.secrets, cipher: o.cipher });
  const folders = new Map<string, Promise<OpenFolder>>();
  const open: OpenFolder[] = [];
  const tasks = new Map<TaskId, Promise<Task>>();
  const engineOf = (worker: string | null): typeof openEngine =>
    worker === null ? openEngine : (options) => openWorkerEngine({ ...options, workerFile: worker });

  const storesFolder = (): string => settings.get().storage.checkpoints ?? paths.checkpoints;

  function task(id: TaskId): Promise<Task> {
    const known = tasks.get(id);
    if (known !== undefined) return known;
    const opening = openTask(paths.task(id), id);
    tasks.set(id, opening);
    opening.catch(() => tasks.delete(id));
    return opening;
  }

  const choiceOf = (flags: ProviderFlags, t: Task | null): ChoiceInput => ({
    flags,
    task: t?.view() ?? null,
    settings,
    secrets,
    env: o.env,
    practiceByDefault: o.practiceByDefault,
  });

  /** A folder that was moved brings its checkpoints along; its tasks are told where it is now. */
  async function followMove(root: string): Promise<void> {
    const place = { checkpointsFolder: storesFolder(), workspace: root };
    await adoptMovedStore({ ...place, signal: new AbortController().signal });
    const before = movedFrom(place);
    if (before.length === 0) return;
    for (const t of await listTasks(o.home)) {
      const now = (p: string): string => (before.includes(p) ? root : p);
      if (![t.workspace, ...(t.roots ?? [])].some((p) => before.includes(p))) continue;
      const roots = t.roots === undefined ? {} : { roots: t.roots.map(now) };
      await (await task(t.id)).append({ type: 'task.moved', workspace: now(t.workspace), ...roots });
    }
    forgetMove(place);
  }

  async function make(roots: readonly string[], isFolder: boolean): Promise<OpenFolder> {
    const [root = '', ...more] = roots;
    if (isFolder && more.length === 0) await followMove(root);
    const made = await makeFolder({
      roots,
      isFolder,
      paths,
      home: o.home,
      env: o.env,
      settings,
      openEngine: engineOf(o.engineWorker),
      openTask: task,
      host: o.host,
      // without a thread of its own (command line) the process ends before
      quietMs: o.engineWorker === null ? null : QUIET_MS,
    });
    open.push(made);
    return made;
  }

  async function openFolder(asked: readonly string[]): Promise<OpenFolder> {
    const isFolder = asked.length > 0;
    if (!isFolder) await mkdir(paths.workspace, { recursive: true, mode: 0o700 });
    const roots = await foldersOf(isFolder ? asked : [paths.workspace]);
    const key = `${isFolder ? 'folder' : 'home'} ${placeKey({ workspace: roots[0] ?? '', roots })}`;
    const known = folders.get(key);
    if (known !== undefined) return known;
    const making = make(roots, isFolder);
    folders.set(key, making);
    making.catch(() => folders.delete(key));
    return making;
  }

  return {
    home: o.home,
    env: o.env,
    paths,
    settings,
    secrets,
    openFolder,
    async releaseFolder(folder) {
      if (folder.service.busy() || !open.includes(folder)) return;
      open.splice(open.indexOf(folder), 1);
      for (const [key, known] of folders) if ((await known) === folder) folders.delete(key);
      await folder.close();
    },
    folders: () => open,
    async sample(source) {
      const folder = await copySample(source, o.home);
      const opened = await openFolder([folder]);
      await opened.trust();
      return opened.root;
    },
    tasks: () => listTasks(o.home),
    createTask: async (title, place) => task(await createTask(o.home, { title, ...place })),
    openTask: task,
    async deleteTask(id) {
      const opened = await tasks.get(id);
      await opened?.close();
      tasks.delete(id);
      await deleteTask(o.home, id);
    },
    lostFolders: ({ signal }) => lostFolders({ checkpointsFolder: storesFolder(), signal }),
    recoverFolder: (r) => recoverFolder({ ...r, checkpointsFolder: storesFolder() }),
    provider: (flags, t) => chooseProvider(choiceOf(flags, t)),
    providerNamed(flags, t) {
      const choice = chooseIds(choiceOf(flags, t));
      return { ...choice, name: availableProviders().find((p) => p.id === choice.id)?.name ?? choice.id };
    },
    providers: () =>
      availableProviders().map((p) => {
        const keyFrom = secrets.keySource(p.id, o.env);
        return { ...p, hasKey: keyFrom !== 'none', keyFrom };
      }),
    async checkProvider(id) {
      const choice = providerSettings(id, { settings, secrets, env: o.env });
      const { signal } = new AbortController();
      const { ok, message } = await checkProvider(choice, signal);
      const models = ok ? await listModels(choice, signal) : [];
      return { ok, message, models: models.map((m) => m.id) };
    },
    gitVersion: async () => (await probeGit()).version,
    async close() {
      await Promise.all(open.map((f) => f.close()));
      await Promise.all([...tasks.values()].map(async (t) => (await t).close()));
      await settings.close();
    },
  };
}
