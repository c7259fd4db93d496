// Git commands off the hot path, through simple-git: the version probe and making a repository. It brings the search
// for the program and sensible errors; it has no stdin and no Buffers, so the rest goes through git.ts.
import os from 'node:os';
import { type SimpleGit, simpleGit } from 'simple-git';
import { TidemarkError } from '../../shared/errors';
import { cleanEnvironment, OWN_VARIABLES } from './git-env';
import { gitMissing, gitTooOld } from './install-git';

export const OLDEST_GIT = [2, 30] as const;

/** These commands take milliseconds; a git that says nothing for so long hangs, and is ended. */
const HANGS_MS = 15_000;

function wrapped(program: string, cwd: string): SimpleGit {
  return simpleGit({
    baseDir: cwd,
    binary: program,
    timeout: { block: HANGS_MS },
    allowEnvironment: [...OWN_VARIABLES],
    unsafe: { allowUnsafeConfigPaths: true, allowUnsafeTemplateDir: true, allowUnsafeCustomBinary: true },
  }).env(cleanEnvironment(cwd));
}

/**
 * The version of git on the PATH (or of the given program).
 * @throws git-missing, git-too-old
 */
export async function probeGit(program = 'git'): Promise<{ readonly version: string }> {
  let found: { major: number; minor: number; patch: number | string; installed: boolean };
  try {
    found = await wrapped(program, os.tmpdir()).version();
  } catch (cause) {
    throw gitMissing(cause);
  }
  if (!found.installed) throw gitMissing();
  const version = `${found.major}.${found.minor}.${found.patch}`;
  const [major, minor] = OLDEST_GIT;
  if (found.major < major || (found.major === major && found.minor < minor)) {
    throw gitTooOld(version);
  }
  return { version };
}

/** Makes an empty repository without any template. */
export async function initRepository(o: { program: string; gitDir: string; cwd: string }): Promise<void> {
  try {
    await wrapped(o.program, o.cwd).raw(['init', '-q', '--template=', '--bare', o.gitDir]);
  } catch (cause) {
    throw new TidemarkError('git-failed', `The store could not be made (${reasonOf(cause)}).`, { cause });
  }
}

function reasonOf(cause: unknown): string {
  const message = cause instanceof Error ? cause.message.trim() : 'git failed';
  return message.includes('block timeout') ? 'git did not answer and was ended' : message;
}
