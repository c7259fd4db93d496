// The desktop app's main process: one instance per <home>, its windows, and the runtime behind them.
// Owns: start, windows, end. Does not own: anything that works without Electron (runtime).
import os from 'node:os';
import path from 'node:path';
import { Mutex } from 'async-mutex';
import { app, type BrowserWindow, dialog, nativeTheme } from 'electron';
import log from 'electron-log/main';
import { toErrorInfo } from '../shared/errors';
import type { Handlers } from '../shared/ipc';
import type { WorkPlace } from '../shared/place-key';
import { makeHandlers } from './ipc/handlers';
import { openPusher } from './ipc/push';
import { openQuestions } from './ipc/questions';
import { serveIpc } from './ipc/server';
import { openWindowContext, type WindowContext } from './ipc/window-context';
import { homeFolder, pathsOf } from './paths';
import { type OpenFolder, openRuntime, type Runtime } from './runtime';
import { setMenu } from './window/menu';
import { APP_ORIGIN, registerScheme, serveApp } from './window/protocol';
import { openWindowMemory, type WindowMemory } from './window/recents';
import { safeCipher } from './window/safe-cipher';
import { createWindow, denyPermissions } from './window/window';

type OpenWindow = {
  readonly window: BrowserWindow;
  readonly context: WindowContext;
  readonly handlers: Handlers;
};

const env = { ...process.env };
const home = homeFolder(env);
const paths = pathsOf(home);
const oldElectron = process.argv.includes('--old-electron') || env.TIDEMARK_OLD_ELECTRON === '1';

app.setPath('userData', paths.app);
registerScheme();
log.transports.file.resolvePathFn = () => path.join(paths.logs, 'main.log');
log.transports.console.level = false;

if (!app.requestSingleInstanceLock({ folders: foldersOf(process.argv), cwd: process.cwd() })) {
  process.stdout.write('tidemark: opened in the running window\n');
  app.exit(0);
} else {
  app.whenReady().then(main).catch(die);
}

async function main(): Promise<void> {
  denyPermissions();
  serveApp(path.join(app.getAppPath(), 'dist', 'renderer'));
  const windows: OpenWindow[] = [];
  const memory = openWindowMemory(paths.app);
  const questions = openQuestions((taskId, error) => {
    for (const w of windows)
      w.context.pusher.send({
        push: 'unprotected',
        taskId,
        error,
      });
  });
  const runtime = await openRuntime({
    home,
    env,
    engineWorker: path.join(__dirname, 'engine-worker.cjs'),
    cipher: safeCipher(),
    host: {
      approve: questions.approve,
      ask: questions.ask,
      goOn: questions.goOn,
      onFailedCheckpoint: (error, _thrown, run) => questions.failed(error, run),
      onSettled: ({ outcome }) => {
        const text =
          outcome === 'finished'
            ? 'A restore that had been cut off was finished. It can be undone from its redo point.'
            : 'A restore that had been cut off was taken back: the files are as they were before it.';
        for (const w of windows) w.context.pusher.send({ push: 'notice', text });
      },
    },
    practiceByDefault: true,
  });
  nativeTheme.themeSource = runtime.settings.get().appearance.theme;
  runtime.settings.onChange((settings) => {
    nativeTheme.themeSource = settings.appearance.theme;
    for (const folder of runtime.folders()) folder.checkpoints.settingsChanged();
    for (const w of windows) w.context.pusher.send({ push: 'settings', settings });
  });
  serveIpc((sender) => windows.find((w) => w.window.webContents === sender)?.handlers ?? null);

  // One after the other: a folder that is asked for twice at once still gets one window.
  const oneAtATime = new Mutex();
  const open = (paths: readonly string[]): Promise<void> =>
    oneAtATime.runExclusive(() => openWindow(paths, { runtime, memory, windows, questions, menu }));
  function menu(): void {
    setMenu({
      command: (command) => focused(windows)?.context.pusher.send({ push: 'command', command }),
      openRecent: (paths) => void open(paths).catch(showProblem),
      recents: () => memory.recents().map((r) => r.paths),
      newWindow: () => void open([]).catch(showProblem),
    });
  }
  menu();

  app.on('second-instance', (_event, _argv, _cwd, data) => {
    const { folders } = data as { folders: string[] };
    if (folders.length === 0) focused(windows)?.window.show();
    else open(folders).catch(showProblem);
  });
  app.on('activate', () => {
    if (windows.length === 0) open([]).catch(showProblem);
  });
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });
  let closed = false;
  app.on('before-quit', (event) => {
    if (closed) return;
    event.preventDefault();
    // Runs are stopped and their last checkpoint is saved before the process goes.
    runtime
      .close()
      .catch((error: unknown) => log.error('closing failed', error))
      .finally(() => {
        closed = true;
        app.quit();
      });
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => app.quit());

  await open(foldersOf(process.argv));
}

