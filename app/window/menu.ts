// The native menu. Items that concern the page are sent to it as commands.
import { app, Menu, type MenuItemConstructorOptions } from 'electron';

export type MenuActions = {
  /** a command for the focused window's page */
  readonly command: (name: string) => void;
  readonly openRecent: (paths: readonly string[]) => void;
  readonly recents: () => readonly (readonly string[])[];
  readonly newWindow: () => void;
};

/** Call again when the recent folders have changed. */
export function setMenu(a: MenuActions): void {
  const mac = process.platform === 'darwin';
  const recent: MenuItemConstructorOptions[] = a
    .recents()
    .map((paths) => ({ label: paths.join(', '), click: () => a.openRecent(paths) }));
  const template: MenuItemConstructorOptions[] = [
    ...(mac ? [{ role: 'appMenu' as const }] : []),
    {
      label: '&File',
      submenu: [
        { label: 'New Task', accelerator: 'CmdOrCtrl+N', click: () => a.command('task.new') },
        { label: 'New Window', accelerator: 'CmdOrCtrl+Shift+N', click: a.newWindow },
        { label: 'Open Folder…', accelerator: 'CmdOrCtrl+O', click: () => a.command('folder.open') },
        {
          label: 'Open Recent',
          submenu: recent.length > 0 ? recent : [{ label: 'Nothing yet', enabled: false }],
        },
        { type: 'separator' },
        { label: 'Settings', accelerator: 'CmdOrCtrl+,', click: () => a.command('settings.open') },
        { type: 'separator' },
        mac ? { role: 'close' } : { role: 'quit' },
      ],
    },
    { role: 'editMenu' },
    {
      label: '&View',
      submenu: [
        {
          label: 'Command Palette…',
          accelerator: 'CmdOrCtrl+K',
          click: () => a.command('palette.open'),
        },
        { type: 'separator' },
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { type: 'separator' },
        { role: 'togglefullscreen' },
        ...(app.isPackaged ? [] : [{ role: 'toggleDevTools' as const }]),
      ],
    },
    { role: 'windowMenu' },
  ];
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}
