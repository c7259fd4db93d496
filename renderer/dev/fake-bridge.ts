// A main process that only pretends: enough of the contract to play every scene of the window.
import type { RestoreOutcome, RestorePreview } from '../../shared/domain';
import type { Fact, TaskEvent } from '../../shared/events';
import { checkpointById, firstClearedPrompt, foldAll } from '../../shared/fold';
import type { Bridge, Handlers, Method, Push, WorkspaceInfo } from '../../shared/ipc';
import { defaultSettings, type Settings } from '../../shared/settings';
import { CHANGES, FOLDERS, side, sidesOf } from './fake-files';
import { NO_WORKSPACE, type Scene, sceneOf, TASKS } from './scenes';
import { cp, run, Script, snap, TASK } from './story';

export type FakeOptions = { readonly scene: string; readonly theme: 'light' | 'dark' };

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const nothing = {};

const PLACE = {
  path: '/home/dana/code/orders-api',
  key: '/home/dana/code/orders-api',
  name: 'orders-api',
  shown: '~/code/orders-api',
  roots: [{ path: '/home/dana/code/orders-api', name: '', shown: '~/code/orders-api' }],
};
const recent = (path: string, name: string, parent: string, gone: boolean) => ({
  key: path,
  paths: [path],
  name,
  parent,
  gone,
  at: '',
});

const tookBack = (path: string): RestoreOutcome => ({
  redoId: cp(9),
  taskRestored: false,
  filesRestored: true,
  files: [{ path, action: 'revert', by: 'task' }],
  conflicts: [],
  notCovered: [],
  prompt: null,
  filesError: null,
});

