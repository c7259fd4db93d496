// What goes wrong around the command line: each time a sentence, the right exit code, and nothing lost.
import { appendFile, chmod, chown, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startAnthropicServer } from '../testing/anthropic-server';
import { startProviderServer } from '../testing/provider-server';
import { type Bench, openBench, PRACTICE } from './cli-harness';

let bench: Bench;
beforeEach(async () => {
  bench = await openBench({ 'a.txt': 'one\n' });
});
afterEach(() => bench.close());

const NOBODY = 65534;
const change = ['run', 'create b.txt with "two"', ...PRACTICE];

/** A git of our own choosing, alone on the PATH with what a shell needs. */
async function fakeGit(script: string | null): Promise<string> {
  const bin = path.join(bench.temp, 'bin');
  await mkdir(bin);
  await symlink('/bin/sh', path.join(bin, 'sh'));
  if (script !== null) {
    await writeFile(path.join(bin, 'git'), `#!/bin/sh\n${script}\n`);
    await chmod(path.join(bin, 'git'), 0o755);
  }
  return bin;
}

describe('git', () => {
  test('fault 48: no git: says so, exit 3, nothing changed', async () => {
    const r = await bench.tidemark(change, { env: { PATH: await fakeGit(null) } });
    expect(r.code).toBe(3);
    expect(r.err).toContain('Git must be installed to use checkpoints.');
    expect(await readdir(bench.folder)).toEqual(['a.txt']);
  });

  test('git too old: says which is needed, exit 3', async () => {
    const r = await bench.tidemark(change, { env: { PATH: await fakeGit('echo git version 2.20.1') } });
    expect(r.code).toBe(3);
    expect(r.err).toContain('2.30');
    expect(await readdir(bench.folder)).toEqual(['a.txt']);
  });

  test('--unprotected goes on without', async () => {
    const r = await bench.tidemark([...change, '--unprotected'], { env: { PATH: await fakeGit(null) } });
    expect(r.code).toBe(0);
    expect(await readFile(path.join(bench.folder, 'b.txt'), 'utf8')).toBe('two');
  });

  test('--unprotected goes on after a crash too: the cut run gets its end, with what was lost', async () => {
    const cut = bench.start(['run', 'run `echo half > half.txt; sleep 600`', ...PRACTICE]);
    while (!(await readdir(bench.folder)).includes('half.txt')) await new Promise(setImmediate);
    cut.child.kill('SIGKILL');
    await cut.done;
    const env = { PATH: await fakeGit(null) };
    const refused = await bench.tidemark(change, { env });
    expect([refused.code, refused.err]).toEqual([3, expect.stringContaining('Git must be installed')]);
    const r = await bench.tidemark([...change, '--unprotected'], { env });
    expect(r.code).toBe(0);
    expect(await readFile(path.join(bench.folder, 'b.txt'), 'utf8')).toBe('two');
    const { tasks } = (await bench.json(['tasks'])) as unknown as { tasks: { id: string; state: string }[] };
    expect(tasks.map((t) => t.state)).toEqual(['idle', 'idle']);
    const log = await readFile(path.join(bench.home, 'tasks', tasks[1]?.id ?? '', 'log.jsonl'), 'utf8');
    expect(log).toContain('What it did last is in no checkpoint');
  });

  test('doctor names what is missing', async () => {
    const r = await bench.json(['doctor'], { env: { PATH: await fakeGit(null) }, code: 3 });
    expect(r).toMatchObject({ v: 1, ok: false });
    expect(JSON.stringify(r)).toContain('Git must be installed');
  });
});

describe('Practice', () => {
  test('an instruction that does not work is a failed run, exit 1; what came before it is kept', async () => {
    const r = await bench.result(['run', 'create b.txt with "b"\ndelete gone.txt', ...PRACTICE], { code: 1 });
    expect(r).toMatchObject({ outcome: 'failed', files: 1, error: { code: 'tool-failed' } });
    expect(r.error?.message).toContain('There is no file "gone.txt"');
    expect(await readdir(bench.folder)).toEqual(['a.txt', 'b.txt']);
  });

  test('what it does not understand it says: that is an answer, exit 0', async () => {
    const r = await bench.result(['run', 'make me a sandwich', ...PRACTICE]);
    expect(r).toMatchObject({ outcome: 'completed', files: 0, error: null });
    expect(r.text).toContain('I do not understand');
  });

  test('a command that ends with an error has run: its exit code is in the answer', async () => {
    const r = await bench.result(['run', 'run `exit 3`', ...PRACTICE]);
    expect(r.outcome).toBe('completed');
    expect(r.text).toContain('Exit code 3');
  });
});

