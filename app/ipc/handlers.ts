// Every method of the contract, for one window. Each is a line or a few: the work is in the task layer.
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { app, type BrowserWindow, dialog, nativeTheme, shell } from 'electron';
import { askingCalls } from '../../shared/asking';
import { TidemarkError } from '../../shared/errors';
import type { TaskId } from '../../shared/ids';
import type { Handlers, Output } from '../../shared/ipc';
import { placeKey } from '../../shared/place-key';
import { type PathText, relPathOf } from '../../shared/rel-path';
import type { SettingsPatch } from '../../shared/settings';
import { type OpenFolder, type Task, workspaceName } from '../runtime';
import type { WindowMemory } from '../window/recents';
import type { Questions } from './questions';
import type { WindowContext } from './window-context';

export type HandlerOptions = {
  readonly context: WindowContext;
  readonly window: BrowserWindow;
  readonly questions: Questions;
  readonly memory: WindowMemory;
  readonly notices: readonly string[];
  readonly oldElectron: boolean;
  readonly shown: (path: string) => string;
  /** where the sample project ships */
  readonly sample: string;
  /** shows the other window that has this folder; false when there is none */
  readonly showElsewhere: (folder: OpenFolder) => boolean;
};

export function makeHandlers(o: HandlerOptions): Handlers {
  const { context: c, questions } = o;
  const { runtime } = c;
  const none = {};
  const absolute = (p: PathText): string => c.folder().absolute(p);

  async function open(paths: readonly string[]): Promise<Output<'workspace.open'>> {
    const folder = await runtime.openFolder(paths);
    if (!o.showElsewhere(folder)) await c.use(folder);
    return c.info();
  }

  /** Once the provider was chosen in Settings, that goes before a task's last one; a variable goes before both. */
  function flags(): { provider?: string; model?: string } {
    if (!c.providerChosen() || runtime.env.TIDEMARK_PROVIDER) return {};
    const { id, model } = runtime.settings.get().provider;
    return model === null || runtime.env.TIDEMARK_MODEL ? { provider: id } : { provider: id, model };
  }

  /** @throws workspace-denied when the user has not said that the folder may be worked in */
  function needTrust(): void {
    if (c.info().trusted) return;
    throw new TidemarkError('decision-needed', 'This folder is not trusted yet, so nothing runs in it.', {
      hint: 'Answer the question at the top first.',
    });
  }

  async function taskFor(id: Parameters<WindowContext['task']>[0] | null, title: string): Promise<Task> {
    if (id !== null) return c.task(id);
    const made = await runtime.createTask(title, c.folder().place);
    return c.task(made.id);
  }

  /** A window that has just been loaded does not know of a checkpoint that failed before. */
  function tellFailed(taskId: TaskId): void {
    const error = questions.waiting(taskId);
    if (error !== null) c.pusher.send({ push: 'unprotected', taskId, error });
  }

  return {
    'app.info': async () => ({
      version: app.getVersion(),
      electron: process.versions.electron ?? '',
      platform: process.platform,
      oldElectron: o.oldElectron,
      home: runtime.home,
      keyStore: runtime.secrets.available(),
      recents: await Promise.all(
        o.memory.recents().map(async ({ key, paths, at }) => ({
          key,
          paths: [...paths],
          name: workspaceName(paths),
          parent: [...new Set(paths.map((p) => o.shown(path.dirname(p))))].join(', '),
          gone: !(await Promise.all(paths.map(isFolder))).every(Boolean),
          at,
        })),
      ),
      notices: [...o.notices],
    }),
    'workspace.info': async () => c.info(),
    'workspace.choose': async () => {
      const { canceled, filePaths } = await dialog.showOpenDialog(o.window, {
        properties: ['openDirectory', 'createDirectory'],
      });
      const folder = filePaths[0];
      return canceled || folder === undefined ? null : open([folder]);
    },
    'workspace.open': ({ paths }) => open(paths),
    'workspace.sample': async () => open([await runtime.sample(o.sample)]),
    'workspace.trust': async () => {
      await c.folder().trust();
      c.pusher.send({ push: 'workspace', info: c.info() });
      return c.info();
    },
    'workspace.forget-recent': async ({ key }) => {
      o.memory.forget(key);
      return none;
    },
    'workspace.reveal': async (p) => {
      shell.showItemInFolder(absolute(p));
      return none;
    },
    'workspace.open-file': async (p) => {
      const problem = await shell.openPath(absolute(p));
      if (problem !== '') throw new TidemarkError('failed', problem);
      return none;
    },
    'tree.open': async (p) => ({ entries: [...(await c.tree().open(relPathOf(p)))] }),
    'tree.close': async (p) => {
      c.tree().closeFolder(relPathOf(p));
      return none;
    },
    'file.read': async (p) => {
      absolute(p); // says no to anything but names below a folder
      const side = await c.folder().readFile(p);
      if (side === null) throw new TidemarkError('tool-failed', `${p.path} is not there any more.`);
      return side;
    },
    'checkpoints.retry': async () => {
      await c.folder().checkpoints.retry();
      return c.folder().checkpoints.state();
    },
    'checkpoints.disable': async () => {
      await c.folder().checkpoints.disable();
      return c.folder().checkpoints.state();
    },
    'checkpoints.enable': async () => {
      await c.folder().checkpoints.enable();
      return c.folder().checkpoints.state();
    },
    'tasks.list': async () => {
      const tasks = (await runtime.tasks()).filter((t) => placeKey(t) === c.folder().key);
      const running = await Promise.all(tasks.filter((t) => t.state === 'running').map((t) => c.task(t.id)));
      for (const { id } of running) tellFailed(id);
      const asking = running.map((t) => ({ taskId: t.id, calls: askingCalls(t.view()) }));
      return { tasks, asking: asking.filter((t) => t.calls.length > 0) };
    },
    'task.create': async () => ({ taskId: (await taskFor(null, 'New task')).id }),
    'task.events': async ({ taskId }) => {
      const task = await c.task(taskId);
      tellFailed(taskId);
      return { events: [...task.events()] };
    },
    'task.rename': async ({ taskId, title }) => {
      await (await c.task(taskId)).append({ type: 'task.renamed', title });
      return none;
    },
    'task.favorite': async ({ taskId, favorite }) => {
      await (await c.task(taskId)).append({ type: 'task.favorited', favorite });
      return none;
    },
    'task.delete': async ({ taskId }) => {
      await c.folder().service.stop(taskId);
      await c.folder().service.forget(taskId);
      await runtime.deleteTask(taskId);
      c.pusher.send({ push: 'tasks-changed' });
      return none;
    },
    'task.prompt': async ({ taskId, prompt, mode }) => {
      needTrust();
      const before = taskId === null ? null : await c.task(taskId);
      const provider = runtime.provider(flags(), before); // before a task is made: a missing key leaves nothing behind
      const task = before ?? (await taskFor(null, titleOf(prompt.text)));
      if (before !== null && before.view().runs.length === 0 && before.view().title === 'New task') {
        await before.append({ type: 'task.renamed', title: titleOf(prompt.text) });
      }
      const { runId } = await c.folder().prompts.start({ task, prompt, mode, provider });
      return { taskId: task.id, runId };
    },
    'queue.add': async ({ taskId, prompt, mode }) => {
      needTrust();
      const task = await c.task(taskId);
      await c.folder().prompts.add({ task, prompt, mode, provider: () => runtime.provider(flags(), task) });
      return none;
    },
    'queue.change': async ({ taskId, queueId, text }) => {
      await c.folder().prompts.change(await c.task(taskId), queueId, text);
      return none;
    },
    'queue.remove': async ({ taskId, queueId }) => {
      await c.folder().prompts.remove(await c.task(taskId), queueId);
      return none;
    },
    'queue.send': async ({ taskId, queueId }) => {
      needTrust();
      const task = await c.task(taskId);
      await c.folder().prompts.sendNow(task, queueId, () => runtime.provider(flags(), task));
      return none;
    },
    'task.again': async ({ taskId, files }) => {
      needTrust();
      const task = await c.task(taskId);
      return { runId: await c.folder().again(task, runtime.provider(flags(), task), files) };
    },
    'task.stop': async ({ taskId }) => {
      await c.folder().service.stop(taskId);
      return none;
    },
    'task.retry-now': async ({ taskId }) => {
      c.folder().service.retryNow(taskId);
      return none;
    },
    'task.approve': async ({ taskId, callId, decision, reason }) => {
      questions.answerApproval(taskId, callId, { decision, reason });
      return none;
    },
    'task.answer': async ({ taskId, callId, answer }) => {
      questions.answer(taskId, callId, answer);
      return none;
    },
    'task.go-on': async ({ taskId, goOn }) => {
      questions.answerLimit(taskId, goOn);
      return none;
    },
    'background.stop': async ({ taskId, backgroundId }) => {
      await c.folder().service.stopBackground(taskId, backgroundId);
      return none;
    },
    'background.output': async ({ backgroundId }) => ({
      text: c.folder().service.backgroundOutput(backgroundId),
    }),
    'task.unprotected': async ({ taskId, choice }) => {
      questions.answerFailed(taskId, choice);
      return none;
    },
    'checkpoint.save': async ({ taskId, name }) => {
      const task = await c.task(taskId);
      return { checkpointId: await c.folder().service.saveNamed(task, name) };
    },
    'checkpoint.left-out': async ({ taskId, checkpointId }) => ({
      left: await c.folder().leftOut(await c.task(taskId), checkpointId),
    }),
    'changes.list': async ({ taskId, comparison }) => c.folder().changes(await c.task(taskId), comparison),
    'changes.file': async ({ taskId, comparison, change, force }) =>
      c.folder().change(await c.task(taskId), comparison, change, force),
    'changes.revert-hunk': async ({ taskId, ...request }) =>
      c.folder().service.revertHunk(await c.task(taskId), request),
    'changes.badges': async ({ taskId }) => ({
      badges: taskId === null ? [] : await c.folder().badges(await c.task(taskId)),
    }),
    'restore.plan': async ({ taskId, ...request }) => c.folder().service.plan(await c.task(taskId), request),
    'restore.sides': async ({ taskId, path: file, ...request }) =>
      c.folder().service.sides(await c.task(taskId), request, file),
    'restore.point': async ({ taskId, runId }) => c.folder().service.pointBefore(await c.task(taskId), runId),
    'restore.apply': async ({ taskId, ...request }) =>
      c.folder().service.restore(await c.task(taskId), {
        ...request,
        progress: (p) => c.pusher.send({ push: 'restore-progress', taskId, ...p }),
      }),
    'restore.file': async ({ taskId, checkpointId, paths, conflicts }) =>
      c.folder().service.restore(await c.task(taskId), {
        checkpointId,
        scope: 'files',
        whole: false,
        conflicts,
        only: paths,
        fingerprint: null,
      }),
    'settings.get': async () => runtime.settings.get(),
    'settings.set': async ({ patch }) => {
      if ('provider' in patch) c.chooseProvider();
      const settings = await runtime.settings.set(patch as SettingsPatch);
      nativeTheme.themeSource = settings.appearance.theme;
      return settings;
    },
    'providers.list': async () => ({ providers: runtime.providers() }),
    'providers.current': async ({ taskId }) => {
      const task = taskId === null ? null : await c.task(taskId);
      const { id, name, model, fixedBy } = runtime.providerNamed(flags(), task);
      return { id, name, model: model ?? '', fixedBy };
    },
    'providers.set-key': async ({ provider, key }) => {
      if (key === '') await runtime.secrets.remove(provider);
      else await runtime.secrets.set(provider, key);
      return none;
    },
    'providers.check': ({ provider }) => runtime.checkProvider(provider),
    'window.theme': async ({ theme }) => {
      nativeTheme.themeSource = theme;
      return none;
    },
  };
}

const isFolder = (folder: string): Promise<boolean> =>
  stat(folder).then(
    (s) => s.isDirectory(),
    () => false,
  );

/** The first line of the prompt, as a task's title. */
function titleOf(text: string): string {
  const line = text.trim().split('\n')[0] ?? '';
  return line.length > 80 ? `${line.slice(0, 79)}…` : line || 'New task';
}
