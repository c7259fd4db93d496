// A control group of its own for each command (Linux, cgroup v2): whatever a command starts is born in it, however it
// then changes its parent, session or environment, and the kernel ends all of it at one word.
// Owns: making, ending and removing groups. Does not own: what is done where there are none (process-tree).
// A group lies below the one that Tidemark itself runs in, which belongs to the user in a desktop's session. Where it
// cannot be made, there is none, and that is no error.
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export interface CommandGroup {
  /** the file into which a process writes its number to enter */
  readonly entrance: string;
  /** The living processes in it. */
  processes(): Promise<readonly number[]>;
  /** Ends all of them. Resolves when none is left, or the kernel has taken too long. */
  kill(): Promise<void>;
  /** Once it is empty. What cannot be removed is left: it is a name and nothing more. */
  remove(): Promise<void>;
}

const PREFIX = 'tidemark-';
const LOOK_MS = 5;
/** A process that waits for a broken disk cannot be ended by anybody. */
const LONGEST_MS = 1000;

/** The folder that groups are made in; null: there is none. Looked for once. */
let base: Promise<string | null> | null = null;

/** @param name tells the groups of one run from others (see endGroups) */
export async function openCommandGroup(name: string): Promise<CommandGroup | null> {
  if (process.platform !== 'linux') return null;
  base ??= findBase().catch(() => null);
  const folder = await base;
  if (folder === null) return null;
  const group = path.join(folder, PREFIX + name);
  try {
    await mkdir(group);
    await readFile(path.join(group, 'cgroup.kill')).catch((error: NodeJS.ErrnoException) => {
      // It can only be written; a kernel before 5.14 has none.
      if (error.code === 'ENOENT') throw error;
    });
    return groupAt(group);
  } catch {
    base = Promise.resolve(null);
    await rmdir(group).catch(() => undefined); // it was not made
    return null;
  }
}

/** Ends what is left in the groups of a name's beginning: those of a run whose Tidemark has died. */
export async function endGroups(beginning: string): Promise<void> {
  if (process.platform !== 'linux') return;
  const folder = await findBase().catch(() => null);
  if (folder === null) return;
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(PREFIX + beginning)) continue;
    const group = groupAt(path.join(folder, name));
    await group.kill();
    await group.remove();
  }
}

/** Where cgroup v2 is mounted, and which of its groups this process is in. */
async function findBase(): Promise<string | null> {
  const own = /^0::(.*)$/m.exec(await readFile('/proc/self/cgroup', 'utf8'))?.[1];
  if (own === undefined) return null;
  for (const line of (await readFile('/proc/self/mountinfo', 'utf8')).split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , root = '', point = ''] = before.split(' ');
    if (!after.startsWith('cgroup2 ')) continue;
    const below = path.posix.relative(root, own);
    if (!below.startsWith('..')) return path.posix.join(point, below);
  }
  return null;
}

function groupAt(group: string): CommandGroup {
  const isEmpty = async (): Promise<boolean> =>
    !(await readFile(path.join(group, 'cgroup.events'), 'utf8').catch(() => '')).includes('populated 1');
  return {
    entrance: path.join(group, 'cgroup.procs'),
    processes: () => processesBelow(group),
    async kill() {
      await writeFile(path.join(group, 'cgroup.kill'), '1').catch(() => undefined); // removed already
      for (const until = Date.now() + LONGEST_MS; !(await isEmpty()) && Date.now() < until; )
        await delay(LOOK_MS);
    },
    remove: () => removeBelow(group),
  };
}

const foldersIn = async (group: string): Promise<readonly string[]> => {
  const entries = await readdir(group, { withFileTypes: true }).catch(() => []);
  return entries.filter((e) => e.isDirectory()).map((e) => path.join(group, e.name));
};

/** A command may make groups of its own below. */
async function processesBelow(group: string): Promise<readonly number[]> {
  const text = await readFile(path.join(group, 'cgroup.procs'), 'utf8').catch(() => '');
  const below = await Promise.all((await foldersIn(group)).map(processesBelow));
  // 0 stands for a process that cannot be seen from here.
  return [
    ...text
      .split('\n')
      .map(Number)
      .filter((pid) => pid > 0),
    ...below.flat(),
  ];
}

async function removeBelow(group: string): Promise<void> {
  for (const folder of await foldersIn(group)) await removeBelow(folder);
  await rmdir(group).catch(() => undefined);
}
