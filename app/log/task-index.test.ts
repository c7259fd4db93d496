import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Fact } from '../../shared/events';
import type { TaskId } from '../../shared/ids';
import { answer, renamed, runEnded, runStarted } from './log-fixture';
import { markRunning } from './running';
import { createTask, deleteTask, listTasks } from './task-index';
import { openTaskLog } from './task-log';

let home = '';
beforeEach(async () => {
  home = await mkdtemp(path.join(os.tmpdir(), 'tm-index-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const folderOf = (id: TaskId): string => path.join(home, 'tasks', id);

async function add(id: TaskId, ...facts: Fact[]): Promise<void> {
  const log = openTaskLog(folderOf(id), id);
  for (const fact of facts) await log.append(fact);
  await log.close();
}
const newTask = (title = 'A task'): Promise<TaskId> => createTask(home, { title, workspace: '/work' });

describe('listing', () => {
  it('has nothing in a new home', async () => {
    expect(await listTasks(path.join(home, 'none'))).toEqual([]);
  });

  it('tells of each task what a list shows', async () => {
    const id = await newTask();
    await add(id, runStarted(), answer('Done.'), runEnded, { type: 'task.favorited', favorite: true });
    const [task] = await listTasks(home);
    const log = await readFile(path.join(folderOf(id), 'log.jsonl'));
    expect(task).toMatchObject({
      ...{ id, title: 'A task', workspace: '/work', favorite: true, messages: 2, state: 'idle' },
      bytes: log.length,
    });
    expect(task?.createdAt && task.createdAt <= task.updatedAt).toBe(true);
  });

  it('counts attachments and outputs', async () => {
    const id = await newTask();
    await mkdir(path.join(folderOf(id), 'outputs', 'deep'), { recursive: true });
    await writeFile(path.join(folderOf(id), 'outputs', 'deep', 'x'), Buffer.alloc(5000));
    expect((await listTasks(home))[0]?.bytes).toBeGreaterThan(5000);
  });

  it('has the last used one first, and can be limited to a folder', async () => {
    const first = await newTask('first');
    await new Promise((resolve) => setTimeout(resolve, 5));
    await createTask(home, { title: 'second', workspace: '/other' });
    await new Promise((resolve) => setTimeout(resolve, 5));
    await add(first, renamed('first again'));
    expect((await listTasks(home)).map((t) => t.title)).toEqual(['first again', 'second']);
    expect((await listTasks(home, { workspace: '/other' })).map((t) => t.title)).toEqual(['second']);
  });

  it('tells running from interrupted by who is alive', async () => {
    const id = await newTask();
    await add(id, runStarted());
    expect((await listTasks(home))[0]?.state).toBe('interrupted');
    const mark = await markRunning(folderOf(id));
    expect((await listTasks(home))[0]?.state).toBe('running');
    await mark.release();
    await add(id, { ...runEnded });
    expect((await listTasks(home))[0]?.state).toBe('idle');
  });

  it('passes over what is no task and lists one whose log cannot be read', async () => {
    await newTask();
    await mkdir(path.join(home, 'tasks', 'notes'));
    await mkdir(path.join(home, 'tasks', 't_000000000002'));
    await mkdir(path.join(home, 'tasks', 't_000000000003'));
    await writeFile(path.join(home, 'tasks', 't_000000000003', 'log.jsonl'), 'garbage\n');
    expect((await listTasks(home)).map((t) => t.title).sort()).toEqual([
      'A task',
      'Task whose log cannot be read',
    ]);
  });
});

describe('the index', () => {
  const index = (): string => path.join(home, 'index.json');

  it('is used while the log has the same size and time, and not after', async () => {
    const id = await newTask();
    await listTasks(home);
    const doctored = (await readFile(index(), 'utf8')).replace('A task', 'From the cache');
    await writeFile(index(), doctored);
    expect((await listTasks(home))[0]?.title).toBe('From the cache');
    await add(id, renamed('New'));
    expect((await listTasks(home))[0]?.title).toBe('New');
    await writeFile(index(), (await readFile(index(), 'utf8')).replace('New', 'Old'));
    await utimes(path.join(folderOf(id), 'log.jsonl'), 1, 1);
    expect((await listTasks(home))[0]?.title).toBe('New');
  });

  it.each(['', '{', '[]', '{"v":2,"tasks":{}}', '{"v":1,"tasks":{"t_000000000001":3}}', 'null'])(
    'is made anew when it reads %j',
    async (text) => {
      const id = await newTask();
      await listTasks(home);
      await writeFile(index(), text);
      expect(await listTasks(home)).toMatchObject([{ id, title: 'A task' }]);
      expect(JSON.parse(await readFile(index(), 'utf8')).tasks).toHaveProperty(id);
    },
  );

  it('does without one entry that is damaged', async () => {
    const id = await newTask();
    await listTasks(home);
    const text = await readFile(index(), 'utf8');
    await writeFile(index(), text.replace('"messages":0', '"messages":"many"'));
    expect(await listTasks(home)).toMatchObject([{ id, messages: 0 }]);
  });
});

describe('deleting', () => {
  it('removes the folder of that task only, and can be repeated', async () => {
    const one = await newTask('one');
    await newTask('two');
    await deleteTask(home, one);
    await deleteTask(home, one);
    expect((await listTasks(home)).map((t) => t.title)).toEqual(['two']);
    expect(await readdir(path.join(home, 'tasks'))).toHaveLength(1);
  });

  it('refuses while a living process runs it', async () => {
    const id = await newTask();
    const mark = await markRunning(folderOf(id));
    await expect(deleteTask(home, id)).rejects.toMatchObject({ code: 'workspace-busy' });
    await mark.release();
    await deleteTask(home, id);
    expect(await listTasks(home)).toEqual([]);
  });

  it('refuses what is no id, and finishes a deletion that was cut off', async () => {
    await expect(deleteTask(home, '../..' as TaskId)).rejects.toThrow();
    const id = await newTask();
    await mkdir(path.join(home, 'tasks', '.deleted-x'));
    await appendFile(path.join(home, 'tasks', '.deleted-x', 'y'), 'z');
    await deleteTask(home, id);
    expect(await readdir(path.join(home, 'tasks'))).toEqual([]);
  });
});
