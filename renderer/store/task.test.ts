import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { TaskEvent } from '../../shared/events';
import type { Bridge } from '../../shared/ipc';
import { run, Script, TASK } from '../dev/story';
import { flushItems, selectTask, takeItem, useTask } from './task';

let log: TaskEvent[] = [];
let reads = 0;
const bridge = {
  invoke: async (method: string) => {
    if (method !== 'task.events') throw new Error(method);
    reads += 1;
    return { ok: true, value: { events: [...log] } };
  },
  onPush: () => () => undefined,
  pathOf: () => '',
} as unknown as Bridge;

const settled = () => new Promise((resolve) => setTimeout(resolve, 30));
const script = () => {
  const s = new Script(TASK, new Date('2024-05-01T12:00:00Z'));
  s.add({ type: 'task.created', title: 'one', workspace: '/w' });
  s.prompt(run(1), 'go');
  s.answer(run(1), 1, 'first');
  s.answer(run(1), 2, 'second');
  return s;
};
const texts = () => useTask.getState().view.rows.flatMap((r) => (r.type === 'answer' ? [r.text] : []));

beforeEach(() => {
  vi.stubGlobal('window', { tidemark: bridge });
  reads = 0;
  selectTask(null);
});

describe('the task on screen', () => {
  it('is read, then follows what is pushed', async () => {
    const s = script();
    log = s.events.slice(0, 3);
    selectTask(TASK);
    await settled();
    const [, , , last] = s.events;
    if (last !== undefined) takeItem(last);
    await settled();
    expect(texts()).toEqual(['first', 'second']);
    expect(reads).toBe(1);
  });

  it('loses nothing that is pushed while it is being read, and applies it once', async () => {
    const s = script();
    log = s.events.slice(0, 3);
    selectTask(TASK);
    for (const e of s.events) takeItem(e);
    flushItems();
    await settled();
    expect(texts()).toEqual(['first', 'second']);
  });

  it('reads the log again when a fact is missing', async () => {
    const s = script();
    log = s.events.slice(0, 2);
    selectTask(TASK);
    await settled();
    log = s.events;
    const last = s.events.at(-1);
    if (last !== undefined) takeItem(last);
    await settled();
    expect(reads).toBe(2);
    expect(texts()).toEqual(['first', 'second']);
  });

  it('does not ask for ever when the log itself has a hole', async () => {
    const s = script();
    log = s.events.slice(0, 2);
    selectTask(TASK);
    await settled();
    const last = s.events.at(-1);
    if (last !== undefined) takeItem(last);
    await settled();
    await settled();
    expect(reads).toBe(2);
  });

  it('shows nothing of another task', async () => {
    const s = script();
    log = [];
    selectTask(null);
    for (const e of s.events) takeItem(e);
    await settled();
    expect(texts()).toEqual([]);
  });

  it('drops fragments when their fact comes', async () => {
    const s = script();
    log = s.events.slice(0, 2);
    selectTask(TASK);
    await settled();
    takeItem({ type: 'delta.text', taskId: TASK, runId: run(1), turn: 1, text: 'fir' });
    await settled();
    expect(texts()).toEqual(['fir']);
    for (const e of s.events.slice(2)) takeItem(e);
    await settled();
    expect(texts()).toEqual(['first', 'second']);
  });
});
