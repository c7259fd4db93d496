// Every action of the window that has a name: for the palette, the shortcuts and the native menu.
// Owns: names, keys, and when an action can be had. Does not own: what it does (stores).
import { activeRows, type TaskView } from '../../shared/fold';
import type { CheckpointId } from '../../shared/ids';
import { showComparison } from './changes';
import { lastRestore, takeBack } from './redo';
import { saveSettings } from './settings';
import { selectTask, stopRun, useTask } from './task';
import { closeRight, focusComposer, openLines, openPalette, openSettings, useUi } from './ui';
import {
  disableCheckpoints,
  enableCheckpoints,
  openFolder,
  retryCheckpoints,
  useWorkspace,
} from './workspace';

export type Action = {
  readonly id: string;
  readonly name: string;
  /** other words that find it */
  readonly words?: string;
  /** as it is written on keys, without Ctrl or ⌘ */
  readonly key?: string;
  /** false: it cannot be had now, and is not offered */
  readonly isThere: () => boolean;
  readonly run: () => void;
};

const always = (): boolean => true;
const view = (): TaskView => useTask.getState().view;
const checkpoints = () => useWorkspace.getState().info?.checkpoints;
const on = (): boolean => checkpoints()?.state === 'ready';

/** Ends of comparisons and targets of restores: what has files on the active line, oldest first. */
const withFiles = () =>
  activeRows(view()).flatMap((r) => (r.type === 'checkpoint' && r.snapshotId !== null ? [r] : []));
const completion = (): CheckpointId | null =>
  withFiles().findLast((r) => r.kind === 'completion')?.checkpointId ?? null;

export function newTask(): void {
  selectTask(null);
  focusComposer();
}

const theme = (name: 'system' | 'light' | 'dark'): Action => ({
  id: `theme.${name}`,
  name: { system: 'Theme: As the System', light: 'Theme: Light', dark: 'Theme: Dark' }[name],
  words: 'appearance colour color mode',
  isThere: always,
  run: () => void saveSettings({ appearance: { theme: name } }),
});

export const ACTIONS: readonly Action[] = [
  {
    id: 'palette.open',
    name: 'Command Palette…',
    key: 'K',
    isThere: () => useUi.getState().palette === null,
    run: () => openPalette(),
  },
  { id: 'task.new', name: 'New Task', key: 'N', isThere: always, run: newTask },
  {
    id: 'task.stop',
    name: 'Stop the Run',
    isThere: () => view().running !== null,
    run: () => void stopRun(),
  },
  {
    id: 'folder.open',
    name: 'Open Folder…',
    key: 'O',
    words: 'workspace project',
    isThere: always,
    run: () => void openFolder({ by: 'choose' }),
  },
  {
    id: 'restore.undo',
    name: 'Undo Last Restore',
    words: 'redo take back',
    isThere: () => lastRestore() !== null,
    run: () => {
      const redo = lastRestore();
      if (redo !== null) takeBack(redo);
    },
  },
  {
    id: 'restore.choose',
    name: 'Restore…',
    words: 'rewind checkpoint go back',
    isThere: () => withFiles().length > 0,
    run: () => openPalette({ page: 'restore' }),
  },
  {
    id: 'restore.lines',
    name: 'Redo Points and Earlier Lines…',
    words: 'abandoned branches undo return',
    isThere: () => view().restores.length > 0,
    run: openLines,
  },
  {
    id: 'checkpoint.save',
    name: 'Save Checkpoint…',
    words: 'name manual',
    isThere: () => on() && useTask.getState().taskId !== null,
    run: () => openPalette({ page: 'name' }),
  },
  {
    id: 'changes.completion',
    name: 'View Changes',
    words: 'new diff compare',
    isThere: () => completion() !== null,
    run: () => {
      const at = completion();
      if (at !== null) showComparison({ kind: 'completion', at });
    },
  },
  {
    id: 'changes.last',
    name: 'Compare with Last Checkpoint',
    words: 'diff changes since',
    isThere: () => withFiles().length > 0,
    run: () => {
      const last = withFiles().at(-1);
      if (last !== undefined) showComparison({ kind: 'since', from: last.checkpointId });
    },
  },
  {
    id: 'changes.two',
    name: 'Compare Two Checkpoints…',
    words: 'diff between',
    isThere: () => withFiles().length > 1,
    run: () => openPalette({ page: 'compare' }),
  },
  {
    id: 'changes.close',
    name: 'Close Changes',
    isThere: () => useUi.getState().right !== null,
    run: closeRight,
  },
  {
    id: 'left.files',
    name: 'Show Files',
    words: 'tree',
    isThere: always,
    run: () => useUi.setState({ leftTab: 'files' }),
  },
  {
    id: 'left.tasks',
    name: 'Show Tasks',
    words: 'history',
    isThere: always,
    run: () => useUi.setState({ leftTab: 'tasks' }),
  },
  {
    id: 'checkpoints.retry',
    name: 'Retry Checkpoints',
    isThere: () => checkpoints()?.state === 'failed',
    run: () => void retryCheckpoints(),
  },
  {
    id: 'checkpoints.disable',
    name: 'Disable Checkpoints',
    isThere: on,
    run: () => void disableCheckpoints(),
  },
  {
    id: 'checkpoints.enable',
    name: 'Enable Checkpoints',
    isThere: () => {
      const state = checkpoints();
      return state?.state === 'off' && state.why === 'workspace';
    },
    run: () => void enableCheckpoints(),
  },
  { id: 'settings.open', name: 'Settings', key: ',', isThere: always, run: () => openSettings() },
  {
    id: 'settings.models',
    name: 'Choose a Model…',
    words: 'provider key',
    isThere: always,
    run: () => openSettings('models'),
  },
  theme('system'),
  theme('light'),
  theme('dark'),
];

/** Does the action with this id, if there is one. */
export const runAction = (id: string): void => ACTIONS.find((a) => a.id === id)?.run();
