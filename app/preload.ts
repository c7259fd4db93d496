// The bridge in the window's world: two functions and a path look-up, nothing else of Electron.
import { contextBridge, ipcRenderer, webUtils } from 'electron';
import { INVOKE_CHANNEL, PUSH_CHANNEL } from '../shared/channels';

contextBridge.exposeInMainWorld('tidemark', {
  invoke: (method: string, input: unknown): Promise<unknown> =>
    ipcRenderer.invoke(INVOKE_CHANNEL, method, input),
  onPush: (listener: (push: unknown) => void): (() => void) => {
    const receive = (_event: unknown, push: unknown): void => listener(push);
    ipcRenderer.on(PUSH_CHANNEL, receive);
    return () => ipcRenderer.removeListener(PUSH_CHANNEL, receive);
  },
  // Electron before 29 has no webUtils; there a dropped file carries its path itself.
  pathOf: (file: unknown): string =>
    webUtils?.getPathForFile(file as File) ?? (file as { path?: string }).path ?? '',
});
