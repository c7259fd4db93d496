import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeTempFolder, type TempFolder } from '../testing/temp-folder';
import { toolContextOf } from '../testing/tool-context';
import { openCommandGroup } from './command-group';
import { readFileTool } from './read-file';
import { runCommandTool } from './run-command';
import { startCommand } from './started-command';
import type { ToolContext } from './tool';

let temp: TempFolder;
let stop: AbortController;
let shown: string;
/** settles when the command has printed this */
let awaited: { readonly text: string; readonly resolve: () => void } | null;
beforeEach(async () => {
  temp = await makeTempFolder();
  stop = new AbortController();
  shown = '';
  awaited = null;
});
afterEach(() => temp.remove());

const context = (): ToolContext =>
  toolContextOf(temp, {
    signal: stop.signal,
    output: (text) => {
      shown += text;
      if (awaited !== null && shown.includes(awaited.text)) awaited.resolve();
    },
    commandEnv: { PATH: process.env.PATH ?? '', GREETING: 'hello' },
  });
const run = (command: string, more: object = {}) => runCommandTool.run({ command, ...more }, context());
const printed = (text: string) =>
  new Promise<void>((resolve) => {
    awaited = { text, resolve };
    if (shown.includes(text)) resolve();
  });

/** Process ids, among those given, that still run (zombies do not). */
async function alive(pids: readonly number[]): Promise<readonly number[]> {
  const states = await Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      return stat === '' || /\) Z /.test(stat) ? [] : [pid];
    }),
  );
  return states.flat();
}
const pidsIn = (text: string) => [...text.matchAll(/pid (\d+)/g)].map((m) => Number(m[1]));

describe('run_command', () => {
  test('gives exit code and both outputs, and streams them', async () => {
    const outcome = await run('echo out; echo err >&2; exit 3');
    expect(outcome).toMatchObject({ ok: true, display: { kind: 'command', exitCode: 3, cut: false } });
    expect(outcome.text).toMatch(/^Exit code 3\.\n/);
    expect(shown.split('\n').sort()).toEqual(['', 'err', 'out']);
  });

  test('runs in the workspace or a folder of it, with the given environment and no input', async () => {
    await mkdir(path.join(temp.root, 'sub'));
    expect((await run('pwd; cat; echo $GREETING', { cwd: 'sub' })).text).toContain(
      `${path.join(temp.root, 'sub')}\nhello`,
    );
    expect((await run('env')).text).not.toContain('TIDEMARK');
  });

  test('a folder outside, or kept from the agent, is refused', async () => {
    await symlink(temp.outside, path.join(temp.root, 'd'));
    await temp.put({ '.agentignore': 'private/\n', 'private/x': '' });
    for (const cwd of ['..', '/', 'd', 'private'])
      await expect(runCommandTool.preview({ command: 'ls', cwd }, context())).rejects.toThrow(/refused/);
  });

  test('colours are for the screen: the model reads text', async () => {
    const outcome = await run("printf '\\033[31mred\\033[0m\\n10%%\\r20%%\\rdone\\n'");
    expect(outcome.text).toBe('Exit code 0.\nred\ndone\n');
    expect(outcome.display).toMatchObject({ output: '\u001b[31mred\u001b[0m\n10%\r20%\rdone\n' });
  });

  test('a long output is cut in the middle and kept whole in a private file', async () => {
    const outcome = await run('i=0; while [ $i -lt 9000 ]; do echo "line $i"; i=$((i+1)); done');
    expect(outcome.text.length).toBeLessThan(31_000);
    expect(outcome.text).toContain('line 0\n');
    expect(outcome.text).toContain('line 8999\n');
    const [name = ''] = await readdir(temp.outputs);
    const whole = await readFile(path.join(temp.outputs, name), 'utf8');
    expect(whole).toBe(Array.from({ length: 9000 }, (_, i) => `line ${i}\n`).join(''));
    expect(outcome.text).toContain(path.join(temp.outputs, name));
    const file = path.join(temp.outputs, name);
    const part = await readFileTool.run({ path: file, start_line: 5001, end_line: 5002 }, context());
    expect(part.text).toContain('line 5000\nline 5001');
    for (const wrong of [
      `${file}/../x`,
      path.join(temp.outputs, 'log.jsonl'),
      path.relative(temp.root, file),
    ])
      await expect(readFileTool.run({ path: wrong }, context())).rejects.toThrow();
  });

  test('a character that is split between two pieces stays whole', async () => {
    expect((await run("printf '\\303'; sleep 0.05; printf '\\244'")).text).toContain('ä');
  });

  test('guarded words of the command are named', async () => {
    const { guarded } = await runCommandTool.preview(
      { command: 'cp a ./.git/hooks/x; cat <.env' },
      context(),
    );
    expect(guarded.map((g) => g.guard)).toEqual(['git', 'secret']);
  });
});

