// Joins the features to one window: header, three panes, status bar, and what lies above them.
import { Plus } from 'lucide-react';
import { Tabs } from 'radix-ui';
import { useEffect } from 'react';
import styles from './app.module.css';
import { IconButton } from './components/button';
import { Splitter } from './components/splitter';
import { useThemeOnPage } from './components/theme';
import { Toaster } from './components/toaster';
import { BackgroundStrip } from './features/background/background-strip';
import { Chat } from './features/chat/chat';
import { Composer } from './features/composer/composer';
import { ChangesPane } from './features/diff/changes-pane';
import { FilePreview } from './features/files/file-preview';
import { FileTree } from './features/files/file-tree';
import { HeaderBar } from './features/frame/header-bar';
import { CheckpointNotice, OldElectronBanner } from './features/frame/notices';
import { StatusBar } from './features/frame/status-bar';
import { TaskList } from './features/history/task-list';
import { DropZone } from './features/onboarding/drop-zone';
import { TrustQuestion } from './features/onboarding/trust-question';
import { Welcome } from './features/onboarding/welcome';
import { Palette } from './features/palette/palette';
import { LinesDialog } from './features/restore/lines-dialog';
import { RestoreDialog } from './features/restore/restore-dialog';
import { RestoreMenu } from './features/restore/restore-menu';
import { SettingsDialog } from './features/settings/settings-dialog';
import { LEFT, mostRight, RIGHT, usePanes } from './panes';
import { ACTIONS, newTask } from './store/actions';
import { useTask } from './store/task';
import { useUi } from './store/ui';
import { useWorkspace } from './store/workspace';

export function App() {
  useThemeOnPage();
  useShortcuts();
  const info = useWorkspace((s) => s.info);
  const withoutFolder = useUi((s) => s.withoutFolder);
  const hasTask = useTask((s) => s.taskId !== null);
  const welcome = info?.path === null && !withoutFolder && !hasTask;
  return (
    <div className={styles.window}>
      <OldElectronBanner />
      {info === null ? (
        <div className={styles.rest} />
      ) : welcome ? (
        <div className={styles.rest}>
          <Welcome />
          <Toaster />
        </div>
      ) : (
        <Workbench />
      )}
      <TrustQuestion />
      <RestoreDialog />
      <LinesDialog />
      <Palette />
      <SettingsDialog />
      <DropZone />
    </div>
  );
}

function Workbench() {
  const right = useUi((s) => s.right);
  const { widths, total, set, firstRight } = usePanes(right !== null);
  return (
    <>
      <HeaderBar />
      <CheckpointNotice />
      <main className={styles.panes}>
        <aside className={styles.left} style={{ width: widths.left }} aria-label="Files and tasks">
          <LeftPane />
        </aside>
        <Splitter
          label="Width of files and tasks"
          value={widths.left}
          min={LEFT.min}
          max={LEFT.max}
          direction={1}
          onChange={(left) => set({ left })}
          onReset={() => set({ left: LEFT.first })}
        />
        <section className={styles.chat} aria-label="Task">
          <Chat restore={(marker) => <RestoreMenu {...marker} />} />
          <Toaster />
          <BackgroundStrip />
          <Composer />
        </section>
        {right === null ? null : (
          <>
            <Splitter
              label="Width of changes"
              value={widths.right}
              min={RIGHT.min}
              max={mostRight(total, widths.left)}
              direction={-1}
              onChange={(next) => set({ right: next })}
              onReset={() => set({ right: firstRight })}
            />
            <aside className={styles.right} style={{ width: widths.right }} aria-label="Changes and files">
              {right.kind === 'changes' ? <ChangesPane /> : <FilePreview file={right.file} />}
            </aside>
          </>
        )}
      </main>
      <StatusBar />
    </>
  );
}

function LeftPane() {
  const tab = useUi((s) => s.leftTab);
  return (
    <Tabs.Root
      value={tab}
      className={styles.tabs}
      onValueChange={(next) => useUi.setState({ leftTab: next === 'tasks' ? 'tasks' : 'files' })}
    >
      <div className={styles.tabBar}>
        <Tabs.List className={styles.tabList} aria-label="Files or tasks">
          <Tabs.Trigger value="files" className={styles.tab}>
            Files
          </Tabs.Trigger>
          <Tabs.Trigger value="tasks" className={styles.tab}>
            Tasks
          </Tabs.Trigger>
        </Tabs.List>
        <IconButton label="New task" onClick={newTask}>
          <Plus size={15} />
        </IconButton>
      </div>
      <Tabs.Content value="files" className={styles.tabContent} tabIndex={-1}>
        <FileTree />
      </Tabs.Content>
      <Tabs.Content value="tasks" className={styles.tabContent} tabIndex={-1}>
        <TaskList />
      </Tabs.Content>
    </Tabs.Root>
  );
}

function useShortcuts(): void {
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      if (!(e.metaKey || e.ctrlKey) || e.altKey || e.shiftKey) return;
      const key = e.key.toUpperCase();
      const action = ACTIONS.find((a) => a.key === key);
      if (action?.isThere() === true) action.run();
      else return;
      e.preventDefault();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}
