// Ends a command with everything that it started, also what has left its process group.
// Owns: finding the processes, TERM, then KILL within a second. Does not own: starting commands.
// A command in a control group of its own has no way out of it. Without one: a child that called setsid keeps its
// parent; one whose parent is gone as well still carries the mark in its environment; one that drops both at once, before
// it was ever seen, is not found. Where there is no /proc, ps tells groups and parents, and marks cannot be read.
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { CommandGroup } from './command-group';

const run = promisify(execFile);

/** Environment variable by which the descendants of one command are known. */
export const MARK = 'AGENT_COMMAND_ID';

/** How long processes have between TERM and KILL. Stop has to be over within a second. */
const GRACE_MS = 500;
const LOOK_MS = 25;

/** How long KILL is repeated: new processes may be born between looking and ending. */
const KILL_MS = 1000;
/** How often the tree is looked at while the command runs. */
const WATCH_MS = 250;

/** What tells the processes of one command. */
export type Tree = {
  /** its shell */
  readonly pid: number;
  readonly mark: string;
  readonly known: Known;
  readonly group: CommandGroup | null;
};

type Process = {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** tells a process from a later one of the same number; empty where it is not known */
  readonly born: string;
};

/** What was once seen to belong to a command, by number and birth: it still does when its parent has ended. */
export type Known = Map<number, string>;

/** Remembers the descendants of a running command: one without its mark can later lose its parent. */
export function watchTree(tree: Tree): { stop(): void } {
  // A group needs no watching.
  if (process.platform === 'win32' || tree.group !== null) return { stop: () => undefined };
  let busy = false;
  const look = async () => {
    if (busy) return;
    busy = true;
    // A look that fails is made again; the last one, at the end of the command, tells its failure.
    await findTree(tree).catch(() => undefined);
    busy = false;
  };
  void look();
  const soon = setTimeout(() => void look(), 40).unref();
  const timer = setInterval(() => void look(), WATCH_MS).unref();
  return {
    stop: () => {
      clearTimeout(soon);
      clearInterval(timer);
    },
  };
}

/** Ends all that belongs to a command. Resolves when none is left, or KILL was of no use. */
export async function endProcessTree(tree: Tree): Promise<void> {
  if (process.platform === 'win32') {
    await run('taskkill', ['/pid', String(tree.pid), '/t', '/f']).catch(() => undefined);
    return;
  }
  let left = await findTree(tree);
  signalAll(left, 'SIGTERM');
  const until = Date.now() + GRACE_MS;
  while (left.length > 0 && Date.now() < until) {
    await delay(LOOK_MS);
    left = await findTree(tree);
  }
  await tree.group?.kill();
  left = await findTree(tree);
  const giveUp = Date.now() + KILL_MS;
  while (left.length > 0 && Date.now() < giveUp) {
    signalAll(left, 'SIGKILL');
    await delay(1);
    left = await findTree(tree);
  }
}

/** True when anything of the command still runs. */
export async function hasLeftovers(tree: Tree): Promise<boolean> {
  return process.platform !== 'win32' && (await findTree(tree)).length > 0;
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      // ESRCH: it has ended by itself. EPERM: it took another user's rights and is no longer ours to end.
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ESRCH' && code !== 'EPERM') throw error;
    }
  }
}

/** The living processes of the command: its group, the descendants of its members, and all that carry the mark. */
async function findTree({ pid, mark, known, group }: Tree): Promise<readonly number[]> {
  const isLinux = process.platform === 'linux';
  const all = isLinux ? await readProc() : await readPs();
  const marked = isLinux ? await findMarked(all, mark) : [];
  const isOurs = (p: Process) => p.pid === pid || p.group === pid || p.session === pid;
  const isKnown = (p: Process) => p.born !== '' && known.get(p.pid) === p.born;
  const living = new Set(all.map((p) => p.pid));
  const grouped = (await group?.processes())?.filter((id) => living.has(id)) ?? [];
  const tree = new Set([
    ...all.filter((p) => isOurs(p) || isKnown(p)).map((p) => p.pid),
    ...marked,
    ...grouped,
  ]);
  // Tidemark's own process is no part, and its other children are not either.
  tree.delete(process.pid);
  let size = -1;
  while (size !== tree.size) {
    size = tree.size;
    const leads = new Set(all.filter((p) => tree.has(p.pid) && p.session === p.pid).map((p) => p.pid));
    for (const p of all)
      if (p.pid !== process.pid && (tree.has(p.parent) || leads.has(p.session))) tree.add(p.pid);
  }
  for (const p of all) if (tree.has(p.pid)) known.set(p.pid, p.born);
  return [...tree];
}

/** Zombies are left out: they run no more, and only their parent can remove them. */
async function readProc(): Promise<readonly Process[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    names.map(async (name) => {
      const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
      // pid (name, which may hold anything) state parent group session ..., the 22nd is the time of birth
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const [state, parent, group, session] = fields;
      if (state === undefined || state === '' || state === 'Z' || state === 'X') return [];
      return [
        {
          pid: Number(name),
          parent: Number(parent),
          group: Number(group),
          session: Number(session),
          born: fields[19] ?? '',
        },
      ];
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
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=']);
  return stdout.split('\n').flatMap((line) => {
    const [pid, parent, group, state = 'Z'] = line.trim().split(/\s+/);
    if (state.startsWith('Z')) return [];
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), session: 0, born: '' }];
  });
}
