// A command line that runs: started in the system's shell, listened to, and ended with everything that it started.
// Owns: the shell, the pipes, the mark and the group by which its processes are known. Does not own: time limits, what
// is told of it.
// Invariant: once `end` or `ended` has settled, nothing that the command started runs any more.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { TidemarkError } from '../../shared/errors';
import { type CommandGroup, openCommandGroup } from './command-group';
import { RUN_MARK } from './orphans';
import { endProcessTree, hasLeftovers, MARK, type Tree, watchTree } from './process-tree';

export type CommandStart = {
  readonly command: string;
  /** absolute */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly output: (chunk: Buffer) => void;
  /** false: as where there are no control groups */
  readonly grouped?: boolean;
};

export type ShellEnd = { readonly code: number | null; readonly signal: string | null };

export interface StartedCommand {
  readonly pid: number;
  /** Settles when the shell has ended, however that came. */
  readonly exited: Promise<ShellEnd>;
  /** Ends all of it, politely first, within a second; then waits for the rest of the output. */
  end(): Promise<void>;
  /** After `exited`: ends what it has left running. @returns whether there was something */
  endLeft(): Promise<boolean>;
}

/** How long the pipes are waited for once no process can be found that holds them. */
const PIPES_MS = 500;

/** @throws TidemarkError tool-failed when there is no shell to start */
export async function startCommand(o: CommandStart): Promise<StartedCommand> {
  const mark = randomBytes(12).toString('hex');
  const group = o.grouped === false ? null : await openCommandGroup(`${o.env[RUN_MARK] ?? 'none'}-${mark}`);
  const child = startShell(o, { ...o.env, [MARK]: mark }, group);
  child.stdout?.on('data', o.output);
  child.stderr?.on('data', o.output);
  const exited = new Promise<ShellEnd>((resolve) =>
    child.once('exit', (code, signal) => resolve({ code, signal })),
  );
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const pid = await startedPid(child, group);
  const tree: Tree = { pid, mark, known: new Map(), group };
  const watch = watchTree(tree);

  /** The pipes close with the last process that holds them; destroying them covers one that could not be ended. */
  async function finish(): Promise<void> {
    watch.stop();
    const giveUp = setTimeout(() => {
      child.stdout?.destroy();
      child.stderr?.destroy();
    }, PIPES_MS);
    await closed;
    clearTimeout(giveUp);
    await group?.remove();
  }
  return {
    pid,
    exited,
    async end() {
      await endProcessTree(tree);
      await finish();
    },
    async endLeft() {
      const left = await hasLeftovers(tree);
      if (left) await endProcessTree(tree);
      await finish();
      return left;
    },
  };
}

/** Enters the group before anything else, and becomes the shell of the command. */
const ENTER = '{ echo $$ > "$0"; } 2>/dev/null; exec /bin/sh -c "$1"';

function startShell(o: CommandStart, env: Record<string, string>, group: CommandGroup | null): ChildProcess {
  const common = {
    cwd: o.cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  };
  if (process.platform === 'win32')
    return spawn('cmd.exe', ['/d', '/s', '/c', `"${o.command}"`], {
      ...common,
      windowsVerbatimArguments: true,
    });
  const args = group === null ? ['-c', o.command] : ['-c', ENTER, group.entrance, o.command];
  return spawn('/bin/sh', args, { ...common, detached: true });
}

async function startedPid(child: ChildProcess, group: CommandGroup | null): Promise<number> {
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
  } catch (cause) {
    await group?.remove();
    const { message } = cause as Error;
    throw new TidemarkError('tool-failed', `The shell cannot be started: ${message}`, { cause });
  }
  return child.pid ?? 0;
}
