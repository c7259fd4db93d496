// One window: how it is made and what its page may not do.
// Owns: web preferences, size, navigation and permission rules. Does not own: what is shown.
import path from 'node:path';
import { BrowserWindow, nativeTheme, screen, session, shell } from 'electron';
import { APP_ORIGIN } from './protocol';
import type { Bounds } from './recents';

export type WindowOptions = {
  readonly preload: string;
  readonly bounds: Bounds | null;
  readonly zoom: number;
  readonly icon: string;
};

/** Links leave the app only through the system's browser, and only these. */
const OPENABLE = new Set(['https:', 'http:', 'mailto:']);

export function createWindow(o: WindowOptions): BrowserWindow {
  const window = new BrowserWindow({
    ...(o.bounds !== null && isOnScreen(o.bounds) ? o.bounds : { width: 1440, height: 900 }),
    minWidth: 760,
    minHeight: 480,
    show: false,
    title: 'Tidemark',
    icon: o.icon,
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#0f1417' : '#f5f7f8',
    webPreferences: {
      preload: path.resolve(o.preload),
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: true,
      zoomFactor: o.zoom,
    },
  });
  window.webContents.setWindowOpenHandler(({ url }) => {
    openOutside(url);
    return { action: 'deny' };
  });
  window.webContents.on('will-navigate', (event, url) => {
    if (url.startsWith(`${APP_ORIGIN}/`)) return;
    event.preventDefault();
    openOutside(url);
  });
  window.webContents.on('will-attach-webview', (event) => event.preventDefault());
  return window;
}

/** Camera, position, notifications by the page and the like: none. Call once, after the app is ready. */
export function denyPermissions(): void {
  session.defaultSession.setPermissionRequestHandler((_contents, permission, answer) =>
    answer(permission === 'clipboard-sanitized-write'),
  );
  session.defaultSession.setPermissionCheckHandler(
    (_contents, permission) => permission === 'clipboard-sanitized-write',
  );
}

function openOutside(url: string): void {
  try {
    if (OPENABLE.has(new URL(url).protocol)) void shell.openExternal(url);
  } catch {
    // not a URL: there is nothing to open
  }
}

/** A screen may have gone since the window was last open. */
function isOnScreen(b: Bounds): boolean {
  return screen
    .getAllDisplays()
    .some(
      ({ workArea: a }) =>
        b.x < a.x + a.width - 80 && b.x + b.width > a.x + 80 && b.y >= a.y - 20 && b.y < a.y + a.height - 80,
    );
}
