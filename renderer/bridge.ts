// The only way out of the window: typed calls to the main process, and what it pushes.
// Owns: making a Result of whatever goes wrong. Does not own: what an error looks like on screen (store/toast, features).
import type { Bridge, ErrorInfo, Input, Method, Output, Push, Result } from '../shared/ipc';

declare global {
  interface Window {
    readonly tidemark: Bridge;
  }
}

/** Never throws: a broken connection is an error like any other. */
export async function call<M extends Method>(method: M, input: Input<M>): Promise<Result<Output<M>>> {
  try {
    return await window.tidemark.invoke(method, input);
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return { ok: false, error: { code: 'failed', message } };
  }
}

/** @returns a function that ends the subscription */
export function subscribe(listener: (push: Push) => void): () => void {
  return window.tidemark.onPush(listener);
}

/** The absolute path of a dropped file or folder; empty when it has none. */
export function droppedPath(file: File): string {
  return window.tidemark.pathOf(file);
}

export type { ErrorInfo, Push, Result };