export function makeFakeBridge(o: FakeOptions): Bridge {
  const scene: Scene = sceneOf(o.scene);
  const listeners = new Set<(push: Push) => void>();
  const push = (p: Push) => {
    for (const l of listeners) l(p);
  };
  let settings: Settings = { ...defaultSettings(), appearance: { theme: o.theme, diff: 'split', zoom: 1 } };
  if (o.scene !== 'empty' && o.scene !== 'welcome')
    settings = { ...settings, provider: { ...settings.provider, id: 'anthropic', model: 'claude-sonnet' } };
  let script = scene.script ?? new Script(TASK, new Date());
  let info: WorkspaceInfo = {
    ...(scene.folder ? PLACE : { path: null, key: '', name: '', shown: '', roots: [] }),
    trusted: scene.trusted,
    checkpoints: scene.checkpoints,
  };
  let planned = 0;
  const tell = (event: TaskEvent) => push({ push: 'event', event });
  const fact = (f: Fact) => tell(script.add(f, 1));
  const setInfo = (part: Partial<WorkspaceInfo>) => {
    info = { ...info, ...part };
    push({ push: 'workspace', info });
    return info;
  };
  const opened = () =>
    setInfo({
      ...PLACE,
      trusted: false,
      checkpoints: { state: 'ready', lastMs: 38, storeBytes: 1_200_000, checkpoints: 1, gitVersion: '2.47' },
    });

  async function play(text: string, runId: ReturnType<typeof run>) {
    const words = `I'll look at it. You asked: ${text}. `.repeat(6).split(' ');
    for (const w of words) {
      await wait(15);
      push({ push: 'delta', delta: { type: 'delta.text', taskId: TASK, runId, turn: 1, text: `${w} ` } });
    }
    fact({
      type: 'message.completed',
      runId,
      turn: 1,
      text: words.join(' '),
      reasoning: '',
      calls: [],
      usage: { inputTokens: 900, outputTokens: 60, cost: 0.002 },
      finish: 'stop',
    });
    await wait(200);
    fact({ type: 'run.ended', runId, outcome: 'completed', error: null });
  }

  const previewOf = (
    scope: RestorePreview['scope'],
    whole: boolean,
    id: RestorePreview['target'],
    answered: boolean,
  ): RestorePreview => {
    const view = foldAll(script.events);
    const row = checkpointById(view, id);
    planned += 1;
    const files = scope !== 'task';
    return {
      target: id,
      scope,
      whole,
      fingerprint: `f${planned}`,
      files: files
        ? [
            {
              path: 'src/pricing/invoice.ts',
              action: scene.plan === 'plain' ? 'revert' : 'merge',
              by: 'task',
            },
            { path: 'src/pricing/money.ts', action: 'remove', by: 'task' },
            { path: 'src/pricing/rounding.ts', action: 'bring-back', by: whole ? 'other' : 'task' },
          ]
        : [],
      conflicts:
        files && scene.plan === 'conflicts' && !answered
          ? [{ path: 'README.md', reason: 'changed by hand at 14:09' }]
          : [],
      notCovered: files && whole ? [{ path: 'dist/app.js', why: 'build folder' }] : [],
      handEdits: files && scene.plan === 'hand-edits' ? [{ path: 'src/pricing/invoice.ts' }] : [],
      prompt:
        scope === 'files' || row === undefined ? null : (firstClearedPrompt(view, row.line)?.text ?? null),
      clears: 2,
    };
  };

  const handlers: Handlers = {
    'app.info': async () => ({
      version: '0.1.0',
      electron: '45.5.0',
      platform: 'linux',
      oldElectron: scene.oldElectron,
      home: '/home/dana/.tidemark',
      keyStore: true,
      recents: [
        recent('/home/dana/code/orders-api', 'orders-api', '~/code', false),
        recent('/home/dana/code/garden', 'garden-planner', '~/code', false),
        recent('/home/dana/thesis', 'thesis', '~/Documents/uni', false),
        recent('/home/dana/notes', 'notes', '~', true),
      ],
      notices: [],
    }),
    'workspace.info': async () => info,
    'workspace.choose': async () => opened(),
    'workspace.open': async () => opened(),
    'workspace.sample': async () => opened(),
    'workspace.trust': async () => setInfo({ trusted: true }),
    'workspace.forget-recent': async () => nothing,
    'workspace.reveal': async () => nothing,
    'workspace.open-file': async () => nothing,
    'tree.open': async ({ path }) => ({ entries: [...(FOLDERS[path] ?? [])] }),
    'tree.close': async () => nothing,
    'file.read': async ({ path }) => sidesOf(path).after ?? side('{}\n'),
    'checkpoints.retry': async () => {
      setInfo({ checkpoints: { state: 'starting', slow: false } });
      return info.checkpoints;
    },
    'checkpoints.disable': async () =>
      setInfo({
        checkpoints: { state: 'off', why: 'workspace', message: 'Checkpoints are off for this folder.' },
      }).checkpoints,
    'checkpoints.enable': async () =>
      setInfo({ checkpoints: { state: 'starting', slow: false } }).checkpoints,
    'tasks.list': async () => ({ tasks: scene.script === null ? [] : [...TASKS], asking: [] }),
    'task.create': async () => ({ taskId: TASK }),
    'task.events': async ({ taskId }) => {
      if (scene.unprotected !== null) push({ push: 'unprotected', taskId: TASK, error: scene.unprotected });
      return { events: taskId === TASK ? [...script.events] : [] };
    },
    'task.rename': async () => nothing,
    'task.favorite': async () => nothing,
    'task.delete': async () => nothing,
    'task.prompt': async ({ taskId, prompt }) => {
      if (taskId === null) {
        script = new Script(TASK, new Date());
        script.add({ type: 'task.created', title: prompt.text.slice(0, 60), workspace: info.path ?? '' });
      }
      const runId = run(100 + script.events.length);
      fact({
        type: 'run.started',
        runId,
        mode: 'apply',
        prompt: { text: prompt.text, attachments: [] },
        provider: 'practice',
        model: 'practice',
      });
      tell(
        script.checkpoint({
          checkpointId: cp(100 + script.events.length),
          kind: 'run',
          runId,
          snapshotId: snap(50),
          line: script.line.slice(0, -1),
        }),
      );
      void play(prompt.text, runId);
      return { taskId: TASK, runId };
    },
    'queue.add': async () => nothing,
    'queue.change': async () => nothing,
    'queue.remove': async () => nothing,
    'queue.send': async () => nothing,
    'task.again': async () => ({ runId: run(2) }),
    'task.stop': async () => {
      const runId = foldAll(script.events).running;
      if (runId !== null) fact({ type: 'run.ended', runId, outcome: 'stopped', error: null });
      return nothing;
    },
    'task.approve': async ({ callId, decision, reason }) => {
      const runId = foldAll(script.events).running ?? run(2);
      fact({ type: 'approval.given', runId, callId, decision, reason });
      fact({
        type: 'tool.finished',
        runId,
        callId,
        outcome: decision === 'reject' ? 'rejected' : 'ok',
        text: '',
        display: { kind: 'none' },
        touched: [],
      });
      return nothing;
    },
    'task.retry-now': async () => nothing,
    'task.answer': async ({ callId, answer }) => {
      const runId = foldAll(script.events).running ?? run(2);
      fact({ type: 'question.answered', runId, callId, answer });
      return nothing;
    },
    'task.go-on': async ({ goOn }) => {
      fact({ type: 'limit.answered', runId: foldAll(script.events).running ?? run(2), goOn });
      return nothing;
    },
    'background.stop': async () => nothing,
    'background.output': async () => ({ text: null }),
    'task.unprotected': async () => {
      push({ push: 'unprotected', taskId: TASK, error: null });
      return nothing;
    },
    'checkpoint.save': async () => ({ checkpointId: cp(50) }),
    'checkpoint.left-out': async () => ({ left: [] }),
    'changes.list': async ({ comparison }) => {
      await wait(60);
      const at = script.events.find((e) => e.type === 'checkpoint.created')?.at ?? '';
      const titles = {
        since: 'Changes since snapshot',
        completion: 'New changes',
        turn: 'Changes of this turn',
        between: 'Changes between snapshots',
      };
      return {
        comparison,
        title: titles[comparison.kind],
        from: cp(1),
        fromAt: at,
        to: 'workspace',
        toAt: null,
        changes: [...CHANGES],
      };
    },
    'changes.file': async ({ change }) => sidesOf(change.path),
    'changes.revert-hunk': async ({ change }) => tookBack(change.path),
    'changes.badges': async ({ taskId }) => ({
      badges:
        taskId === null
          ? []
          : [
              { path: 'src/pricing/invoice.ts', badge: 'M' },
              { path: 'src/pricing/money.ts', badge: 'A' },
              { path: 'src/pricing/rounding.ts', badge: 'D' },
            ],
    }),
    'restore.plan': async ({ checkpointId, scope, whole, conflicts }) => {
      await wait(120);
      return previewOf(scope, whole, checkpointId, conflicts !== null);
    },
    'restore.sides': async () => ({
      base: side('# Orders\n\nTotals are rounded per line.\n'),
      mine: side('# Orders\n\nTotals are rounded per invoice, see the tax rules.\n'),
      checkpoint: side('# Orders\n\nTotals are not rounded.\n'),
    }),
    'restore.point': async ({ runId }) => {
      const view = foldAll(script.events);
      const row = view.rows.find((r) => r.type === 'checkpoint' && r.runId === runId && r.kind !== 'turn');
      return { checkpointId: row?.type === 'checkpoint' ? row.checkpointId : cp(1), files: true };
    },
    'restore.apply': async ({ checkpointId, scope, whole }) => {
      await wait(500);
      if (scene.plan === 'fails')
        throw new Error('src/pricing/invoice.ts cannot be written: permission denied. No file was changed.');
      const view = foldAll(script.events);
      const row = checkpointById(view, checkpointId);
      const line = row?.undoes === null || row === undefined ? (row?.line ?? []) : row.line;
      const redo = cp(500 + script.events.length);
      const plan = previewOf(scope, whole, checkpointId, true);
      const prompt = scope === 'files' ? null : firstClearedPrompt(view, line);
      tell(
        script.checkpoint({
          checkpointId: redo,
          kind: 'redo',
          snapshotId: scope === 'task' ? null : snap(70),
        }),
      );
      const outcome: RestoreOutcome = {
        redoId: redo,
        taskRestored: scope !== 'files',
        filesRestored: scope !== 'task',
        files: plan.files,
        conflicts: [],
        notCovered: plan.notCovered,
        prompt,
        filesError: null,
      };
      fact({
        type: 'restore.completed',
        to: checkpointId,
        redo,
        scope,
        whole,
        only: null,
        line: [...line],
        snapshotId: snap(2),
        ...outcome,
      });
      return outcome;
    },
    'restore.file': async ({ paths }) => tookBack(paths[0]?.path ?? ''),
    'settings.get': async () => settings,
    'settings.set': async ({ patch }) => {
      const merged: Record<string, unknown> = { ...settings };
      for (const [key, value] of Object.entries(patch)) {
        const old = merged[key];
        merged[key] =
          typeof old === 'object' && old !== null && !Array.isArray(old)
            ? { ...old, ...(value as object) }
            : value;
      }
      settings = merged as Settings;
      return settings;
    },
    'providers.list': async () => ({
      providers: [
        {
          id: 'anthropic',
          name: 'Anthropic',
          needsKey: true,
          needsBaseUrl: false,
          hasKey: true,
          keyFrom: 'store',
        },
        { id: 'openai', name: 'OpenAI', needsKey: true, needsBaseUrl: false, hasKey: false, keyFrom: 'none' },
        {
          id: 'openai-compatible',
          name: 'OpenAI-compatible server',
          needsKey: false,
          needsBaseUrl: true,
          hasKey: false,
          keyFrom: 'none',
        },
        {
          id: 'practice',
          name: 'Practice',
          needsKey: false,
          needsBaseUrl: false,
          hasKey: false,
          keyFrom: 'none',
        },
      ],
    }),
    'providers.current': async () => ({
      id: settings.provider.id,
      name: settings.provider.id === 'practice' ? 'Practice' : 'Anthropic',
      model: settings.provider.model ?? 'practice',
      fixedBy: null,
    }),
    'providers.set-key': async () => nothing,
    'providers.check': async () => {
      await wait(400);
      return {
        ok: true,
        message: 'It answers: 3 models.',
        models: ['claude-sonnet', 'claude-opus', 'claude-haiku'],
      };
    },
    'window.theme': async () => nothing,
  };

  const bridge: Bridge = {
    async invoke(method, input) {
      const handler = handlers[method] as (i: unknown) => Promise<never>;
      try {
        return { ok: true, value: await handler(input) };
      } catch (thrown) {
        return {
          ok: false,
          error: {
            code: 'restore-failed',
            message: thrown instanceof Error ? thrown.message : String(thrown),
          },
        };
      }
    },
    onPush(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    pathOf: () => '/home/dana/code/garden',
  };
  return bridge;
}

export type { Method };
export { NO_WORKSPACE };