describe('providers', () => {
  test('none chosen: exit 3 with the list', async () => {
    const r = await bench.tidemark(['run', 'hello', '--yes']);
    expect(r.code).toBe(3);
    expect(r.err).toContain('practice');
  });

  test('unknown: exit 2 with the list', async () => {
    const r = await bench.tidemark(['run', 'hello', '--yes', '--provider', 'nobody']);
    expect(r.code).toBe(2);
    expect(r.err).toContain('openai-compatible');
  });

  test('no key: exit 3', async () => {
    const r = await bench.tidemark(['run', 'hello', '--yes', '--provider', 'openai', '--model', 'm']);
    expect(r.code).toBe(3);
    expect(r.err).toContain('key');
  });

  test('anthropic by its own variables: without key exit 3, with it the task is done', async () => {
    const server = await startAnthropicServer(
      [
        { reasoning: 'one file', calls: [{ name: 'write_file', args: { path: 'made.txt', content: 'x' } }] },
        { text: 'Done.' },
      ],
      { key: 'right' },
    );
    const args = ['run', 'hello', '--yes', '--provider', 'anthropic', '--model', 'claude-sonnet-4-5'];
    const env = { ANTHROPIC_BASE_URL: server.baseUrl };
    expect((await bench.tidemark(args, { env })).err).toContain('ANTHROPIC_API_KEY');
    await bench.result(args, { env: { ...env, ANTHROPIC_API_KEY: 'wrong' }, code: 3 });
    const r = await bench.result(args, { env: { ...env, ANTHROPIC_API_KEY: 'right' } });
    expect(r).toMatchObject({ outcome: 'completed', text: 'Done.', files: 1 });
    expect(r.usage.cost).toBeGreaterThan(0);
    expect(server.faults).toEqual([]);
    await server.close();
  });

  test('wrong key: exit 3, the task stays', async () => {
    const server = await startProviderServer([], { key: 'right' });
    const env = { OPENAI_BASE_URL: server.baseUrl, OPENAI_API_KEY: 'wrong' };
    const r = await bench.result(
      ['run', 'hello', '--yes', '--provider', 'openai-compatible', '--model', 'm'],
      { env, code: 3 },
    );
    expect(r.error?.code).toBe('key-wrong');
    expect(r.outcome).toBe('failed');
    const { tasks } = await bench.json(['tasks']);
    expect(tasks).toHaveLength(1);
    await server.close();
  });

  test('server gone: exit 3', async () => {
    const server = await startProviderServer();
    await server.close();
    const env = { OPENAI_BASE_URL: server.baseUrl };
    const r = await bench.result(
      ['run', 'hello', '--yes', '--provider', 'openai-compatible', '--model', 'm'],
      { env, code: 3 },
    );
    expect(r.error?.code).toBe('provider-unreachable');
  });
});

describe('what only a person can say: exit 4', () => {
  test('a question of the agent, also with --yes; what went before stays', async () => {
    const prompt = 'create b.txt with "b"\nask "Which one?"\ncreate c.txt with "c"';
    const r = await bench.result(['run', prompt, ...PRACTICE], { code: 4 });
    expect(r.error).toMatchObject({
      code: 'decision-needed',
      message: expect.stringContaining('Which one?'),
    });
    expect(await readdir(bench.folder)).toContain('b.txt');
  });

  test('a limit that is reached, also with --yes', async () => {
    await mkdir(bench.home, { recursive: true });
    await writeFile(path.join(bench.home, 'settings.json'), JSON.stringify({ v: 1, limits: { turns: 1 } }));
    const r = await bench.result(['run', 'run `echo a`\nrun `echo b`', ...PRACTICE], { code: 4 });
    expect(r).toMatchObject({ outcome: 'failed', error: { code: 'decision-needed' } });
    expect(r.error?.message).toContain('1 turn');
  });
});

describe('folders', () => {
  test('gone: exit 5', async () => {
    const r = await bench.tidemark([...change, '--workspace', path.join(bench.temp, 'gone')]);
    expect(r.code).toBe(5);
    expect(r.err).toContain('is not there');
  });

  test('a file instead of a folder: exit 5', async () => {
    const r = await bench.tidemark([...change, '--workspace', path.join(bench.folder, 'a.txt')]);
    expect(r.code).toBe(5);
    expect(r.err).toContain('is not a folder');
  });

  test('not writable: the agent is told, the file is as it was', async () => {
    const home = path.join(bench.temp, 'nobody');
    await mkdir(home);
    await chown(home, NOBODY, NOBODY);
    await chmod(bench.folder, 0o555);
    const r = await bench.tidemark(['run', 'create b.txt with "two"', ...PRACTICE], {
      uid: NOBODY,
      env: { TIDEMARK_HOME: path.join(home, 'tidemark'), HOME: home },
    });
    expect(r.out + r.err).toMatch(/not (be )?writ|permission/i);
    expect(await readdir(bench.folder)).toEqual(['a.txt']);
    expect(r.code).toBe(1);
  });

  test('fault 62: home: the agent works, checkpoints are refused with the reason', async () => {
    const env = { HOME: bench.folder };
    const run = await bench.result(change, { env });
    expect(run).toMatchObject({ outcome: 'completed', checkpoints: [] });
    expect(await readFile(path.join(bench.folder, 'b.txt'), 'utf8')).toBe('two');
    const doctor = await bench.json(['doctor'], { env });
    expect(JSON.stringify(doctor)).toContain('Cannot use checkpoints in home directory');
  });

  test('not trusted and nobody to ask: exit 4, nothing ran', async () => {
    const r = await bench.tidemark(['run', 'create b.txt with "two"', '--provider', 'practice']);
    expect(r.code).toBe(4);
    expect(await readdir(bench.folder)).toEqual(['a.txt']);
  });
});

