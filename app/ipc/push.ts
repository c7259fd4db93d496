// What the main process tells a window without being asked.
// Owns: order and coalescing. Text fragments of one kind are joined for a frame; facts are never joined, dropped or
// overtaken: a fact first sends what fragments wait.
import type { WebContents } from 'electron';
import { PUSH_CHANNEL } from '../../shared/channels';
import type { Delta } from '../../shared/events';
import type { Push } from '../../shared/ipc';

/** About one frame: a window cannot show more than this. */
const FRAME_MS = 16;

export interface Pusher {
  send(push: Push): void;
  close(): void;
}

export function openPusher(target: Pick<WebContents, 'send' | 'isDestroyed'>): Pusher {
  let waiting: Delta[] = [];
  let timer: NodeJS.Timeout | null = null;

  const deliver = (push: Push): void => {
    if (!target.isDestroyed()) target.send(PUSH_CHANNEL, push);
  };
  function flush(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const deltas = waiting;
    waiting = [];
    for (const delta of deltas) deliver({ push: 'delta', delta });
  }

  return {
    send(push) {
      if (push.push !== 'delta') {
        flush();
        deliver(push);
        return;
      }
      const last = waiting.at(-1);
      const joined = last === undefined ? null : join(last, push.delta);
      if (joined === null) waiting.push(push.delta);
      else waiting[waiting.length - 1] = joined;
      timer ??= setTimeout(flush, FRAME_MS);
    },
    close() {
      if (timer !== null) clearTimeout(timer);
      waiting = [];
    },
  };
}

/** Two fragments as one, where they continue each other; null where they do not. */
export function join(a: Delta, b: Delta): Delta | null {
  if (a.taskId !== b.taskId || a.runId !== b.runId) return null;
  if ((a.type === 'delta.text' || a.type === 'delta.reasoning') && b.type === a.type && a.turn === b.turn) {
    return { ...a, text: a.text + b.text };
  }
  if (a.type === 'delta.background' && b.type === a.type && a.backgroundId === b.backgroundId) {
    return { ...a, text: a.text + b.text };
  }
  if (a.type === 'delta.output' && b.type === 'delta.output' && a.callId === b.callId) {
    return { ...a, text: a.text + b.text };
  }
  return null;
}
