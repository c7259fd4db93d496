import { appendFile, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TaskEvent } from '../../shared/events';
import { answer, lineOf, renamed, runStarted, TASK } from './log-fixture';
import { openTaskLog, type TaskLog } from './task-log';

let folder = '';
let file = '';
const logs: TaskLog[] = [];

const open = (): TaskLog => {
  const log = openTaskLog(folder, TASK);
  logs.push(log);
  return log;
};
const titles = (events: readonly TaskEvent[]): unknown[] =>
  events.map((e) => (e.type === 'task.renamed' ? e.title : e.type));
const numbers = (events: readonly TaskEvent[]): number[] => events.map((e) => e.seq);

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'tm-log-'));
  file = path.join(folder, 'log.jsonl');
});
afterEach(async () => {
  await Promise.all(logs.splice(0).map((l) => l.close()));
  await rm(folder, { recursive: true, force: true });
});

describe('appending', () => {
  it('numbers facts from 1 without holes and gives back what it wrote', async () => {
    const log = open();
    const first = await log.append(runStarted());
    const second = await log.append(renamed('two\nlines \u2028 and 𐀀'));
    expect(first).toMatchObject({ v: 1, seq: 1, taskId: TASK, type: 'run.started' });
    expect(new Date(first.at).toISOString()).toBe(first.at);
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    expect(lines.map((l) => JSON.parse(l))).toEqual([first, second]);
    expect(Object.keys(JSON.parse(lines[0] ?? ''))).toEqual([
      ...['v', 'seq', 'at', 'taskId', 'type'],
      ...['runId', 'mode', 'prompt', 'provider', 'model'],
    ]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('keeps the order of calls, also when they come at once', async () => {
    const log = open();
    const events = await Promise.all(Array.from({ length: 50 }, (_, i) => log.append(renamed(String(i)))));
    expect(numbers(events)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
    expect(titles((await open().read()).events)).toEqual(Array.from({ length: 50 }, (_, i) => String(i)));
  });

  it('records a fact as it was when it was given', async () => {
    const log = open();
    const fact = { type: 'task.renamed' as const, title: 'before' };
    const done = log.append(fact);
    fact.title = 'after';
    expect(await done).toMatchObject({ title: 'before' });
  });

  it('refuses a fact that a reader would not accept, and others are not harmed', async () => {
    const log = open();
    const bad = log.append({ ...answer('x'), turn: Number.NaN } as never);
    const good = log.append(renamed('good'));
    await expect(bad).rejects.toMatchObject({ code: 'failed' });
    const call = { callId: 'a', tool: 'x', input: undefined }; // JSON would drop it
    await expect(log.append({ ...answer('x'), calls: [call] } as never)).rejects.toMatchObject({
      code: 'failed',
    });
    expect((await good).seq).toBe(1);
  });

  it('takes numbers after those of another log object on the same file', async () => {
    const a = open();
    const b = open();
    await Promise.all([...'abcdefgh'].map((t, i) => (i % 2 ? a : b).append(renamed(t))));
    const { events, damaged } = await open().read();
    expect(damaged).toEqual([]);
    expect(numbers(events)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('says that the task is gone when its folder is', async () => {
    const log = open();
    await log.append(renamed('a'));
    await rm(folder, { recursive: true });
    await expect(log.append(renamed('b'))).rejects.toMatchObject({ code: 'task-unknown' });
    await expect(log.read()).rejects.toMatchObject({ code: 'task-unknown' });
  });
});

describe('a damaged file', () => {
  it('passes over damaged lines by number, keeps the file, and goes on after the highest number', async () => {
    const written = [
      lineOf(1, renamed('one')),
      'not json\n',
      lineOf(3, { type: 'task.renamed' }),
      lineOf(4, renamed('other'), { taskId: 't_zzzzzzzzzzzz' }),
      Buffer.from([0xff, 0xfe, 10]),
      lineOf(6, renamed('six')),
      lineOf(6, renamed('again')),
      '\n',
      'null\n',
    ].map((l) => Buffer.from(l as string));
    await writeFile(file, Buffer.concat(written));
    const log = open();
    const { events, damaged } = await log.read();
    expect(titles(events)).toEqual(['one', 'six']);
    expect(damaged.map((d) => [d.line, d.kind])).toEqual([
      [2, 'unreadable'],
      [3, 'invalid'],
      [4, 'foreign'],
      [5, 'unreadable'],
      [7, 'repeated'],
      [8, 'unreadable'],
      [9, 'unreadable'],
    ]);
    expect((await log.append(renamed('seven'))).seq).toBe(7);
    expect((await readFile(file)).subarray(0, Buffer.concat(written).length)).toEqual(Buffer.concat(written));
  });

  it('counts the number of a line that is known but not complete', async () => {
    await writeFile(file, lineOf(1, renamed('one')) + lineOf(2, { type: 'run.started' }));
    expect((await open().append(renamed('three'))).seq).toBe(3);
  });

  it('keeps types that it does not know, and fields that it does not know', async () => {
    await writeFile(
      file,
      lineOf(1, { type: 'task.blessed', by: 'x' }) + lineOf(2, { ...renamed('a'), color: 'red' }),
    );
    const { events, damaged } = await open().read();
    expect(damaged).toEqual([]);
    expect(events).toMatchObject([
      { type: 'task.blessed', by: 'x' },
      { title: 'a', color: 'red' },
    ]);
  });

  it('reads what a newer version wrote and refuses to add to it', async () => {
    const newer = lineOf(1, renamed('a')) + lineOf(2, { type: 'task.renamed', name: 'b' }, { v: 2 });
    await writeFile(file, newer);
    const log = open();
    expect(await log.read()).toMatchObject({ tooNew: true, damaged: [], events: [{ title: 'a' }] });
    await expect(log.append(renamed('c'))).rejects.toMatchObject({ code: 'too-new' });
    expect(await readFile(file, 'utf8')).toBe(newer);
  });

  it('sets a torn end aside and cuts it off, wherever the crash was', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 90 }), async (kept) => {
        const whole = lineOf(1, renamed('one'));
        const torn = lineOf(2, renamed('Æthelstan')).slice(0, -1);
        const bytes = Buffer.from(torn).subarray(0, kept);
        await writeFile(file, Buffer.concat([Buffer.from(whole), bytes]));
        const log = open();
        const before = await log.read();
        expect(titles(before.events)).toEqual(['one']);
        expect(before.damaged).toMatchObject([{ line: 2, kind: 'torn' }]);
        expect((await log.append(renamed('two'))).seq).toBe(2);
        expect((await log.read()).damaged).toEqual([]);
        const [aside] = (await readdir(folder)).filter((n) => n.startsWith('log.torn-'));
        expect(await readFile(path.join(folder, aside ?? ''))).toEqual(bytes);
        await rm(path.join(folder, aside ?? ''));
      }),
      { numRuns: 25 },
    );
  });

  it('starts over when the file was replaced by a shorter one', async () => {
    const log = open();
    await log.append(renamed('a long title that takes some room'));
    await log.append(renamed('b'));
    await writeFile(file, lineOf(1, renamed('restored')));
    expect(titles((await log.read()).events)).toEqual(['restored']);
    expect((await log.append(renamed('next'))).seq).toBe(2);
  });

  it('is an empty log when the file is empty or not there yet', async () => {
    expect(await open().read()).toEqual({ events: [], damaged: [], tooNew: false });
    await writeFile(file, '');
    expect((await open().append(renamed('a'))).seq).toBe(1);
  });
});

describe('following', () => {
  it('tells every fact once and in order, own ones before append resolves', async () => {
    const log = open();
    await log.append(renamed('old'));
    await log.read();
    const seen: string[] = [];
    log.follow((e) => seen.push(String(e.seq)));
    await log.append(renamed('mine')).then(() => seen.push('resolved'));
    expect(seen).toEqual(['2', 'resolved']);
  });

  it('sees what another one appends', async () => {
    const log = open();
    await log.append(renamed('old'));
    const seen: TaskEvent[] = [];
    const three = new Promise<void>((resolve) => {
      log.follow((e) => {
        seen.push(e);
        if (e.seq === 4) resolve();
      });
    });
    const other = open();
    for (const t of ['a', 'b', 'c']) await other.append(renamed(t));
    await three;
    expect(titles(seen)).toEqual(['a', 'b', 'c']);
  });

  it('tells what came between reading and following', async () => {
    await open().append(renamed('a'));
    const log = open();
    await log.read();
    await open().append(renamed('b'));
    const event = await new Promise<TaskEvent>((resolve) => log.follow(resolve));
    expect(event).toMatchObject({ seq: 2, title: 'b' });
  });

  it('ends when told so', async () => {
    const log = open();
    await log.append(renamed('a'));
    const seen: TaskEvent[] = [];
    const end = log.follow((e) => seen.push(e));
    end();
    await log.append(renamed('b'));
    expect(seen).toEqual([]);
  });
});

describe('size', () => {
  it('reads 100,000 events in a few seconds, and then only what is new', async () => {
    const lines: string[] = [];
    for (let i = 1; i <= 100_000; i++) lines.push(lineOf(i, answer(`Answer ${i} ${'word '.repeat(30)}`, i)));
    await writeFile(file, lines.join(''));
    const log = open();
    const began = performance.now();
    expect((await log.read()).events).toHaveLength(100_000);
    const first = performance.now() - began;
    await appendFile(file, lineOf(100_001, renamed('new')));
    const again = performance.now();
    expect((await log.read()).events).toHaveLength(100_001);
    const second = performance.now() - again;
    if (process.env.SHOW_TIMES) console.log({ first, second });
    expect(first).toBeLessThan(15_000);
    expect(second).toBeLessThan(first / 2);
  });

  it('reads a line that is longer than what it takes at a time', async () => {
    await writeFile(
      file,
      lineOf(1, renamed('x'.repeat(20_000_000))) + lineOf(2, renamed('b')) + lineOf(3, renamed('c')),
    );
    const log = open();
    expect(numbers((await log.read()).events)).toEqual([1, 2, 3]);
    await truncate(file, (await stat(file)).size - 5);
    expect(numbers((await log.read()).events)).toEqual([1, 2]);
  });
});