describe('own files', () => {
  test('damaged settings: set aside, defaults used, said', async () => {
    await mkdir(bench.home, { recursive: true });
    await writeFile(path.join(bench.home, 'settings.json'), '{ "v": 1, broken');
    const r = await bench.tidemark(change);
    expect(r.code).toBe(0);
    expect(r.err).toMatch(/settings/i);
    const names = await readdir(bench.home);
    const aside = names.find((n) => n.startsWith('settings.json.broken-'));
    expect(aside).toBeDefined();
    expect(await readFile(path.join(bench.home, aside ?? ''), 'utf8')).toBe('{ "v": 1, broken');
  });

  test('a torn line at the end of a log: the task goes on, the torn bytes are kept', async () => {
    const first = await bench.result(change);
    const log = path.join(bench.home, 'tasks', first.taskId, 'log.jsonl');
    await appendFile(log, '{"v":1,"seq":99,"at":"20');
    const second = await bench.result([
      'run',
      'create c.txt with "three"',
      ...PRACTICE,
      '--task',
      first.taskId,
    ]);
    expect(second.outcome).toBe('completed');
    const names = await readdir(path.dirname(log));
    const torn = names.find((n) => n.startsWith('log.torn-'));
    expect(await readFile(path.join(path.dirname(log), torn ?? ''), 'utf8')).toBe('{"v":1,"seq":99,"at":"20');
    for (const line of (await readFile(log, 'utf8')).trim().split('\n')) JSON.parse(line);
  });

  test('a damaged line in the middle of a log: the rest counts, the file is not rewritten', async () => {
    const first = await bench.result(change);
    const log = path.join(bench.home, 'tasks', first.taskId, 'log.jsonl');
    const lines = (await readFile(log, 'utf8')).split('\n');
    const at = lines.findIndex((l) => l.includes('"message.completed"'));
    lines[at] = 'not json';
    await writeFile(log, lines.join('\n'));
    const { checkpoints } = await bench.json(['checkpoints']);
    expect(checkpoints).toHaveLength(first.checkpoints.length);
    expect((await readFile(log, 'utf8')).split('\n')[at]).toBe('not json');
  });

  test('a missing store: restore refused, nothing touched (exit 8)', async () => {
    const run = await bench.result(change);
    await rm(path.join(bench.home, 'checkpoints'), { recursive: true });
    const r = await bench.tidemark(['rewind', run.checkpoints[0] ?? '', '--yes']);
    expect(r.code).toBe(8);
    expect((await readdir(bench.folder)).sort()).toEqual(['a.txt', 'b.txt']);
  });
});

describe('usage', () => {
  test.each([
    ['no command', []],
    ['unknown command', ['fly']],
    ['unknown flag', ['tasks', '--fast']],
    ['missing argument', ['rewind']],
    ['two scopes', ['rewind', 'c_abcd', '--files', '--all', '--yes']],
    ['wrong choice', ['rewind', 'c_abcd', '--conflicts', 'both', '--yes']],
    ['wrong wait', ['tasks', '--wait', 'soon']],
    ['empty prompt', ['run', ' ', ...PRACTICE]],
    ['wrong mode', ['run', 'x', ...PRACTICE, '--mode', 'fly']],
  ])('%s: exit 2', async (_what, args) => {
    const r = await bench.tidemark(args);
    expect(r.code).toBe(2);
    expect(r.err).not.toBe('');
  });

  test('unknown ids: exit 5, one line on stderr or the error object', async () => {
    const r = await bench.tidemark(['rewind', 'c_000000000000', '--yes']);
    expect(r).toMatchObject({ code: 5, out: '' });
    expect(r.err.trim().split('\n')).toHaveLength(1);
    const json = await bench.json(['diff', 'c_000000000000'], { code: 5 });
    expect(json).toMatchObject({ v: 1, error: { code: 'checkpoint-unknown' } });
    expect((await bench.tidemark(['run', 'x', ...PRACTICE, '--task', 't_0000'])).code).toBe(5);
  });

  test('help and version: exit 0', async () => {
    expect((await bench.tidemark(['--help'])).code).toBe(0);
    expect((await bench.tidemark(['--version'])).code).toBe(0);
  });
});
