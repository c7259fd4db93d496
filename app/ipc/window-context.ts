// What one window is working with: its folder, the tree it watches, the tasks it listens to.
// Owns: joining these and pushing what happens. Does not own: the window itself, the methods, questions of runs.
import { isDelta } from '../../shared/events';
import type { TaskId } from '../../shared/ids';
import type { WorkspaceInfo } from '../../shared/ipc';
import { placeKey, type WorkPlace } from '../../shared/place-key';
import type { PathText } from '../../shared/rel-path';
import type { OpenFolder, Runtime, Task, Tree } from '../runtime';
import type { Pusher } from './push';

export interface WindowContext {
  readonly runtime: Runtime;
  readonly pusher: Pusher;
  folder(): OpenFolder;
  tree(): Tree;
  /** Works with another folder from now on. */
  use(folder: OpenFolder): Promise<void>;
  /** The task, listened to from now on. @throws task-unknown */
  task(id: TaskId): Promise<Task>;
  info(): WorkspaceInfo;
  /** After this the provider of the settings goes before the task's last. */
  chooseProvider(): void;
  providerChosen(): boolean;
  refresh(): void;
  close(): Promise<void>;
}

export type ContextOptions = {
  readonly runtime: Runtime;
  readonly pusher: Pusher;
  /** shortens a path with ~ */
  readonly shown: (path: string) => string;
  readonly remember: (place: WorkPlace) => void;
  /** true when another window has this folder */
  readonly isUsed: (folder: OpenFolder) => boolean;
};

export function openWindowContext(o: ContextOptions, first: OpenFolder): WindowContext {
  const listening = new Map<TaskId, () => void>();
  let folder = first;
  let tree = folder.openTree();
  let offState: () => void = () => undefined;
  let chosen = false;

  function info(): WorkspaceInfo {
    return {
      path: folder.path,
      key: folder.path === null ? '' : folder.key,
      name: folder.name,
      shown: folder.path === null ? '' : folder.roots.map((r) => o.shown(r.path)).join(', '),
      roots:
        folder.path === null
          ? []
          : folder.roots.map(({ path, name }) => ({ path, name, shown: o.shown(path) })),
      trusted: folder.trusted(),
      checkpoints: folder.checkpoints.state(),
    };
  }

  async function use(next: OpenFolder): Promise<void> {
    if (next === folder) return;
    await leave();
    folder = next;
    tree = folder.openTree();
    enter();
  }

  function enter(): void {
    tree.onChange((folders) => o.pusher.send({ push: 'workspace-changed', folders: [...folders] }));
    tree.onNotice((text) => o.pusher.send({ push: 'notice', text }));
    offState = folder.checkpoints.onState(() => o.pusher.send({ push: 'workspace', info: info() }));
    folder.checkpoints.start();
    if (folder.path !== null) o.remember(folder.place);
    o.pusher.send({ push: 'workspace', info: info() });
    settle(folder).catch(() => undefined); // a start that failed is in the header, and the next open tries again
  }

  async function leave(): Promise<void> {
    offState();
    await tree.close();
    if (!o.isUsed(folder)) await o.runtime.releaseFolder(folder);
  }

  /** Runs and restores that a crash has cut, before anything else happens in this folder. */
  async function settle(opened: OpenFolder): Promise<void> {
    const tasks = await o.runtime.tasks();
    const cut = tasks.filter((t) => placeKey(t) === opened.key && t.state === 'interrupted');
    await opened.service.settle(cut.map((t) => t.id));
    if (cut.length > 0) o.pusher.send({ push: 'tasks-changed' });
  }

  function listen(task: Task): void {
    if (listening.has(task.id)) return;
    if (task.damage.length > 0) {
      const text = `The log of “${task.view().title}” is damaged in part. What could be read is shown; nothing was removed. ${task.damage[0]}`;
      o.pusher.send({ push: 'notice', text });
    }
    const off = task.listen((event) => {
      if (isDelta(event)) {
        o.pusher.send({ push: 'delta', delta: event });
        return;
      }
      o.pusher.send({ push: 'event', event });
      if (event.type === 'tool.finished' && event.touched.length > 0) {
        o.pusher.send({ push: 'workspace-changed', folders: foldersOf(event.touched) });
      }
      if (event.type === 'restore.completed') {
        o.pusher.send({ push: 'workspace-changed', folders: foldersOf(event.files) });
      }
      if (
        event.type === 'run.ended' ||
        event.type === 'run.started' ||
        event.type === 'task.renamed' ||
        event.type === 'task.moved' ||
        event.type === 'task.created'
      ) {
        o.pusher.send({ push: 'tasks-changed' });
      }
    });
    listening.set(task.id, off);
  }

  enter();
  return {
    runtime: o.runtime,
    pusher: o.pusher,
    folder: () => folder,
    tree: () => tree,
    use,
    info,
    async task(id) {
      const task = await o.runtime.openTask(id);
      listen(task);
      return task;
    },
    chooseProvider() {
      chosen = true;
    },
    providerChosen: () => chosen,
    refresh: () => tree.refreshAll(),
    async close() {
      for (const off of listening.values()) off();
      o.pusher.close();
      await leave();
    },
  };
}

/** The folders that the paths lie in, each once. */
function foldersOf(paths: readonly PathText[]): PathText[] {
  const folders = new Set(paths.map((p) => p.path.split('/').slice(0, -1).join('/')));
  return [...folders].map((path) => ({ path }));
}