type Opening = {
  readonly runtime: Runtime;
  readonly memory: WindowMemory;
  readonly windows: OpenWindow[];
  readonly questions: ReturnType<typeof openQuestions>;
  readonly menu: () => void;
};

/** Opens one window on all these folders, or shows the one that has them. What cannot be opened is said in the window. */
async function openWindow(paths: readonly string[], o: Opening): Promise<void> {
  const notices = [...o.runtime.settings.notices(), ...o.runtime.secrets.notices()];
  const folder = await o.runtime.openFolder(paths).catch((error: unknown) => {
    notices.push(sentence(error));
    return o.runtime.openFolder([]);
  });
  if (folder.path !== null && showWindow(o.windows.find((w) => w.context.folder() === folder))) return;
  const window = createWindow({
    preload: path.join(__dirname, 'preload.cjs'),
    bounds: o.memory.bounds(folder.path === null ? '' : folder.key),
    zoom: o.runtime.settings.get().appearance.zoom,
    icon: path.join(app.getAppPath(), 'resources', 'icon.png'),
  });
  const pusher = openPusher(window.webContents);
  const options = {
    runtime: o.runtime,
    pusher,
    shown: shortPath,
    isUsed: (f: OpenFolder) => o.windows.some((w) => w.window !== window && w.context.folder() === f),
    remember: (place: WorkPlace) => {
      o.memory.remember(place);
      o.menu();
    },
  };
  const context = openWindowContext(options, folder);
  const handlers = makeHandlers({
    context,
    window,
    questions: o.questions,
    memory: o.memory,
    notices,
    oldElectron,
    shown: shortPath,
    sample: path.join(app.getAppPath(), 'resources', 'sample'),
    showElsewhere: (wanted) =>
      showWindow(o.windows.find((w) => w.window !== window && w.context.folder() === wanted)),
  });
  const me: OpenWindow = { window, context, handlers };
  o.windows.push(me);
  window.on('focus', () => context.refresh());
  window.on('close', () => o.memory.setBounds(context.info().key, window.getNormalBounds()));
  window.on('closed', () => {
    o.windows.splice(o.windows.indexOf(me), 1);
    context.close().catch((error: unknown) => log.warn('closing a window failed', error));
  });
  window.once('ready-to-show', () => {
    window.show();
    process.stdout.write('tidemark: window ready\n');
  });
  await window.loadURL(`${APP_ORIGIN}/index.html`);
}

/** @returns false when there is no such window */
function showWindow(found: OpenWindow | undefined): boolean {
  found?.window.show();
  found?.window.focus();
  return found !== undefined;
}

/** Arguments that are folders: everything after the app itself that is no switch. */
function foldersOf(argv: readonly string[]): string[] {
  const own = argv.slice(app.isPackaged ? 1 : 2);
  const at = own.findIndex((a) => a === '.' || a === app.getAppPath());
  return own
    .slice(at + 1)
    .filter((a) => !a.startsWith('-'))
    .map((a) => path.resolve(a));
}

const focused = (windows: readonly OpenWindow[]): OpenWindow | undefined =>
  windows.find((w) => w.window.isFocused()) ?? windows[0];

function shortPath(full: string): string {
  const user = os.homedir();
  return full === user || full.startsWith(user + path.sep) ? `~${full.slice(user.length)}` : full;
}

function sentence(error: unknown): string {
  const info = toErrorInfo(error);
  return info.hint === undefined ? info.message : `${info.message} ${info.hint}`;
}

function showProblem(error: unknown): void {
  log.error(error);
  void dialog.showMessageBox({ type: 'error', message: sentence(error) });
}

function die(error: unknown): void {
  process.stderr.write(`tidemark: ${sentence(error)}\n`);
  app.exit(1);
}
