// The only place that spawns git for the engine (simple-git, for the cold commands, gets its environment from here
// too). Owns: one-shot commands with stdin and Buffers. Does not own: long-lived processes (git-stream.ts).
// Invariants: paths go in and out NUL-separated; a command that fails throws a typed error, never an empty answer.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { TidemarkError } from '../../shared/errors';
import { cleanEnvironment } from './git-env';
import { gitMissing } from './install-git';

export type GitPlace = {
  readonly program: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
};

export type GitCall = {
  readonly signal?: AbortSignal | undefined;
  readonly input?: Uint8Array | undefined;
  /** added to the place's environment; undefined takes a variable away */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** exit codes that are answers, not failures; default only 0 */
  readonly accept?: readonly number[];
  /** "drop" when only the exit code counts */
  readonly output?: 'keep' | 'drop';
};

export type GitAnswer = { readonly code: number; readonly out: Buffer };

/** A place to run git in: `gitDir` and `workTree` are given outright, so git never searches for a repository. */
export function gitPlace(o: {
  program: string;
  cwd: string;
  home: string;
  gitDir?: string;
  workTree?: string;
}): GitPlace {
  const env = cleanEnvironment(o.home);
  if (o.gitDir !== undefined) env.GIT_DIR = o.gitDir;
  if (o.workTree !== undefined) env.GIT_WORK_TREE = o.workTree;
  return { program: o.program, cwd: o.cwd, env };
}

/** Starts git with pipes for stdin and stdout. `input`: another process's output, to be read instead. */
export function spawnGit(
  place: GitPlace,
  args: readonly string[],
  env?: NodeJS.ProcessEnv,
  input: Readable | 'pipe' = 'pipe',
): ChildProcess {
  return spawn(place.program, args, {
    cwd: place.cwd,
    env: env === undefined ? place.env : { ...place.env, ...env },
    stdio: [input, 'pipe', 'pipe'],
    windowsHide: true,
  });
}

/** What a failed start of the git program means. */
export function startFailure(program: string, cause: NodeJS.ErrnoException): TidemarkError {
  if (cause.code === 'ENOENT') {
    return gitMissing(cause);
  }
  return new TidemarkError('git-failed', `Git could not be started (${program}: ${cause.message}).`, {
    cause,
  });
}

/** What a non-zero exit means, from what git said. */
export function exitFailure(args: readonly string[], code: number | null, said: string): TidemarkError {
  const line = said.trim().split('\n')[0] ?? '';
  if (/No space left on device|Disk quota exceeded/.test(said)) {
    return new TidemarkError('disk-full', 'The disk is full, so the checkpoint was not saved.', {
      hint: 'Free some space, then try again.',
    });
  }
  return new TidemarkError('git-failed', `git ${args[0] ?? ''} failed (${code ?? 'killed'}): ${line}`);
}

/** Runs one git command to its end. @throws git-missing, git-failed, disk-full, cancelled */
export function runGit(place: GitPlace, args: readonly string[], call: GitCall = {}): Promise<GitAnswer> {
  return new Promise((resolve, reject) => {
    if (call.signal?.aborted === true) {
      reject(new TidemarkError('cancelled', 'Stopped.'));
      return;
    }
    const child = spawnGit(place, args, call.env);
    const out: Buffer[] = [];
    const said: Buffer[] = [];
    const stop = (): void => void child.kill('SIGKILL');
    call.signal?.addEventListener('abort', stop, { once: true });
    child.stdout?.on('data', (d: Buffer) => call.output !== 'drop' && out.push(d));
    child.stderr?.on('data', (d: Buffer) => said.length < 64 && said.push(d));
    // EPIPE: git may end before it has read everything; its exit code tells
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(call.input ?? Buffer.alloc(0));
    child.on('error', (cause) => reject(startFailure(place.program, cause)));
    child.on('close', (code) => {
      call.signal?.removeEventListener('abort', stop);
      if (call.signal?.aborted === true) reject(new TidemarkError('cancelled', 'Stopped.'));
      else if (code !== null && (call.accept ?? [0]).includes(code))
        resolve({ code, out: Buffer.concat(out) });
      else reject(exitFailure(args, code, Buffer.concat(said).toString('latin1')));
    });
  });
}

/** The output of a command as text, one character a byte. */
export async function gitText(place: GitPlace, args: readonly string[], call: GitCall = {}): Promise<string> {
  return (await runGit(place, args, call)).out.toString('latin1');
}
