// Which tasks there are, with what a list shows of them.
// Owns: making and deleting a task's folder, `index.json`. Does not own: what is in a log (task-log), refs in stores.
// Invariants: the index is a cache: it may be wrong, missing or damaged at any time and is then made anew without a
// word; whether a run is alive is never taken from it.
import { webcrypto } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { type TaskSummary, taskSummarySchema } from '../../shared/domain';
import { TidemarkError } from '../../shared/errors';
import { activeRows, foldAll, livingBackground } from '../../shared/fold';
import { newTaskId, type TaskId, taskIdSchema } from '../../shared/ids';
import type { WorkPlace } from '../../shared/place-key';
import { isRunning } from './running';
import { openTaskLog } from './task-log';

const entrySchema = z.object({
  /** of log.jsonl when the summary was made */
  size: z.number(),
  modified: z.number(),
  /** a run had no end */
  open: z.boolean(),
  /** a background command had no end */
  background: z.boolean().default(false),
  summary: taskSummarySchema,
});
type Entry = z.infer<typeof entrySchema>;
const indexSchema = z.object({ v: z.literal(1), tasks: z.record(z.string(), z.unknown()) });

const tasksFolder = (home: string): string => path.join(home, 'tasks');
const taskFolder = (home: string, id: TaskId): string => path.join(tasksFolder(home), id);

/** All tasks, the last used one first; with `workspace` only those of that folder. */
export async function listTasks(home: string, o: { workspace?: string } = {}): Promise<TaskSummary[]> {
  const cached = await readIndex(home);
  const entries = new Map<TaskId, Entry>();
  let changed = false;
  for (const name of await namesIn(tasksFolder(home))) {
    const id = taskIdSchema.safeParse(name).data;
    if (id === undefined) continue;
    const log = await stat(path.join(taskFolder(home, id), 'log.jsonl')).catch(() => null);
    if (log === null || log.size === 0) continue; // its making was cut off: it was never a task
    const known = entrySchema.safeParse(cached[id]).data;
    if (known !== undefined && known.size === log.size && known.modified === log.mtimeMs) {
      entries.set(id, known);
      continue;
    }
    const fresh = await summarize(home, id, log.birthtime);
    if (fresh === null) continue;
    entries.set(id, { size: log.size, modified: log.mtimeMs, ...fresh });
    changed = true;
  }
  if (changed || Object.keys(cached).length !== entries.size) await writeIndex(home, entries);

  const found: TaskSummary[] = [];
  for (const { summary, open, background } of entries.values()) {
    if (o.workspace !== undefined && summary.workspace !== o.workspace) continue;
    const alive = (open || background) && (await isRunning(taskFolder(home, summary.id)));
    const state = alive ? (open ? 'running' : 'idle') : open || background ? 'interrupted' : 'idle';
    found.push({ ...summary, state });
  }
  return found.sort((a, b) => b.updatedAt.localeCompare(a.updatedAt));
}

/** @throws disk-full */
export async function createTask(home: string, o: { readonly title: string } & WorkPlace): Promise<TaskId> {
  const id = newTaskId((bytes) => webcrypto.getRandomValues(bytes));
  await mkdir(tasksFolder(home), { recursive: true, mode: 0o700 });
  await mkdir(taskFolder(home, id), { mode: 0o700 });
  const log = openTaskLog(taskFolder(home, id), id);
  await log.append({
    type: 'task.created',
    title: o.title,
    workspace: o.workspace,
    ...(o.roots === undefined || o.roots.length < 2 ? {} : { roots: [...o.roots] }),
  });
  await log.close();
  return id;
}

/** Removes the task's folder; nothing happens when it is gone. @throws workspace-busy while it runs somewhere */
export async function deleteTask(home: string, id: TaskId): Promise<void> {
  const folder = taskFolder(home, taskIdSchema.parse(id));
  if (await isRunning(folder)) {
    throw new TidemarkError('workspace-busy', 'This task is running, so it was not deleted.', {
      hint: 'Stop it first.',
    });
  }
  // Out of the list in one step: a deletion that is cut off must not leave half a task.
  const doomed = path.join(tasksFolder(home), `.deleted-${id}-${Date.now()}`);
  try {
    await rename(folder, doomed);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  for (const name of await namesIn(tasksFolder(home))) {
    if (name.startsWith('.deleted-'))
      await rm(path.join(tasksFolder(home), name), { recursive: true, force: true });
  }
}

async function summarize(
  home: string,
  id: TaskId,
  born: Date,
): Promise<Pick<Entry, 'summary' | 'open' | 'background'> | null> {
  const folder = taskFolder(home, id);
  const log = openTaskLog(folder, id);
  const reading = await log.read().catch(() => null); // deleted meanwhile
  await log.close();
  if (reading === null) return null;
  const view = foldAll(reading.events);
  const messages = activeRows(view).filter(
    (r) => r.type === 'prompt' || (r.type === 'answer' && r.text !== ''),
  ).length;
  const summary: TaskSummary = {
    id,
    title: view.title || (reading.events.length === 0 ? 'Task whose log cannot be read' : 'Untitled task'),
    workspace: view.workspace,
    ...(view.roots.length < 2 ? {} : { roots: [...view.roots] }),
    createdAt: view.createdAt || born.toISOString(),
    updatedAt: view.updatedAt || born.toISOString(),
    favorite: view.favorite,
    messages,
    bytes: await bytesIn(folder),
    state: 'idle',
  };
  return { summary, open: view.running !== null, background: livingBackground(view).length > 0 };
}

async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await namesIn(folder)) {
    const entry = path.join(folder, name);
    const found = await lstat(entry).catch(() => null);
    bytes += found?.isDirectory() ? await bytesIn(entry) : (found?.size ?? 0);
  }
  return bytes;
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
}

async function readIndex(home: string): Promise<Record<string, unknown>> {
  try {
    return indexSchema.parse(JSON.parse(await readFile(path.join(home, 'index.json'), 'utf8'))).tasks;
  } catch {
    return {}; // a cache
  }
}

async function writeIndex(home: string, entries: ReadonlyMap<TaskId, Entry>): Promise<void> {
  const file = path.join(home, 'index.json');
  const aside = `${file}.${process.pid}-${Date.now()}`;
  try {
    await writeFile(aside, JSON.stringify({ v: 1, tasks: Object.fromEntries(entries) }), { mode: 0o600 });
    await rename(aside, file);
  } catch {
    await rm(aside, { force: true }); // a cache: it is made anew next time
  }
}
