// The one way from a window into the main process: sender check, parse, handler, parse, Result.
// Owns: turning whatever is thrown into ErrorInfo (one of the three edges). Does not own: what methods do.
// Invariant: always resolves with a Result; a call from anything but a window's own main frame gets nothing done.
import { type IpcMainInvokeEvent, ipcMain, type WebContents } from 'electron';
import log from 'electron-log/main';
import { z } from 'zod';
import { INVOKE_CHANNEL } from '../../shared/channels';
import { type ErrorInfo, isAbort, type Result, toErrorInfo } from '../../shared/errors';
import { type Handlers, METHODS, type Method } from '../../shared/ipc';
import { APP_ORIGIN } from '../window/protocol';

/** @param handlersFor the handlers of the window that asks; null when it is none of ours */
export function serveIpc(handlersFor: (sender: WebContents) => Handlers | null): void {
  ipcMain.handle(INVOKE_CHANNEL, async (event, method: unknown, input: unknown): Promise<Result<unknown>> => {
    const handlers = isOwnFrame(event) ? handlersFor(event.sender) : null;
    if (handlers === null) return refuse('usage', 'This call does not come from a Tidemark window.');
    if (typeof method !== 'string' || !Object.hasOwn(METHODS, method)) {
      return refuse('usage', `There is no method ${String(method)}.`);
    }
    return answer(handlers, method as Method, input);
  });
}

async function answer(handlers: Handlers, method: Method, input: unknown): Promise<Result<unknown>> {
  const parsed = METHODS[method].input.safeParse(input);
  if (!parsed.success) return refuse('usage', `${method}: ${z.prettifyError(parsed.error)}`);
  try {
    const handler = handlers[method] as (value: unknown) => Promise<unknown>;
    return { ok: true, value: METHODS[method].output.parse(await handler(parsed.data)) };
  } catch (error) {
    if (!isAbort(error)) log.warn(`${method} failed`, error);
    return { ok: false, error: toErrorInfo(error) };
  }
}

const refuse = (code: ErrorInfo['code'], message: string): Result<never> => ({
  ok: false,
  error: { code, message },
});

/** Only the main frame of a window that shows our own page may call. senderFrame is null when the frame is gone. */
function isOwnFrame(event: IpcMainInvokeEvent): boolean {
  const frame = event.senderFrame;
  if (frame === null || frame !== event.sender.mainFrame) return false;
  return frame.url.startsWith(`${APP_ORIGIN}/`);
}
