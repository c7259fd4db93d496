import { describe, expect, it } from 'vitest';
import type { Fact } from '../../../shared/events';
import { foldAll } from '../../../shared/fold';
import { cp, run, Script, snap, TASK } from '../../dev/story';
import { feedItems, type MarkerItem, waitingOf } from './items';
import { markerCounts, markerWords } from './marker-words';

const start = () => {
  const s = new Script(TASK, new Date('2024-05-01T12:00:00Z'));
  s.add({ type: 'task.created', title: 't', workspace: '/w' });
  return s;
};
const itemsOf = (s: Script) => feedItems(foldAll(s.events));
const kinds = (s: Script) => itemsOf(s).map((i) => i.kind);
const markers = (s: Script) => itemsOf(s).filter((i): i is MarkerItem => i.kind === 'marker');
const words = (s: Script) => markers(s).map((m) => markerWords(m, null));

describe('the tide line', () => {
  it('shows the initial checkpoint above the message and the turn below it', () => {
    const s = start();
    s.prompt(run(1), 'go');
    s.checkpoint({ checkpointId: cp(1), kind: 'initial', runId: run(1), line: [] });
    s.answer(run(1), 1, 'done');
    s.checkpoint({ checkpointId: cp(2), kind: 'turn', runId: run(1), snapshotId: snap(2), files: 2 });
    expect(kinds(s)).toEqual(['marker', 'prompt', 'answer', 'marker']);
    expect(words(s)).toEqual(['Initial checkpoint', 'Checkpoint']);
  });

  it('shows neighbours with one snapshot as one that acts as the later and keeps name and counts', () => {
    const s = start();
    s.prompt(run(1), 'go');
    s.checkpoint({
      checkpointId: cp(1),
      kind: 'turn',
      runId: run(1),
      files: 3,
      added: 5,
      removed: 1,
      own: 'task',
    });
    s.checkpoint({ checkpointId: cp(2), kind: 'manual', name: 'before the move', runId: run(1) });
    s.checkpoint({ checkpointId: cp(3), kind: 'completion', runId: run(1) });
    const [marker, ...rest] = markers(s);
    expect(rest).toEqual([]);
    expect(marker?.row.checkpointId).toBe(cp(3));
    expect(marker?.key).toBe(cp(1));
    expect(words(s)).toEqual(['before the move']);
    expect(marker === undefined ? null : markerCounts(marker)).toEqual({ files: 3, added: 5, removed: 1 });
  });

  it('keeps neighbours apart when a message is between, or the snapshots differ', () => {
    const s = start();
    s.prompt(run(1), 'go');
    s.checkpoint({ checkpointId: cp(1), kind: 'turn', runId: run(1) });
    s.answer(run(1), 2, 'more');
    s.checkpoint({ checkpointId: cp(2), kind: 'turn', runId: run(1) });
    s.checkpoint({ checkpointId: cp(3), kind: 'turn', runId: run(1), snapshotId: snap(7) });
    expect(markers(s)).toHaveLength(3);
  });

  it('gives edits by hand a row of their own, and their marker no counts', () => {
    const s = start();
    s.prompt(run(1), 'go');
    s.add({ type: 'run.ended', runId: run(1), outcome: 'completed', error: null });
    const { line } = s;
    s.prompt(run(2), 'again');
    s.checkpoint({
      checkpointId: cp(2),
      kind: 'run',
      runId: run(2),
      line,
      files: 2,
      added: 3,
      removed: 0,
      own: 'user',
    });
    expect(kinds(s)).toEqual(['prompt', 'hand-edits', 'marker', 'prompt']);
    expect(markers(s).map(markerCounts)).toEqual([null]);
  });

  it('says what failed, what was restored to, and what takes a restore back', () => {
    const s = start();
    s.prompt(run(1), 'go');
    s.checkpoint({ checkpointId: cp(1), kind: 'turn', runId: run(1) });
    s.add({
      type: 'checkpoint.failed',
      checkpointId: cp(2),
      kind: 'turn',
      runId: run(1),
      error: { code: 'disk-full', message: 'Full.' },
    });
    s.add({ type: 'run.ended', runId: run(1), outcome: 'completed', error: null });
    s.checkpoint({ checkpointId: cp(3), kind: 'redo' });
    s.add(restore(s));
    expect(markers(s).map((m) => markerWords(m, cp(1)))).toEqual([
      'Checkpoint (restored)',
      'Checkpoint failed',
      'Redo point',
    ]);
  });
});

const restore = (s: Script): Fact => ({
  type: 'restore.completed',
  to: cp(1),
  redo: cp(3),
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
});

describe('completion', () => {
  it('knows the checkpoint that View Changes compares with, if there is one', () => {
    const s = start();
    s.prompt(run(1), 'go');
    s.answer(run(1), 1, '', [{ callId: 'a', tool: 'complete_task', input: {} }]);
    s.tool(run(1), 'a', { kind: 'completion', result: 'Done' });
    expect(itemsOf(s).at(-1)).toMatchObject({ kind: 'completion', checkpointId: null });
    s.checkpoint({ checkpointId: cp(5), kind: 'completion', runId: run(1), snapshotId: snap(2) });
    expect(itemsOf(s).find((i) => i.kind === 'completion')).toMatchObject({ checkpointId: cp(5) });
  });

  it('has nothing to view when the files are as they were at the start or at the one before', () => {
    const s = start();
    s.prompt(run(1), 'go');
    s.checkpoint({ checkpointId: cp(1), kind: 'initial', runId: run(1), line: [], snapshotId: snap(1) });
    s.answer(run(1), 1, '', [{ callId: 'a', tool: 'complete_task', input: {} }]);
    s.tool(run(1), 'a', { kind: 'completion', result: 'Done' });
    s.checkpoint({ checkpointId: cp(5), kind: 'completion', runId: run(1), snapshotId: snap(1) });
    expect(itemsOf(s).find((i) => i.kind === 'completion')).toMatchObject({ checkpointId: null });
  });
});

describe('the waiting line', () => {
  it('is there only while a run goes on and nothing else shows it', () => {
    const s = start();
    expect(waitingOf(foldAll(s.events))).toBeNull();
    s.prompt(run(1), 'go');
    expect(waitingOf(foldAll(s.events))).toEqual({ words: 'Thinking…', taskId: null });
    s.answer(run(1), 1, '', [{ callId: 'a', tool: 'run_command', input: {} }]);
    s.add({ type: 'tool.started', runId: run(1), callId: 'a' });
    expect(waitingOf(foldAll(s.events))).toBeNull();
    s.add({ type: 'run.ended', runId: run(1), outcome: 'stopped', error: null });
    expect(waitingOf(foldAll(s.events))).toBeNull();
  });

  it('ends with a run whose last row is a checkpoint', () => {
    const s = start();
    s.prompt(run(1), 'go');
    s.add({ type: 'run.ended', runId: run(1), outcome: 'completed', error: null });
    s.checkpoint({ checkpointId: cp(1), kind: 'turn', runId: run(1) });
    expect(waitingOf(foldAll(s.events))).toBeNull();
  });
});
