// Spawns the built command line for tests, each time with a home of its own and a clean environment.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

export type CliResult = { readonly code: number; readonly out: string; readonly err: string };
export type CliOptions = {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly cwd?: string;
  /** runs it as this user; a test that needs it fails where it cannot be had */
  readonly uid?: number;
};

export const BUILT_CLI = path.resolve('dist/app/cli.cjs');

export interface Bench {
  readonly home: string;
  readonly folder: string;
  /** the folder's parent: everything of this test lies in it */
  readonly temp: string;
  tidemark(args: readonly string[], o?: CliOptions): Promise<CliResult>;
  start(args: readonly string[], o?: CliOptions): { child: ChildProcess; done: Promise<CliResult> };
  /** the one object of --json. The exit code must be the expected one. */
  json(args: readonly string[], o?: CliOptions & { readonly code?: number }): Promise<Record<string, never>>;
  /** the last line of `run --json` */
  result(args: readonly string[], o?: CliOptions & { readonly code?: number }): Promise<RunResult>;
  close(): Promise<void>;
}

export type RunResult = {
  readonly taskId: string;
  readonly runId: string;
  readonly outcome: string;
  readonly text: string;
  readonly checkpoints: readonly string[];
  readonly files: number;
  readonly usage: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly cost: number | null;
  };
  readonly error: { readonly code: string; readonly message: string } | null;
};

/** @param files content by name, made in the folder */
export async function openBench(files: Readonly<Record<string, string>> = {}): Promise<Bench> {
  const temp = await mkdtemp(path.join(tmpdir(), 'tidemark-cli-'));
  await chmod(temp, 0o755);
  const home = path.join(temp, 'home');
  const folder = path.join(temp, 'project');
  await mkdir(folder);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), content);
  }

  function start(
    args: readonly string[],
    o: CliOptions = {},
  ): { child: ChildProcess; done: Promise<CliResult> } {
    const child = spawn(process.execPath, [BUILT_CLI, ...args], {
      cwd: o.cwd ?? folder,
      env: { PATH: process.env.PATH, HOME: path.join(temp, 'user'), TIDEMARK_HOME: home, ...o.env },
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(o.uid === undefined ? {} : { uid: o.uid, gid: o.uid }),
    });
    child.stdin.on('error', () => undefined); // it may end before it has read
    child.stdin.end(o.input ?? '');
    let out = '';
    let err = '';
    child.stdout.on('data', (d) => {
      out += String(d);
    });
    child.stderr.on('data', (d) => {
      err += String(d);
    });
    const done = new Promise<CliResult>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => resolve({ code: code ?? (signal === null ? -1 : 128), out, err }));
    });
    return { child, done };
  }
  const tidemark = (args: readonly string[], o: CliOptions = {}): Promise<CliResult> => start(args, o).done;

  async function lastLine<T>(args: readonly string[], o: CliOptions & { code?: number }): Promise<T> {
    const r = await tidemark([...args, '--json'], o);
    if (r.code !== (o.code ?? 0))
      throw new Error(`exit ${r.code} instead of ${o.code ?? 0}: ${args.join(' ')}\n${r.out}${r.err}`);
    return JSON.parse(r.out.trim().split('\n').at(-1) ?? '') as T;
  }
  return {
    home,
    folder,
    temp,
    tidemark,
    start,
    json: (args, o = {}) => lastLine(args, o),
    result: (args, o = {}) => lastLine(args, o),
    close: () => rm(temp, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Options of a run that nobody is asked about. */
export const PRACTICE = ['--provider', 'practice', '--yes'] as const;
