// run_command: one command line in the system's shell, watched to its end.
// Owns: starting it, its time limit, what is told of it. Does not own: whether it may run (app/approval).
// Invariant: when the tool has answered, nothing that the command started runs any more.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { TidemarkError } from '../../shared/errors';
import { guardOf } from '../workspace/guard';
import type { Place, Workspace } from '../workspace/workspace';
import { type CollectedOutput, OutputCollector } from './command-output';
import { failed, guardedOf } from './edit';
import { endProcessTree, hasLeftovers, MARK, watchTree } from './process-tree';
import type { Tool, ToolContext, ToolOutcome, ToolPreview } from './tool';

const schema = z.object({
  command: z.string().min(1).describe('command line for the shell'),
  cwd: z.string().optional().describe('folder to run in; default: the workspace'),
  timeout_s: z.number().positive().optional().describe('seconds until it is ended'),
  background: z.boolean().optional().describe('not available yet'),
});
type Input = z.infer<typeof schema>;

/** More than this is not streamed to the screen: the card shows the cut text at the end. */
const MOST_STREAMED = 200_000;

async function findFolder(asked: string | undefined, workspace: Workspace): Promise<Place> {
  const named = await workspace.resolve(asked ?? workspace.home, 'target');
  // Above several folders no command can run.
  const place = named.text === '' ? await workspace.resolve(workspace.home, 'target') : named;
  if (place.type !== 'folder') throw new TidemarkError('tool-failed', `There is no folder "${asked}".`);
  return place;
}

/** Words of the command that name something guarded: it is only a look, a command can hide anything. */
function guardedWords(command: string): ToolPreview['guarded'] {
  const words = new Set(command.split(/[\s'"`;|&<>()=,]+/).filter((word) => word !== ''));
  return [...words].flatMap((word) => {
    const guard = guardOf(word);
    return guard === null ? [] : [{ path: word, guard }];
  });
}

export const runCommandTool: Tool<Input> = {
  name: 'run_command',
  description:
    'Runs a command line in the shell and returns its output and exit code. There is no terminal and no input. Processes that it leaves running are ended with it.',
  schema,
  category: 'command',
  effect: 'run',
  async preview(input, context) {
    if (input.background) {
      throw new TidemarkError(
        'tool-failed',
        'Background commands are not available yet. Run it without background.',
      );
    }
    const folder = await findFolder(input.cwd, context.workspace);
    return {
      title: folder.text === '' ? 'Run command' : `Run command in ${folder.text}`,
      detail: input.command,
      detailKind: 'command',
      paths: [],
      guarded: [...(await guardedOf(context.workspace, [folder])), ...guardedWords(input.command)],
    };
  },
  async run(input, context) {
    const folder = await findFolder(input.cwd, context.workspace);
    const limit = Math.min(input.timeout_s ?? context.commandTimeoutS, context.commandTimeoutS);
    const started = Date.now();
    const collector = new OutputCollector(context.outputsFolder);
    await collector.open();
    const end = await play(input.command, folder.absolute, limit, context, collector);
    const output = await collector.close();
    return outcomeOf(end, output, Date.now() - started, limit);
  },
};

type End =
  | {
      readonly kind: 'exited';
      readonly code: number | null;
      readonly signal: string | null;
      readonly left: boolean;
    }
  | { readonly kind: 'timeout' | 'stopped' };

async function play(
  command: string,
  cwd: string,
  limitS: number,
  context: ToolContext,
  collector: OutputCollector,
): Promise<End> {
  if (context.signal.aborted) return { kind: 'stopped' };
  const mark = randomBytes(12).toString('hex');
  const child = startShell(command, cwd, { ...context.commandEnv, [MARK]: mark });
  let streamed = 0;
  const show = (chunk: Buffer) => {
    const text = collector.add(chunk);
    streamed += text.length;
    if (streamed <= MOST_STREAMED) context.output(text);
  };
  child.stdout?.on('data', show);
  child.stderr?.on('data', show);
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const pid = await startedPid(child);
  const watch = watchTree(pid, mark);
  const end = await firstEnd(child, limitS, context.signal).finally(watch.stop);
  const left = end.kind === 'exited' && (await hasLeftovers(pid, mark, watch.known));
  if (end.kind !== 'exited' || left) await endProcessTree(pid, mark, watch.known);
  // The pipes close with the last process that holds them; destroying them covers one that could not be ended.
  const giveUp = setTimeout(() => {
    child.stdout?.destroy();
    child.stderr?.destroy();
  }, 500);
  await closed;
  clearTimeout(giveUp);
  return end.kind === 'exited' ? { ...end, left } : end;
}

function startShell(command: string, cwd: string, env: Record<string, string>): ChildProcess {
  const common = {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  };
  return process.platform === 'win32'
    ? spawn('cmd.exe', ['/d', '/s', '/c', `"${command}"`], { ...common, windowsVerbatimArguments: true })
    : spawn('/bin/sh', ['-c', command], { ...common, detached: true });
}

/** @throws TidemarkError tool-failed when there is no shell to start */
async function startedPid(child: ChildProcess): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) => {
      reject(new TidemarkError('tool-failed', `The shell cannot be started: ${cause.message}`, { cause }));
    });
  });
  return child.pid ?? 0;
}

function firstEnd(
  child: ChildProcess,
  limitS: number,
  signal: AbortSignal,
): Promise<{ kind: 'exited'; code: number | null; signal: string | null } | { kind: 'timeout' | 'stopped' }> {
  return new Promise((resolve) => {
    const settle = (end: Parameters<typeof resolve>[0]) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      resolve(end);
    };
    const stop = () => settle({ kind: 'stopped' });
    const timer = setTimeout(() => settle({ kind: 'timeout' }), limitS * 1000);
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    child.once('exit', (code, by) => settle({ kind: 'exited', code, signal: by }));
  });
}

function outcomeOf(end: End, output: CollectedOutput, ms: number, limitS: number): ToolOutcome {
  const said = output.text === '' ? '(no output)' : output.text;
  const exitCode = end.kind === 'exited' ? end.code : null;
  const display = { kind: 'command', exitCode, ms, output: output.text, cut: output.cut } as const;
  if (end.kind === 'exited') {
    const how = end.signal === null ? `Exit code ${end.code}.` : `Ended by ${end.signal}.`;
    const left = end.left ? ' Processes that it had left running were ended.' : '';
    return { text: `${how}${left}\n${said}`, display, touched: [], ok: true };
  }
  const why = end.kind === 'timeout' ? `It was ended after ${limitS} s, its time limit.` : 'It was stopped.';
  return { ...failed(`${why} Output until then:\n${said}`), display };
}
