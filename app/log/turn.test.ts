import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { build } from 'vite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { renamed, TASK } from './log-fixture';
import { isRunning, markRunning } from './running';
import { openTaskLog } from './task-log';
import { inTurn, isTurnTaken } from './turn';

let built = '';
let folder = '';
const children: ChildProcess[] = [];

beforeAll(async () => {
  built = await mkdtemp(path.join(os.tmpdir(), 'tm-turn-built-'));
  await build({
    configFile: false,
    logLevel: 'silent',
    ssr: { noExternal: true },
    build: {
      ssr: path.join(import.meta.dirname, 'turn-child.ts'),
      outDir: built,
      target: 'node18',
      rolldownOptions: { output: { entryFileNames: 'child.mjs', chunkFileNames: '[name].mjs' } },
    },
  });
});
afterAll(() => rm(built, { recursive: true, force: true }));
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'tm-turn-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGCONT');
    child.kill('SIGKILL');
    await ended(child);
  }
  await rm(folder, { recursive: true, force: true });
});

function start(...args: string[]): ChildProcess & { text: string } {
  const child = spawn(process.execPath, [path.join(built, 'child.mjs'), folder, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const told = Object.assign(child, { text: '' });
  child.stdout?.on('data', (data) => {
    told.text += data;
  });
  return told;
}

async function says(child: ReturnType<typeof start>, word: string): Promise<boolean> {
  while (!child.text.includes(word)) {
    if (child.exitCode !== null || child.signalCode !== null) return false;
    await Promise.race([once(child, 'close'), once(child.stdout ?? child, 'data')]);
  }
  return true;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
}

/** Again and again: it may say that it stops a moment before it does. */
async function goOn(child: ChildProcess): Promise<void> {
  const timer = setInterval(() => child.kill('SIGCONT'), 20);
  await ended(child);
  clearInterval(timer);
}

const cards = (): Promise<string[]> => readdir(path.join(folder, 'live')).catch(() => []);

describe('turns', () => {
  it('go in the order in which they were asked for, one at a time', async () => {
    const seen: string[] = [];
    const turn = (name: string) => (): Promise<void> =>
      inTurn(folder, 5000, async () => {
        seen.push(`${name} in`);
        await new Promise((resolve) => setTimeout(resolve, 20));
        seen.push(`${name} out`);
      });
    const a = turn('a')();
    await new Promise((resolve) => setTimeout(resolve, 15));
    await Promise.all([a, turn('b')(), turn('c')()]);
    expect(seen.slice(0, 2)).toEqual(['a in', 'a out']);
    expect(seen.map((s) => s.slice(2))).toEqual(['in', 'out', 'in', 'out', 'in', 'out']);
    expect(await cards()).toEqual([]);
  });

  it('end with the work that fails in them', async () => {
    await expect(inTurn(folder, 100, () => Promise.reject(new Error('x')))).rejects.toThrow('x');
    expect(await isTurnTaken(folder)).toBe(false);
  });

  it('are not taken from a stopped process, but from a killed one at once', async () => {
    const child = start('hold');
    await says(child, 'held');
    expect(await isTurnTaken(folder)).toBe(true);
    child.kill('SIGSTOP');
    await expect(inTurn(folder, 300, async () => 1)).rejects.toMatchObject({ code: 'workspace-busy' });
    const mine = inTurn(folder, 20_000, async () => 2);
    child.kill('SIGKILL');
    expect(await mine).toBe(2);
    expect(await cards()).toEqual([]);
  });
});

describe('the marker of a run', () => {
  it('holds until released', async () => {
    expect(await isRunning(folder)).toBe(false);
    const one = await markRunning(folder);
    const two = await markRunning(folder);
    await one.release();
    expect(await isRunning(folder)).toBe(true);
    await two.release();
    expect(await isRunning(folder)).toBe(false);
  });

  it('ends with its process, and stands while that is stopped', async () => {
    const child = start('run');
    await says(child, 'running');
    child.kill('SIGSTOP');
    expect(await isRunning(folder)).toBe(true);
    child.kill('SIGKILL');
    await ended(child);
    expect(await isRunning(folder)).toBe(false);
    expect(await cards()).toEqual([]);
  });
});

describe('a log that several processes append to', () => {
  it('has every fact, numbered without holes', { timeout: 300_000 }, async () => {
    const log = openTaskLog(folder, TASK);
    const all = Array.from({ length: 12 }, (_, i) => start('append', '20', `${i}-`));
    await Promise.all([...all.map(ended), ...[...'abcde'].map((t) => log.append(renamed(t)))]);
    const { events, damaged } = await log.read();
    expect(all.map((c) => c.exitCode)).toEqual(all.map(() => 0));
    expect(damaged).toEqual([]);
    expect(events.map((e) => e.seq)).toEqual(Array.from({ length: 245 }, (_, i) => i + 1));
    await log.close();
  });

  it('goes on after a death before any file operation, and keeps what was promised', {
    timeout: 300_000,
  }, async () => {
    const met = new Set<string>();
    const log = openTaskLog(folder, TASK);
    await log.append(renamed('first'));
    let promised = 1;
    for (let n = 1; n < 60; n++) {
      const child = start('die-at', String(n));
      await ended(child);
      if (child.text.includes('appended')) promised = Number(/appended (\d+)/.exec(child.text)?.[1]);
      const { seq } = await log.append(renamed('next'));
      expect(seq).toBeGreaterThan(promised);
      const { events, damaged } = await log.read();
      expect(damaged).toEqual([]);
      expect(events.map((e) => e.seq)).toEqual(Array.from({ length: seq }, (_, i) => i + 1));
      if (child.signalCode === null) break;
      met.add(/at (\w+)/.exec(child.text)?.[1] ?? '');
    }
    expect([...met].sort()).toEqual(
      ['open', 'readFile', 'readdir', 'rename', 'rm', 'writeFile'].filter((m) => met.has(m)),
    );
    expect(met.size).toBeGreaterThanOrEqual(5);
    await log.close();
  });

  it('has no two facts with one number when a process was stopped on the way', {
    timeout: 300_000,
  }, async () => {
    for (let n = 1; n < 60; n++) {
      const child = start('stop-at', String(n));
      const stopped = await says(child, 'at ');
      const log = openTaskLog(folder, TASK);
      const turn = inTurn(folder, 100, async () => undefined).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'workspace-busy' });
      });
      await turn;
      const mine = log.append(renamed('parent'));
      await Promise.all([mine, goOn(child)]);
      const { events, damaged } = await log.read();
      expect(damaged).toEqual([]);
      expect(events.map((e) => e.seq)).toEqual(Array.from({ length: 2 * n }, (_, i) => i + 1));
      await log.close();
      if (!stopped) break;
    }
  });
});
