import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { RestoreOutcome, RestorePreview } from '../../shared/domain';
import type { Bridge, ErrorInfo, Input } from '../../shared/ipc';
import { cp, TASK } from '../dev/story';
import { draftKey, setDraft, useDrafts } from './drafts';
import {
  applyRestore,
  beginRestore,
  cancelRestore,
  chooseForConflicts,
  type RestoreRequest,
  retryWithout,
  useRestore,
} from './restore';
import { useToasts } from './toast';

type Answer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: ErrorInfo };
const preview = (part: Partial<RestorePreview> = {}): RestorePreview => ({
  target: cp(1),
  scope: 'files',
  whole: false,
  fingerprint: 'f1',
  files: [{ path: 'a.ts', action: 'revert', by: 'task' }],
  conflicts: [],
  notCovered: [],
  handEdits: [],
  prompt: null,
  clears: 0,
  ...part,
});
const outcome = (part: Partial<RestoreOutcome> = {}): RestoreOutcome => ({
  redoId: cp(9),
  taskRestored: false,
  filesRestored: true,
  files: [{ path: 'a.ts', action: 'revert', by: 'task' }],
  conflicts: [],
  notCovered: [],
  prompt: null,
  filesError: null,
  ...part,
});
const stale: Answer<never> = { ok: false, error: { code: 'plan-stale', message: 'Files moved.' } };

let plans: Answer<RestorePreview>[] = [];
let applies: Answer<RestoreOutcome>[] = [];
let applied: Partial<Input<'restore.apply'>>[] = [];
let sent: Partial<Input<'task.prompt'>>[] = [];
const bridge = {
  invoke: async (method: string, input: never) => {
    if (method === 'restore.plan') return plans.length > 1 ? plans.shift() : plans[0];
    if (method === 'task.prompt') {
      sent.push(input);
      return { ok: true, value: { taskId: TASK, runId: 'r' } };
    }
    applied.push(input);
    return applies.length > 1 ? applies.shift() : applies[0];
  },
} as unknown as Bridge;

const request = (part: Partial<RestoreRequest> = {}): RestoreRequest => ({
  taskId: TASK,
  checkpointId: cp(1),
  scope: 'files',
  whole: false,
  label: '14:03',
  undo: false,
  ...part,
});
const settled = () => new Promise((resolve) => setTimeout(resolve, 5));
const flow = () => useRestore.getState().flow;
const begin = async (part: Partial<RestoreRequest> = {}) => {
  beginRestore(request(part));
  await settled();
};

beforeEach(() => {
  vi.stubGlobal('window', { tidemark: bridge });
  plans = [{ ok: true, value: preview() }];
  applies = [{ ok: true, value: outcome() }];
  applied = [];
  sent = [];
  useRestore.setState({ flow: null, queued: null });
  useToasts.setState({ toasts: [] });
});

