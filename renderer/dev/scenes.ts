// What each scene starts with: the state of the folder and the log of its task.
import type { CheckpointsState, TaskSummary } from '../../shared/domain';
import type { ErrorInfo } from '../../shared/errors';
import {
  COMMAND_REQUEST,
  cp,
  EDIT_REQUEST,
  run,
  type Script,
  SECRET_REQUEST,
  secondRun,
  snap,
  story,
  TASK,
} from './story';

export type Scene = {
  readonly script: Script | null;
  readonly checkpoints: CheckpointsState;
  readonly folder: boolean;
  readonly trusted: boolean;
  readonly oldElectron: boolean;
  readonly unprotected: ErrorInfo | null;
  /** how a restore's dry run comes out */
  readonly plan: 'plain' | 'hand-edits' | 'conflicts' | 'fails';
};

const READY = {
  state: 'ready',
  lastMs: 41,
  storeBytes: 3_100_000,
  checkpoints: 14,
  gitVersion: '2.47',
} as const satisfies CheckpointsState;

const base = (script: Script | null): Scene => ({
  script,
  checkpoints: READY,
  folder: true,
  trusted: true,
  oldElectron: false,
  unprotected: null,
  plan: 'plain',
});

/** 14:02 today, whatever the hour, so that pictures are alike. */
function start(): Date {
  const at = new Date();
  at.setHours(14, 1, 20, 0);
  return at;
}

export function sceneOf(name: string): Scene {
  const s = story(start());
  switch (name) {
    case 'welcome':
      return {
        ...base(null),
        folder: false,
        checkpoints: { state: 'off', why: 'no-workspace', message: NO_WORKSPACE },
      };
    case 'trust':
      return { ...base(null), trusted: false };
    case 'empty':
      return { ...base(null), checkpoints: { ...READY, lastMs: null, checkpoints: 0, storeBytes: 0 } };
    case 'starting':
      return { ...base(null), checkpoints: { state: 'starting', slow: true }, oldElectron: true };
    case 'failed':
      return { ...base(null), checkpoints: { state: 'failed', error: GIT_MISSING } };
    case 'off':
      return {
        ...base(s),
        checkpoints: { state: 'off', why: 'workspace', message: 'Checkpoints are off for this folder.' },
      };
    case 'approval':
      secondRun(s);
      s.add({ type: 'approval.asked', runId: run(2), request: EDIT_REQUEST });
      return base(s);
    case 'cards':
      cards(s);
      return {
        ...base(s),
        unprotected: {
          code: 'disk-full',
          message: 'The disk is full.',
          hint: 'Free some space, then try again.',
        },
      };
    case 'running':
      secondRun(s);
      s.add({ type: 'tool.started', runId: run(2), callId: 'a' });
      return base(s);
    case 'restored':
      restored(s);
      return base(s);
    case 'run-failed':
      ends(s);
      return base(s);
    case 'hand-edits':
    case 'conflicts':
    case 'fails':
      secondRun(s);
      s.add({ type: 'run.ended', runId: run(2), outcome: 'completed', error: null });
      return { ...base(s), plan: name };
    case 'long':
      long(s);
      return base(s);
    default:
      return base(s);
  }
}

export const NO_WORKSPACE = 'No workspace detected. Please open Tidemark in a workspace to use checkpoints.';
const GIT_MISSING: ErrorInfo = {
  code: 'git-missing',
  message: 'Git must be installed to use checkpoints.',
  hint: 'On Debian and Ubuntu: sudo apt install git\nOn Fedora: sudo dnf install git\nTo check: git --version',
};

