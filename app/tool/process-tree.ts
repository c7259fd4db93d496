// Ends a command with everything that it started, also what has left its process group.
// Owns: finding the processes, TERM, then KILL within a second. Does not own: starting commands.
// A child that called setsid keeps its parent; one whose parent is gone as well still carries the mark in its
// environment. Where there is no /proc, parents are read from ps and marks cannot be.
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Environment variable by which the descendants of one command are known. */
export const MARK = 'AGENT_COMMAND_ID';

/** How long processes have between TERM and KILL. Stop has to be over within a second. */
const GRACE_MS = 500;
const LOOK_MS = 25;

type Process = { readonly pid: number; readonly parent: number };

/** Ends the group of `pid`, its descendants, and all that carry `mark`. Resolves when none is left or KILL was sent. */
export async function endProcessTree(pid: number, mark: string): Promise<void> {
  if (process.platform === 'win32') {
    await run('taskkill', ['/pid', String(pid), '/t', '/f']).catch(() => undefined);
    return;
  }
  const found = new Set(await findTree(pid, mark));
  signalAll(pid, found, 'SIGTERM');
  const until = Date.now() + GRACE_MS;
  while (isAlive(-pid) || [...found].some(isAlive)) {
    if (Date.now() >= until) break;
    await delay(LOOK_MS);
  }
  for (const late of await findTree(pid, mark)) found.add(late);
  signalAll(pid, found, 'SIGKILL');
}

/** True when anything of the command still runs. */
export async function hasLeftovers(pid: number, mark: string): Promise<boolean> {
  if (process.platform === 'win32') return false;
  return isAlive(-pid) || (await findTree(pid, mark)).length > 0;
}

function signalAll(pid: number, found: ReadonlySet<number>, signal: NodeJS.Signals): void {
  for (const target of [-pid, ...found]) {
    try {
      process.kill(target, signal);
    } catch (error) {
      // ESRCH: it has ended by itself. EPERM: it took another user's rights and is no longer ours to end.
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ESRCH' && code !== 'EPERM') throw error;
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function findTree(pid: number, mark: string): Promise<readonly number[]> {
  const all = process.platform === 'linux' ? await readProc() : await readPs();
  const below = new Set<number>();
  let frontier = [pid];
  while (frontier.length > 0) {
    const parents = new Set(frontier);
    frontier = all.filter((p) => parents.has(p.parent) && !below.has(p.pid)).map((p) => p.pid);
    for (const child of frontier) below.add(child);
  }
  const marked = process.platform === 'linux' ? await findMarked(all, mark) : [];
  return [...below, ...marked].filter((p) => p !== process.pid);
}

async function readProc(): Promise<readonly Process[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    names.map(async (name) => {
      const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
      // pid (name, which may hold anything) state parent
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return state === undefined || state === 'Z' || state === ''
        ? []
        : [{ pid: Number(name), parent: Number(parent) }];
    }),
  );
  return found.flat();
}

async function findMarked(all: readonly Process[], mark: string): Promise<readonly number[]> {
  const wanted = `\0${MARK}=${mark}\0`;
  const found = await Promise.all(
    all.map(async ({ pid }) => {
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      return `\0${environment}`.includes(wanted) ? [pid] : [];
    }),
  );
  return found.flat();
}

async function readPs(): Promise<readonly Process[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=']);
  return stdout
    .trim()
    .split('\n')
    .map((line) => {
      const [pid, parent] = line.trim().split(/\s+/).map(Number);
      return { pid: pid ?? 0, parent: parent ?? 0 };
    });
}
