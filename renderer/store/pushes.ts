// From what the main process pushes to the stores: the one place that listens.
import { type Push, subscribe } from '../bridge';
import { runAction } from './actions';
import { takeAsking } from './asking';
import { forgetChanges, leaveClearedChanges, refreshChanges, useChanges } from './changes';
import { openFollower } from './follower';
import { takeProgress } from './restore';
import { checkDisk, followRestores } from './restored';
import { loadModel, takeSettings } from './settings';
import { selectTask, takeItem, takeUnprotected, useTask } from './task';
import { showToast } from './toast';
import { refreshFolders, resetTree } from './tree';
import { closeRight } from './ui';
import { loadBadges, loadTasks, rememberTask, takeWorkspace, useWorkspace } from './workspace';

/** What depends on the disk is asked for again once it has been quiet for a moment. */
const diskFollower = openFollower(async () => {
  await Promise.all([
    loadBadges(useTask.getState().taskId),
    checkDisk(),
    useChanges.getState().comparison === null ? null : refreshChanges(),
  ]);
});
const diskChanged = diskFollower.changed;

function take(push: Push): void {
  switch (push.push) {
    case 'event':
      takeItem(push.event);
      takeAsking(push.event);
      if (push.event.type === 'checkpoint.created' || push.event.type === 'restore.completed') diskChanged();
      return;
    case 'delta':
      takeItem(push.delta);
      return;
    case 'workspace-changed':
      refreshFolders(push.folders);
      diskChanged();
      return;
    case 'workspace':
      takeWorkspace(push.info);
      return;
    case 'tasks-changed':
      void loadTasks();
      return;
    case 'settings':
      takeSettings(push.settings);
      return;
    case 'unprotected':
      takeUnprotected(push.taskId, push.error as Parameters<typeof takeUnprotected>[1]);
      return;
    case 'command':
      runAction(push.command);
      return;
    case 'restore-progress':
      takeProgress(push.taskId, push);
      return;
    case 'notice':
      showToast({ text: push.text, ms: 15_000 });
  }
}

/** Starts listening, and ties the stores that follow one another. @returns a function that ends it */
export function connectStores(): () => void {
  const ends = [
    subscribe(take),
    useTask.subscribe((now, before) => {
      if (now.taskId !== before.taskId) {
        forgetChanges();
        void loadBadges(now.taskId);
        rememberTask(now.taskId);
        void loadModel();
      }
      if (now.view.restores.length > before.view.restores.length) leaveClearedChanges(now.view);
      if (now.view !== before.view) followRestores(now.view, before.view.taskId === now.view.taskId);
    }),
    useWorkspace.subscribe((now, before) => {
      if (now.info === null || now.info.key === before.info?.key) return;
      if (before.info !== null) {
        selectTask(null);
        closeRight();
      }
      resetTree();
      void loadBadges(useTask.getState().taskId);
    }),
  ];
  return () => {
    for (const end of ends) end();
    diskFollower.stop();
  };
}