function cards(s: Script): void {
  const r = run(2);
  s.prompt(r, 'Clean the build and build again.');
  s.answer(r, 1, 'First the plan, then the build.', [
    {
      callId: 'p',
      tool: 'update_plan',
      input: {
        steps: [
          { title: 'Read the invoice code and its tests', status: 'done' },
          { title: 'Introduce Money with one rounding rule', status: 'active' },
          { title: 'Remove rounding.ts', status: 'pending' },
        ],
      },
    },
    { callId: 'q', tool: 'search_files', input: { pattern: 'round\\(' } },
    { callId: 'x', tool: 'run_command', input: { command: 'rm -r build && npm run build' } },
    { callId: 'y', tool: 'write_file', input: { path: '.env.local' } },
  ]);
  s.tool(r, 'p', { kind: 'none' });
  s.tool(r, 'q', { kind: 'lines', label: '7 matches' }, 'src/pricing/invoice.ts:14: round(net)');
  s.add({ type: 'approval.asked', runId: r, request: COMMAND_REQUEST });
  s.add({ type: 'approval.asked', runId: r, request: SECRET_REQUEST });
}

function restored(s: Script): void {
  secondRun(s);
  s.add({ type: 'run.ended', runId: run(2), outcome: 'completed', error: null });
  s.checkpoint({ checkpointId: cp(9), kind: 'redo', snapshotId: snap(4), before: snap(3), own: 'user' });
  s.add({
    type: 'restore.completed',
    to: cp(3),
    redo: cp(9),
    scope: 'all',
    whole: false,
    only: null,
    taskRestored: true,
    filesRestored: true,
    line: s.line.slice(0, 1),
    snapshotId: snap(2),
    files: [{ path: 'README.md', action: 'revert', by: 'task' }],
    conflicts: [],
    notCovered: [],
    prompt: { text: 'Also say in the README how totals are rounded.', attachments: [] },
    filesError: null,
  });
}

function ends(s: Script): void {
  secondRun(s);
  s.tool(run(2), 'a', { kind: 'none' }, 'README.md does not hold the text to be replaced.', 'error');
  s.add({ type: 'run.ended', runId: run(2), outcome: 'stopped', error: null });
  s.prompt(run(3), 'Try again, please.');
  s.add({
    type: 'checkpoint.failed',
    checkpointId: cp(7),
    kind: 'run',
    runId: run(3),
    error: { code: 'disk-full', message: 'The disk is full.', hint: 'Free some space, then try again.' },
  });
  s.add({
    type: 'run.ended',
    runId: run(3),
    outcome: 'failed',
    error: {
      code: 'key-wrong',
      message: 'Anthropic refused the key.',
      hint: 'Look at the key in Settings, Models.',
    },
  });
  s.prompt(run(4), 'And now?');
  s.add({ type: 'run.ended', runId: run(4), outcome: 'interrupted', error: null });
}

function long(s: Script): void {
  for (let i = 10; i < 400; i++) {
    const r = run(i);
    s.prompt(r, `Message ${i}: please look at it once more.`);
    s.checkpoint({
      checkpointId: cp(i),
      kind: 'run',
      runId: r,
      snapshotId: snap(i),
      line: s.events.length > 4000 ? [] : [],
    });
    s.answer(r, 1, `Answer ${i}. ${'Some words that make it longer. '.repeat(i % 9)}`);
    s.add({ type: 'run.ended', runId: r, outcome: 'completed', error: null });
  }
}

export const TASKS: readonly TaskSummary[] = [
  ['Move price rounding into Money', TASK, 'idle', 4],
  ['Why is the nightly export slow?', 't_0rders0a0002', 'idle', 1500],
  ['Plant calendar view', 't_0rders0a0003', 'interrupted', 9000],
].map(([title, id, state, ago]) => ({
  id: id as TaskSummary['id'],
  title: String(title),
  workspace: '/home/dana/code/orders-api',
  createdAt: new Date(Date.now() - Number(ago) * 60_000).toISOString(),
  updatedAt: new Date(Date.now() - Number(ago) * 60_000).toISOString(),
  favorite: false,
  messages: 3,
  bytes: 340_000,
  state: state as TaskSummary['state'],
}));
