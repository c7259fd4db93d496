import { describe, expect, it } from 'vitest';
import type { RestorePreview } from '../../../shared/domain';
import { cp, snap } from '../../dev/story';
import { backWords } from '../../store/restore-words';
import { fileWords, handEditWords, planText, planTitle } from './plan-words';
import { restoreEntries } from './restore-entries';

const preview = (prompt: string | null): RestorePreview => ({
  target: cp(1),
  scope: 'all',
  whole: false,
  fingerprint: 'f',
  files: [],
  conflicts: [],
  notCovered: [],
  handEdits: [],
  prompt,
  clears: 1,
});
const row = (part: { snapshotId?: null; kind?: 'compaction' } = {}) =>
  ({ snapshotId: snap(1), kind: 'turn', ...part }) as const;

describe('the restore menu', () => {
  it('has the labels of the specification, in order', () => {
    expect(restoreEntries(row(), false).map((e) => [e.name, e.scope, e.whole])).toEqual([
      ['Restore Files & Task', 'all', false],
      ['Restore Files Only', 'files', false],
      ['Restore Task Only', 'task', false],
      ['Restore whole workspace…', 'files', true],
    ]);
  });
  it('offers the task alone where there are no files to go back to', () => {
    for (const r of [row({ snapshotId: null }), row({ kind: 'compaction' })])
      expect(restoreEntries(r, false).map((e) => e.name)).toEqual(['Restore Task Only']);
  });
  it('disables only Restore Files Only while the files equal the checkpoint', () => {
    const disabled = restoreEntries(row(), true).filter((e) => e.disabled);
    expect(disabled.map((e) => e.name)).toEqual(['Restore Files Only']);
  });
});

describe('the dialog', () => {
  it.each([
    ['all', false, 'Restore files & task to 14:03?'],
    ['files', false, 'Restore files to 14:03?'],
    ['task', false, 'Restore task to 14:03?'],
    ['files', true, 'Restore whole workspace to 14:03?'],
  ] as const)('is titled for %s, whole %s', (scope, whole, title) => {
    expect(planTitle({ scope, whole, label: '14:03' })).toBe(title);
  });
  it('promises a prompt only when there is one', () => {
    const all = { scope: 'all', whole: false } as const;
    expect(planText(all, preview('do it'))).toContain('Your next prompt will be filled with');
    expect(planText(all, preview(null))).not.toContain('prompt');
    expect(planText(all, null)).not.toContain('prompt');
  });
  it.each([
    ['revert', 'M', 'reverted'],
    ['bring-back', 'A', 'brought back'],
    ['remove', 'D', 'added since, removed'],
    ['merge', 'M', 'reverted, your edits kept'],
    ['mode', 'M', 'permissions reverted'],
  ] as const)('says what happens to a file: %s', (action, letter, words) => {
    expect(fileWords({ action, by: 'task' })).toEqual({ letter, words });
  });
  it('names files that are not the task’s own', () => {
    expect(fileWords({ action: 'revert', by: 'other' }).words).toBe('reverted · not changed by this task');
  });
  it('names one edited file and counts more', () => {
    expect(handEditWords([{ path: 'a.ts' }])).toContain('You edited a.ts by hand.');
    expect(handEditWords([{ path: 'a.ts' }, { path: 'b.ts' }])).toContain('2 files');
  });
});

describe('taking a restore back through its mark', () => {
  const facts = {
    files: [{ path: 'a', action: 'revert', by: 'task' }],
    filesRestored: true,
    whole: false,
    only: null,
  } as const;
  it('says what it brings back, and clears nothing that it does not', () => {
    const back = backWords({ ...facts, taskRestored: true });
    expect(back).toBe('1 file and the task');
    expect(backWords({ ...facts, only: [{ path: 'a' }], taskRestored: false })).toBe('a');
    const request = { scope: 'all', whole: false, label: '14:03', back } as const;
    expect(planTitle(request)).toBe('Take back the restore of 14:03?');
    expect(planText(request, { ...preview(null), clears: 0 })).not.toMatch(/clears/i);
    expect(planText(request, { ...preview(null), clears: 2 })).toContain(
      'Clears the 2 messages written since.',
    );
  });
});
