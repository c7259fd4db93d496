// The command line: arguments in, exit code out. One of the three edges where errors become words.
// Owns: commands, flags, streams, signals. Does not own: what they do (cli/*, runtime).
import { Command, CommanderError, Option } from 'commander';
import { version } from '../package.json';
import { TidemarkError } from '../shared/errors';
import { type CliContext, type GlobalOptions, openContext, waitMsOf } from './cli/context';
import { doctor } from './cli/doctor';
import { type CliHost, openCliHost } from './cli/host';
import { diff, listCheckpoints, listTasksOf } from './cli/list';
import { printError, type Streams } from './cli/output';
import { recover } from './cli/recover';
import { type RewindOptions, rewind } from './cli/rewind';
import { type RunOptions, run } from './cli/run';

const EXIT_CODES = `
Exit codes: 0 done · 1 failed · 2 wrong usage · 3 the machine lacks something · 4 a decision is needed ·
5 no such (or no unique) id, task or folder · 6 task rewound, files not · 7 workspace busy · 8 refused so that
nothing is lost · 130 interrupted. Ids can be shortened to any unique beginning of 4 or more characters.`;

let exitCode = 0;
const stop = new AbortController();

type Action = (c: CliContext, host: CliHost) => Promise<number>;

/** Runs one command and turns whatever it throws into its exit code. */
async function play(command: Command, action: Action, unprotected = false): Promise<void> {
  const options = command.optsWithGlobals<GlobalOptions>();
  const streams = streamsOf(options.json === true);
  try {
    const host = openCliHost({ streams, yes: options.yes === true, unprotected, waitMs: waitMsOf(options) });
    const context = await openContext(streams, options, host, stop.signal);
    try {
      exitCode = await action(context, host);
    } finally {
      await context.runtime.close();
    }
  } catch (error) {
    exitCode = printError(streams, error);
  }
  if (stop.signal.aborted && exitCode === 0) exitCode = 130;
}

const streamsOf = (json: boolean): Streams => ({
  out: process.stdout,
  err: process.stderr,
  tty: process.stdout.isTTY === true,
  json,
});

/** Collects an option that may be given several times. */
const many = (value: string, before: readonly string[] = []): string[] => [...before, value];

const program = new Command('tidemark')
  .description('Checkpoints and runs of the Tidemark coding agent, without the window.')
  .version(version)
  .option('--workspace <dir>', 'the project folder (default: here)')
  .option('--task <id>', 'the task that is meant')
  .option('--json', 'one JSON object on stdout (for run: one a line)')
  .option('--yes', 'confirm, approve and trust what is asked')
  .option('--wait <seconds>', 'how long to wait for a busy workspace', '30')
  .addHelpText('after', EXIT_CODES)
  .exitOverride();

program
  .command('checkpoints')
  .description('list the points that you can return to, oldest first')
  .option('--details <id>', 'what a checkpoint left out, and why')
  .action((o: { details?: string }, command: Command) => play(command, (c) => listCheckpoints(c, o.details)));

program
  .command('rewind <id>')
  .description('restore files and task to a checkpoint; of a redo point: take its restore back')
  .option('--files', 'files only')
  .option('--conversation', 'the task’s messages only')
  .option('--all', 'files and messages (the default)')
  .option('--whole', 'every captured file, not only those that the task changed')
  .option('--dry-run', 'show what would happen')
  .addOption(new Option('--conflicts <choice>', 'for lines that you have edited too: mine or checkpoint'))
  .option(
    '--conflict <choice:path>',
    'the same for one file: mine:PATH or checkpoint:PATH; can be repeated',
    many,
  )
  .option('--without <path>', 'leave this file, or what is in this folder, as it is; can be repeated', many)
  .action((id: string, o: RewindOptions, command: Command) => play(command, (c) => rewind(c, id, o)));

program
  .command('diff <id> [id2]')
  .description('what changed since a checkpoint, or between two')
  .option('--patch', 'print a unified diff')
  .action((a: string, b: string | undefined, o: { patch?: boolean }, command: Command) =>
    play(command, (c) => diff(c, a, b, o.patch === true)),
  );

program
  .command('run <prompt>')
  .description('let the agent work on a prompt ("-" reads it from stdin)')
  .option('--mode <mode>', 'ask or apply', 'apply')
  .option('--provider <id>', 'the provider')
  .option('--model <name>', 'the model')
  .option('--deltas', 'with --json also fragments')
  .option('--unprotected', 'go on when a checkpoint fails')
  .action((prompt: string, o: RunOptions, command: Command) =>
    play(command, (c, host) => run(c, host, prompt, o), o.unprotected === true),
  );

program
  .command('tasks')
  .description('list the tasks')
  .action((_o: unknown, command: Command) => play(command, listTasksOf));

program
  .command('recover [folder]')
  .description(
    'list deleted folders that can be brought back, or bring one back; never over an existing file',
  )
  .option('--to <dir>', 'where to put it (default: where it was)')
  .action((folder: string | undefined, o: { to?: string }, command: Command) =>
    play(command, (c) => recover(c, folder, o)),
  );

program
  .command('doctor')
  .description('check git, settings, tasks and this folder’s store')
  .action((_o: unknown, command: Command) => play(command, (c) => doctor(c, version)));

for (const command of program.commands) command.exitOverride();
// SIGHUP: the terminal was closed. A run then ends as with Ctrl-C, with its commands.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort());
// A reader that goes away (| head) is no failure of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(exitCode);
  throw error;
});

program
  .parseAsync(process.argv, { from: 'node' })
  .catch((error: unknown) => {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return; // --help, --version
    exitCode = 2;
    if (process.argv.includes('--json')) {
      printError(streamsOf(true), new TidemarkError('usage', error.message.replace(/^error: /, '')));
    }
  })
  .finally(() => {
    process.exitCode = exitCode;
  });
