import { beforeEach, expect, it, vi } from 'vitest';
import type { Change } from '../../shared/domain';
import type { Fact } from '../../shared/events';
import { foldAll } from '../../shared/fold';
import type { Bridge } from '../../shared/ipc';
import { cp, run, Script, snap, TASK } from '../dev/story';
import { checkDisk, followRestores, restoreInForce, useRestored } from './restored';
import { useTask } from './task';

let changes: Partial<Change>[] = [];
const bridge = { invoke: async () => ({ ok: true, value: { changes } }) } as unknown as Bridge;
const restoredTo = () => useRestored.getState().checkpointId;

function script(part: Partial<Extract<Fact, { type: 'restore.completed' }>> = {}): Script {
  const s = new Script(TASK, new Date('2024-05-01T12:00:00Z'));
  s.add({ type: 'task.created', title: 't', workspace: '/w' });
  s.prompt(run(1), 'go');
  s.checkpoint({ checkpointId: cp(1), kind: 'turn', runId: run(1) });
  s.add({ type: 'run.ended', runId: run(1), outcome: 'completed', error: null });
  s.checkpoint({ checkpointId: cp(2), kind: 'redo', snapshotId: snap(2) });
  s.add({
    type: 'restore.completed',
    to: cp(1),
    redo: cp(2),
    scope: 'files',
    whole: false,
    only: null,
    taskRestored: false,
    filesRestored: true,
    line: s.line,
    snapshotId: snap(1),
    files: [],
    conflicts: [],
    notCovered: [],
    prompt: null,
    filesError: null,
    ...part,
  });
  return s;
}

beforeEach(() => {
  vi.stubGlobal('window', { tidemark: bridge });
  useTask.setState({ taskId: TASK });
  followRestores(foldAll([]), true);
  changes = [];
});

it('holds from the restore until something on disk differs, and again when that is gone', async () => {
  changes = [{ kind: 'modified', path: 'left-alone.ts', added: 1, removed: 0 }];
  followRestores(foldAll(script().events), true);
  expect(restoredTo()).toBe(cp(1));
  await checkDisk();
  expect(restoredTo()).toBe(cp(1));
  changes = [...changes, { kind: 'added', path: 'new.ts', added: 1, removed: 0 }];
  await checkDisk();
  expect(restoredTo()).toBeNull();
  changes = changes.slice(0, 1);
  await checkDisk();
  expect(restoredTo()).toBe(cp(1));
});

it('is found again when the task is opened later and the files are equal', async () => {
  followRestores(foldAll(script().events), false);
  expect(restoredTo()).toBeNull();
  await checkDisk();
  expect(restoredTo()).toBe(cp(1));
});

it('ends with the next checkpoint', () => {
  const s = script();
  followRestores(foldAll(s.events), true);
  s.checkpoint({ checkpointId: cp(3), kind: 'manual' });
  followRestores(foldAll(s.events), true);
  expect(restoredTo()).toBeNull();
});

it('is not said of a restore of the task alone, or of single files', () => {
  expect(restoreInForce(foldAll(script({ filesRestored: false }).events))).toBeNull();
  expect(restoreInForce(foldAll(script({ only: [{ path: 'a' }] }).events))).toBeNull();
  expect(restoreInForce(foldAll(script().events))?.to).toBe(cp(1));
});