describe('a restore', () => {
  it('of files alone needs no question', async () => {
    await begin();
    expect(applied).toHaveLength(1);
    expect(flow()).toBeNull();
    expect(useToasts.getState().toasts.at(-1)?.text).toBe('Restored 1 file to 14:03');
  });

  it.each([
    ['hand edits', { handEdits: [{ path: 'a.ts' }] }],
    ['conflicts', { conflicts: [{ path: 'a.ts', reason: 'r' }] }],
  ])('of files alone asks when %s are at stake', async (_name, part) => {
    plans = [{ ok: true, value: preview(part) }];
    await begin();
    expect(applied).toEqual([]);
    expect(flow()?.dialog).toBe(true);
  });

  it.each([{ scope: 'all' }, { scope: 'task' }, { whole: true }] as const)('asks first: %o', async (part) => {
    await begin(part);
    expect(applied).toEqual([]);
    expect(flow()).toMatchObject({ dialog: true, working: null });
    await applyRestore();
    expect(applied).toMatchObject([{ fingerprint: 'f1' }]);
    expect(flow()).toBeNull();
  });

  it('shows the new list when the confirmed one is stale', async () => {
    applies = [stale];
    await begin({ scope: 'all' });
    plans = [{ ok: true, value: preview({ fingerprint: 'f2' }) }];
    await applyRestore();
    expect(flow()).toMatchObject({ stale: true, working: null, preview: { fingerprint: 'f2' } });
  });

  it('carries the answer to conflicts and keeps them listed', async () => {
    plans = [{ ok: true, value: preview({ conflicts: [{ path: 'a.ts', reason: 'r' }] }) }];
    await begin();
    plans = [{ ok: true, value: preview({ fingerprint: 'f2' }) }];
    chooseForConflicts('mine');
    await settled();
    expect(flow()?.conflicts).toHaveLength(1);
    await applyRestore();
    expect(applied).toMatchObject([{ fingerprint: 'f2', conflicts: [{ path: 'a.ts', choice: 'mine' }] }]);
  });

  it('shows an error with its buttons usable again', async () => {
    applies = [{ ok: false, error: { code: 'restore-failed', message: 'No.' } }];
    await begin();
    expect(flow()).toMatchObject({ dialog: true, working: null, error: { message: 'No.' } });
    cancelRestore();
    expect(flow()).toBeNull();
  });

  it('asks for every conflict, takes one answer each or one for all, and the last one counts', async () => {
    const conflicts = [
      { path: 'a.ts', reason: 'r' },
      { path: 'b.ts', reason: 'r' },
    ];
    plans = [{ ok: true, value: preview({ conflicts }) }];
    await begin({ scope: 'all' });
    plans = [{ ok: true, value: preview({ conflicts: conflicts.slice(1), fingerprint: 'f2' }) }];
    chooseForConflicts('checkpoint', { path: 'a.ts' });
    await settled();
    expect(flow()).toMatchObject({ conflicts, answers: [{ path: 'a.ts', choice: 'checkpoint' }] });
    plans = [{ ok: true, value: preview({ fingerprint: 'f3' }) }];
    chooseForConflicts('mine');
    chooseForConflicts('checkpoint', { path: 'b.ts' });
    await settled();
    expect(flow()?.conflicts).toEqual(conflicts);
    await applyRestore();
    expect(applied[0]).toMatchObject({
      fingerprint: 'f3',
      conflicts: [
        { path: 'a.ts', choice: 'mine' },
        { path: 'b.ts', choice: 'checkpoint' },
      ],
    });
  });

  it('tries again without the files that could not be written, asking nothing new', async () => {
    const bytes = { path: 'b\uFFFD', pathBase64: 'Yv8=' };
    plans = [
      {
        ok: true,
        value: preview({
          files: [
            { path: 'a.ts', action: 'revert', by: 'task' },
            { ...bytes, action: 'revert', by: 'task' },
          ],
        }),
      },
    ];
    const filesError = { code: 'restore-failed', message: 'No.', paths: [bytes.path] } as const;
    applies = [{ ok: true, value: outcome({ taskRestored: true, filesRestored: false, filesError }) }];
    await begin({ scope: 'all' });
    await applyRestore();
    expect(flow()).toMatchObject({ partly: true, dialog: true });
    plans = [{ ok: true, value: preview({ fingerprint: 'f2' }) }];
    applies = [{ ok: true, value: outcome() }];
    retryWithout();
    await settled();
    expect(applied.at(-1)).toMatchObject({ scope: 'files', without: [bytes], fingerprint: 'f2' });
    expect(flow()).toBeNull();
  });

  it('sends the edited message in place of the one that it clears', async () => {
    plans = [{ ok: true, value: preview({ files: [], scope: 'task' }) }];
    applies = [
      { ok: true, value: outcome({ taskRestored: true, prompt: { text: 'old', attachments: [] } }) },
    ];
    await begin({ scope: 'task', edited: { text: 'new', mode: 'ask' } });
    expect(sent).toMatchObject([{ prompt: { text: 'new' }, mode: 'ask' }]);
    expect(useDrafts.getState().drafts[draftKey(TASK)]).not.toBe('old');
  });

  it('says nothing was to do rather than leaving a redo point', async () => {
    plans = [{ ok: true, value: preview({ files: [] }) }];
    await begin();
    expect(applied).toEqual([]);
    expect(flow()).toBeNull();
  });

  it('puts the prompt into the composer and the draft into the history; undo takes it out again', async () => {
    const key = draftKey(TASK);
    setDraft(key, 'a draft');
    applies = [
      { ok: true, value: outcome({ taskRestored: true, prompt: { text: 'the prompt', attachments: [] } }) },
    ];
    await begin({ scope: 'all' });
    await applyRestore();
    expect(useDrafts.getState().drafts[key]).toBe('the prompt');
    expect(useDrafts.getState().history.at(-1)).toBe('a draft');
    applies = [{ ok: true, value: outcome({ taskRestored: true }) }];
    useToasts.getState().toasts.at(-1)?.action?.run();
    await settled();
    expect(applied.at(-1)).toMatchObject({ checkpointId: cp(9), scope: 'all' });
    expect(useDrafts.getState().drafts[key]).toBeUndefined();
  });

  it('through a redo point asks, and takes out the prompt only if it is unchanged', async () => {
    const key = draftKey(TASK);
    const redo = { scope: 'all', back: '1 file and the task', filled: 'the prompt' } as const;
    applies = [{ ok: true, value: outcome({ taskRestored: true }) }];
    for (const [draft, left] of [
      ['the prompt', undefined],
      ['the prompt, changed', 'the prompt, changed'],
    ] as const) {
      setDraft(key, draft);
      await begin(redo);
      expect(flow()?.dialog).toBe(true);
      await applyRestore();
      expect(useDrafts.getState().drafts[key]).toBe(left);
    }
    expect(useToasts.getState().toasts.map((t) => t.text)).toEqual([
      'Restore taken back: 1 file and the task',
    ]);
  });

  it('keeps only the newest of those asked for while one is being applied', async () => {
    let finish: (answer: Answer<RestoreOutcome>) => void = () => undefined;
    applies = [
      new Promise<Answer<RestoreOutcome>>((resolve) => (finish = resolve)) as never,
      { ok: true, value: outcome() },
    ];
    await begin();
    beginRestore(request({ checkpointId: cp(2) }));
    beginRestore(request({ checkpointId: cp(3) }));
    finish({ ok: true, value: outcome() });
    await settled();
    expect(applied).toMatchObject([{ checkpointId: cp(1) }, { checkpointId: cp(3) }]);
  });
});
