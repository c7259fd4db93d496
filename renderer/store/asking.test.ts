import { beforeEach, expect, it } from 'vitest';
import type { ApprovalRequest } from '../../shared/domain';
import { foldAll } from '../../shared/fold';
import { run, Script, TASK } from '../dev/story';
import { isAsking, takeAsking, useAsking } from './asking';

const request: ApprovalRequest = {
  callId: 'a',
  tool: 'delete_file',
  category: 'edit',
  title: 'Delete a.txt',
  detail: '',
  detailKind: 'text',
  flag: null,
  always: null,
  irreversible: false,
};
const asked = () => {
  const s = new Script(TASK, new Date('2024-05-01T12:00:00Z'));
  s.add({ type: 'task.created', title: 't', workspace: '/w' });
  s.prompt(run(1), 'go');
  s.answer(run(1), 1, '', [{ callId: 'a', tool: 'delete_file', input: {} }]);
  s.add({ type: 'approval.asked', runId: run(1), request });
  return s;
};
const follow = (s: Script): boolean => {
  for (const e of s.events) takeAsking(e);
  return useAsking.getState().calls[TASK] !== undefined;
};
beforeEach(() => useAsking.setState({ calls: {} }));

it('a task that asks waits for an answer until it has one', () => {
  const s = asked();
  expect([follow(s), isAsking(foldAll(s.events))]).toEqual([true, true]);
  s.add({ type: 'approval.given', runId: run(1), callId: 'a', decision: 'approve', reason: null });
  useAsking.setState({ calls: {} });
  expect([follow(s), isAsking(foldAll(s.events))]).toEqual([false, false]);
});

it('a run that was stopped asks no more', () => {
  const s = asked();
  s.add({ type: 'run.ended', runId: run(1), outcome: 'stopped', error: null });
  expect([follow(s), isAsking(foldAll(s.events))]).toEqual([false, false]);
});
