// The open folder: its name, the state of its checkpoints, its tasks and the badges of its files.
import { create } from 'zustand';
import type { CheckpointsState, TaskSummary } from '../../shared/domain';
import type { TaskId } from '../../shared/ids';
import type { Output, WorkspaceInfo } from '../../shared/ipc';
import type { PathText } from '../../shared/rel-path';
import { call } from '../bridge';
import { takeAskedBefore } from './asking';
import { recall, remember } from './remembered';
import { selectTask, useTask } from './task';
import { attempt, showToast } from './toast';
import { focusComposer } from './ui';

export type Badge = PathText & { readonly badge: 'A' | 'M' | 'D' };
type WorkspaceState = {
  readonly app: Output<'app.info'> | null;
  readonly info: WorkspaceInfo | null;
  readonly tasks: readonly TaskSummary[];
  readonly badges: readonly Badge[];
  /** a folder is being opened */
  readonly opening: boolean;
};

export const useWorkspace = create<WorkspaceState>()(() => ({
  app: null,
  info: null,
  tasks: [],
  badges: [],
  opening: false,
}));

export async function loadWorkspace(): Promise<void> {
  const [app, info] = await Promise.all([
    attempt('app.info', {}),
    attempt('workspace.info', {}),
    loadTasks(),
  ]);
  // A push that came meanwhile is newer than what was asked for before it.
  const newest = useWorkspace.getState().info ?? info;
  useWorkspace.setState({ app, info: newest });
  if (newest !== null) resumeTask(newest);
  for (const text of app?.notices ?? []) showToast({ text, ms: 20_000 });
}

export async function loadTasks(): Promise<void> {
  const listed = await attempt('tasks.list', {});
  if (listed === null) return;
  takeAskedBefore(listed.asking);
  useWorkspace.setState({ tasks: listed.tasks });
}

/** Looks can overlap; only the last one counts. */
let badgesAsked = 0;

/** Badges are an ornament: when they cannot be had, there are none. */
export async function loadBadges(taskId: TaskId | null): Promise<void> {
  badgesAsked += 1;
  const asked = badgesAsked;
  const result = await call('changes.badges', { taskId });
  if (asked === badgesAsked) useWorkspace.setState({ badges: result.ok ? result.value.badges : [] });
}

type Way = { readonly by: 'choose' | 'sample' } | { readonly by: 'paths'; readonly paths: readonly string[] };

/** Opens a folder. The `workspace` push that follows brings the rest of the window along. */
export async function openFolder(way: Way): Promise<void> {
  if (useWorkspace.getState().opening) return;
  useWorkspace.setState({ opening: true });
  const opened =
    way.by === 'paths'
      ? attempt('workspace.open', { paths: [...way.paths] })
      : way.by === 'sample'
        ? attempt('workspace.sample', {})
        : attempt('workspace.choose', {});
  const info = await opened;
  useWorkspace.setState({ opening: false });
  if (info === null) return;
  takeWorkspace(info);
  // What opened it may be gone with the first screen. A folder that is new is asked about first.
  if (info.trusted) focusComposer();
}

export async function trustFolder(): Promise<void> {
  const info = await attempt('workspace.trust', {});
  if (info === null) return;
  takeWorkspace(info);
  focusComposer();
}

export async function forgetRecent(key: string): Promise<void> {
  await attempt('workspace.forget-recent', { key });
  const app = await attempt('app.info', {});
  if (app !== null) useWorkspace.setState({ app });
}

export function takeWorkspace(info: WorkspaceInfo): void {
  const before = useWorkspace.getState().info;
  useWorkspace.setState({ info });
  if (before?.key !== info.key) {
    useWorkspace.setState({ badges: [] });
    void loadTasks().then(() => resumeTask(info));
  }
}

const taskKey = (info: WorkspaceInfo): string => `task ${info.key}`;

/** Goes on with the task that was on screen when this folder was last open. */
function resumeTask(info: WorkspaceInfo): void {
  const { tasks } = useWorkspace.getState();
  const last = recall(taskKey(info), (id) => tasks.find((t) => t.id === id));
  if (last !== undefined && useTask.getState().taskId === null) selectTask(last.id);
}

/** Keeps in mind which task is on screen in this folder. */
export function rememberTask(taskId: TaskId | null): void {
  const { info } = useWorkspace.getState();
  if (info !== null && taskId !== null) remember(taskKey(info), taskId);
}

const takeCheckpoints = (checkpoints: CheckpointsState | null): void => {
  if (checkpoints !== null)
    useWorkspace.setState((s) => ({ info: s.info === null ? null : { ...s.info, checkpoints } }));
};
export const retryCheckpoints = async (): Promise<void> =>
  takeCheckpoints(await attempt('checkpoints.retry', {}));
export const disableCheckpoints = async (): Promise<void> =>
  takeCheckpoints(await attempt('checkpoints.disable', {}));
export const enableCheckpoints = async (): Promise<void> =>
  takeCheckpoints(await attempt('checkpoints.enable', {}));
