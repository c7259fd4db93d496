// run_command: one command line in the system's shell, watched to its end, or left to run in the background.
// Owns: the time limit, what is told of it. Does not own: starting and ending it (started-command), what runs in the
// background (the task's), whether it may run (app/approval).
// Invariant: when the tool has answered, nothing that the command started runs any more, unless it is in the background.
import { z } from 'zod';
import { TidemarkError } from '../../shared/errors';
import { guardOf } from '../workspace/guard';
import type { Place, Workspace } from '../workspace/workspace';
import { type CollectedOutput, OutputCollector } from './command-output';
import { failed, guardedOf } from './edit';
import { plainText } from './plain-text';
import { type StartedCommand, startCommand } from './started-command';
import type { Tool, ToolContext, ToolOutcome, ToolPreview } from './tool';

const schema = z.object({
  command: z.string().min(1).describe('command line for the shell'),
  cwd: z.string().optional().describe('folder to run in; default: the workspace'),
  timeout_s: z.number().positive().optional().describe('seconds until it is ended'),
  background: z
    .boolean()
    .optional()
    .describe('true for what does not end by itself, such as a server; it goes on after this call'),
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

function titleOf(folder: Place, background: boolean): string {
  const where = folder.text === '' ? '' : ` in ${folder.text}`;
  return background ? `Run in the background${where}` : `Run command${where}`;
}

export const runCommandTool: Tool<Input> = {
  name: 'run_command',
  description:
    'Runs a command line in the shell and returns its output and exit code. There is no terminal and no input. Processes that it leaves running are ended with it. With background it goes on: its output is kept in a file, and the user can stop it.',
  schema,
  category: 'command',
  effect: 'run',
  async preview(input, context) {
    const folder = await findFolder(input.cwd, context.workspace);
    return {
      title: titleOf(folder, input.background === true),
      detail: input.command,
      detailKind: 'command',
      paths: [],
      guarded: [...(await guardedOf(context.workspace, [folder])), ...guardedWords(input.command)],
    };
  },
  async run(input, context) {
    const folder = await findFolder(input.cwd, context.workspace);
    if (input.background === true) return leaveRunning(input.command, folder, context);
    const limit = Math.min(input.timeout_s ?? context.commandTimeoutS, context.commandTimeoutS);
    const started = Date.now();
    const collector = new OutputCollector(context.outputsFolder);
    await collector.open();
    const end = await play(input.command, folder.absolute, limit, context, collector);
    const output = await collector.close();
    return outcomeOf(end, output, Date.now() - started, limit);
  },
};

async function leaveRunning(command: string, folder: Place, context: ToolContext): Promise<ToolOutcome> {
  if (context.signal.aborted) return failed('Stopped before it was carried out.');
  const begun = await context.startInBackground({ command, cwd: folder.absolute, folder: folder.text });
  const said = begun.output.trim() === '' ? '' : ` So far it has printed:\n${plainText(begun.output)}`;
  const kept = `All that it prints is in ${begun.file}.`;
  if (begun.ended !== null) {
    const text = `It was started in the background and has ended already: exit code ${begun.ended.code ?? 'none'}. ${kept}${said}`;
    return { ...failed(text), ok: begun.ended.code === 0 };
  }
  const text = `It runs in the background, as process group ${begun.pid}. ${kept} It ends with the app, with Stop, before files are restored, or by "kill -- -${begun.pid}".${said}`;
  return { text, display: { kind: 'lines', label: 'in the background' }, touched: [], ok: true };
}

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
  let streamed = 0;
  const output = (chunk: Buffer) => {
    const text = collector.add(chunk);
    streamed += text.length;
    if (streamed <= MOST_STREAMED) context.output(text);
  };
  const running = await startCommand({ command, cwd, env: context.commandEnv, output });
  const end = await firstEnd(running, limitS, context.signal);
  if (end.kind !== 'exited') {
    await running.end();
    return end;
  }
  return { ...end, left: await running.endLeft() };
}

function firstEnd(
  running: StartedCommand,
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
    running.exited.then((end) => settle({ kind: 'exited', ...end }));
  });
}

function outcomeOf(end: End, output: CollectedOutput, ms: number, limitS: number): ToolOutcome {
  const said = output.text === '' ? '(no output)' : plainText(output.text);
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