const FAMILY = [
  "sh -c 'echo pid $$; sleep 60' &",
  "setsid sh -c 'echo pid $$; exec sleep 60' &",
  // its parent has ended: only the mark in its environment tells
  '(setsid sh -c \'trap "" TERM; echo pid $$; while :; do sleep 1; done\' &)',
  'echo pid $$',
].join('\n');

describe.runIf(process.platform === 'linux')('the whole process tree ends', () => {
  test('at the time limit, also children that left the group or ignore TERM', async () => {
    const outcome = await run(`${FAMILY}\nwait; sleep 60`, { timeout_s: 1 });
    expect(outcome).toMatchObject({ ok: false });
    expect(outcome.text).toContain('its time limit');
    expect(pidsIn(shown)).toHaveLength(4);
    expect(await alive(pidsIn(shown))).toEqual([]);
  });

  test('at Stop, within a second', async () => {
    const running = run(`${FAMILY}\nsleep 1; echo ready; wait; sleep 60`);
    await printed('ready');
    const at = performance.now();
    stop.abort();
    const outcome = await running;
    expect(performance.now() - at).toBeLessThan(1500);
    expect(outcome.ok).toBe(false);
    expect(pidsIn(shown)).toHaveLength(4);
    expect(await alive(pidsIn(shown))).toEqual([]);
  });

  test('when the shell has ended and left some running', async () => {
    const outcome = await run('sleep 60 & echo pid $!');
    expect(outcome.text).toContain('left running were ended');
    expect(await alive(pidsIn(shown))).toEqual([]);
  });

  test('a kill within a second, also of a shell that ignores TERM', async () => {
    const running = run('trap "" TERM; echo ready; while :; do sleep 1; done');
    await printed('ready');
    stop.abort();
    expect((await running).ok).toBe(false);
  });
});

/** Drops group, session, parent and environment at once, before anybody can have seen it. */
const RUNAWAY = 'env -i setsid /bin/sh -c \'(echo pid $(sh -c "echo \\$PPID"); exec sleep 60) &\' &';
/** Each one starts the next and ends. */
const HOP = 'echo "hop $1 pid $$"; env -i setsid /bin/sh "$0" $(($1 + 1)) &';

describe.runIf(
  await openCommandGroup('test').then((g) => (g === null ? false : g.remove().then(() => true))),
)('with control groups nothing gets away', () => {
  test('one that drops all by which it is known', async () => {
    const outcome = await run(`${RUNAWAY} sleep 0.3`);
    expect(outcome.text).toContain('left running were ended');
    expect(pidsIn(shown)).toHaveLength(1);
    expect(await alive(pidsIn(shown))).toEqual([]);
  });

  test('one that goes on in a new process all the time', async () => {
    await temp.put({ 'hop.sh': HOP });
    const running = run('env -i setsid /bin/sh hop.sh 1 & sleep 60');
    await printed('hop 5 ');
    stop.abort();
    await running;
    expect(await alive(pidsIn(shown))).toEqual([]);
  });

  test('the group goes with the command', async () => {
    const group = await openCommandGroup('gone');
    expect(await group?.processes()).toEqual([]);
    await group?.remove();
    await expect(readFile(group?.entrance ?? '')).rejects.toThrow();
  });
});

describe.runIf(process.platform === 'linux')('without control groups', () => {
  const start = (command: string) =>
    startCommand({
      command,
      cwd: temp.root,
      env: { PATH: process.env.PATH ?? '' },
      grouped: false,
      output: (chunk) => {
        shown += String(chunk);
        if (awaited !== null && shown.includes(awaited.text)) awaited.resolve();
      },
    });

  test('a family that left the group and ignores TERM ends', async () => {
    const running = await start(`${FAMILY}\nsleep 1; echo ready; wait; sleep 60`);
    await printed('ready');
    await running.end();
    expect(pidsIn(shown)).toHaveLength(4);
    expect(await alive(pidsIn(shown))).toEqual([]);
  });

  test('one without the mark whose parent has ended ends too, once it was seen', async () => {
    const script =
      'env -i setsid sh -c \'(echo pid $(sh -c "echo \\$PPID"); sleep 60) & sleep 0.6\' & sleep 1';
    const running = await start(script);
    await running.exited;
    expect(await running.endLeft()).toBe(true);
    expect(pidsIn(shown).length).toBeGreaterThan(0);
    expect(await alive(pidsIn(shown))).toEqual([]);
  });
});
