// What every command needs: the runtime, the workspace that is meant, and the task or checkpoint that an id names.
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { TidemarkError } from '../../shared/errors';
import { checkpointRows } from '../../shared/fold';
import { type CheckpointId, resolveId, type TaskId } from '../../shared/ids';
import { placeKey } from '../../shared/place-key';
import { homeFolder } from '../paths';
import { type OpenFolder, openRuntime, type RunHost, type Runtime, type Task } from '../runtime';
import type { Streams } from './output';

export type GlobalOptions = {
  readonly workspace?: string;
  readonly task?: string;
  readonly json?: boolean;
  readonly yes?: boolean;
  readonly wait?: string;
};

export type CliContext = {
  readonly runtime: Runtime;
  readonly streams: Streams;
  readonly options: GlobalOptions;
  readonly env: NodeJS.ProcessEnv;
  /** Aborted by Ctrl-C and by SIGTERM. */
  readonly signal: AbortSignal;
  /** the folder given, or the present one */
  readonly folderPath: string;
};

export async function openContext(
  streams: Streams,
  options: GlobalOptions,
  host: RunHost,
  signal: AbortSignal,
): Promise<CliContext> {
  const env = process.env;
  const runtime = await openRuntime({
    home: homeFolder(env),
    env,
    engineWorker: null,
    cipher: null,
    host,
    practiceByDefault: false,
  });
  for (const notice of runtime.settings.notices()) streams.err.write(`tidemark: ${notice}\n`);
  return {
    runtime,
    streams,
    options,
    env,
    signal,
    folderPath: path.resolve(options.workspace ?? process.cwd()),
  };
}

/** @throws usage for anything but seconds */
export function waitMsOf(options: GlobalOptions): number {
  const seconds = Number(options.wait ?? '30');
  if (!Number.isFinite(seconds) || seconds < 0) {
    throw new TidemarkError('usage', `--wait takes a number of seconds, not "${options.wait}".`);
  }
  return seconds * 1000;
}

/** The tasks of the workspace, newest first; with --task the one that it names, wherever it belongs. */
export async function tasksOf(c: CliContext, folder: OpenFolder): Promise<Task[]> {
  const all = await c.runtime.tasks();
  if (c.options.task !== undefined) {
    const id = resolveId(
      c.options.task,
      all.map((t) => t.id),
      'task-unknown',
    );
    return [await c.runtime.openTask(id)];
  }
  const mine = all.filter((t) => placeKey(t) === folder.key);
  return Promise.all(mine.map((t) => c.runtime.openTask(t.id)));
}

/** @throws usage for a workspace file that names several folders: one command means one of them */
export async function openFolderOf(c: CliContext): Promise<OpenFolder> {
  const folder = await c.runtime.openFolder([c.folderPath]);
  if (folder.roots.length === 1) return folder;
  throw new TidemarkError(
    'usage',
    `${c.folderPath} names ${folder.roots.length} folders; a command works in one.`,
    {
      hint: 'Give one of them with --workspace, or open the file in the app. Checkpoints are saved in single folders only.',
      paths: folder.roots.map((r) => r.path),
    },
  );
}

/** Runs that a crash has cut, before anything else is done in the folder: a later snapshot would make them guess. */
export async function settleFolder(
  c: CliContext,
  folder: OpenFolder,
  o: { readonly always?: boolean; readonly unprotected?: boolean } = {},
): Promise<void> {
  const all = await c.runtime.tasks();
  const cut = all.filter((t) => placeKey(t) === folder.key && t.state === 'interrupted');
  if (cut.length === 0 && o.always !== true) return;
  const ids = cut.map((t) => t.id);
  await folder.service.settle(ids, { unprotected: o.unprotected === true });
}

/** The task and checkpoint that a shortened id means. @throws checkpoint-unknown, id-ambiguous, task-unknown */
export function findCheckpoint(typed: string, tasks: readonly Task[]): { task: Task; id: CheckpointId } {
  const owner = new Map<CheckpointId, Task>();
  for (const task of tasks) for (const row of checkpointRows(task.view())) owner.set(row.checkpointId, task);
  const id = resolveId(typed, owner.keys(), 'checkpoint-unknown');
  const task = owner.get(id);
  if (task === undefined) throw new TidemarkError('checkpoint-unknown', `There is no checkpoint "${typed}".`);
  return { task, id };
}

/** @throws task-unknown, id-ambiguous */
export async function findTask(c: CliContext, typed: string): Promise<Task> {
  const ids = (await c.runtime.tasks()).map((t) => t.id);
  return c.runtime.openTask(resolveId<TaskId>(typed, ids, 'task-unknown'));
}

/** True when somebody can answer a question. */
export const canAsk = (streams: Streams): boolean =>
  streams.tty && process.stdin.isTTY === true && !streams.json;

/** Asks on the terminal; the question goes to stderr so that stdout stays clean. @throws cancelled */
export async function ask(question: string, signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await lines.question(question, { signal })).trim();
  } finally {
    lines.close();
  }
}
