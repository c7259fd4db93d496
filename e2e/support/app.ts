// Starts the built app in a real Electron with a home of its own and nothing of the user's, and collects what goes
// wrong in it. Knows nothing of what the window shows.
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { _electron, type ElectronApplication, type Page } from '@playwright/test';
import { isNoise } from '../../app/dev/noise.mjs';

export type Theme = 'light' | 'dark';

export interface LaunchOptions {
  /** Opened as the workspace. */
  readonly folder?: string;
  /** Opened together, as one workspace; also the path of a `.code-workspace` file. */
  readonly folders?: readonly string[];
  /** `<home>` of an earlier launch, to come back to it; by default a new one that `close` removes. */
  readonly home?: string;
  /** On top of an environment without keys, npm's variables and TIDEMARK_*. */
  readonly env?: Readonly<Record<string, string>>;
  /** Linux: how many watches and open files the system allows it. */
  readonly limits?: { readonly watches: number; readonly files: number };
  /** What the system says when the app's theme is "system". */
  readonly theme?: Theme;
}

export interface RunningApp {
  readonly app: ElectronApplication;
  readonly page: Page;
  readonly home: string;
  /** Errors on the page's console, uncaught exceptions, lines on stderr; a story ends by expecting none. */
  readonly errors: readonly string[];
  close(): Promise<void>;
}

const ROOT = path.resolve(import.meta.dirname, '../..');
/** Time for the app to settle its store before it is ended the hard way. */
const CLOSE_LIMIT_MS = 15_000;

export async function launchApp(options: LaunchOptions = {}): Promise<RunningApp> {
  const executablePath = process.env.TIDEMARK_E2E_PACKAGED ?? process.env.TIDEMARK_E2E_ELECTRON;
  if (!executablePath) throw new Error('no Electron named: start the stories with `npm run test:e2e`');
  const temp = await mkdtemp(path.join(tmpdir(), 'tidemark-e2e-'));
  const home = options.home ?? path.join(temp, 'home');
  const app = await _electron.launch({
    executablePath: options.limits ? await limited(executablePath, options.limits, temp) : executablePath,
    args: launchArguments(options.folders ?? (options.folder ? [options.folder] : [])),
    cwd: temp,
    env: {
      ...ownEnvironment(),
      TIDEMARK_HOME: home,
      XDG_CONFIG_HOME: path.join(temp, 'config'),
      ...options.env,
    },
    colorScheme: options.theme ?? 'light',
  });
  const errors: string[] = [];
  collectErrors(app, errors);
  const page = await app.firstWindow();
  return { app, page, home, errors, close: () => closeApp(app, temp) };
}

/** Whether this machine lets a user have limits of their own. */
export function mayLimit(): boolean {
  return process.platform === 'linux' && spawnSync('unshare', ['-Ur', 'true']).status === 0;
}

/** A program that starts the other one in a user namespace of its own, where the limits hold for it alone. */
async function limited(
  program: string,
  { watches, files }: NonNullable<LaunchOptions['limits']>,
  folder: string,
): Promise<string> {
  const script = path.join(folder, 'limited');
  const inside = `echo ${watches} > /proc/sys/user/max_inotify_watches && ulimit -n ${files} && exec "$@"`;
  const text = `#!/bin/sh\nexec unshare -Ur sh -c '${inside}' sh '${program}' "$@"\n`;
  await writeFile(script, text, { mode: 0o755 });
  return script;
}

/**
 * Playwright's own loader keeps the app from being ready before Playwright watches for windows. It adds it only to an
 * Electron that it has found itself; without it a window made at the wrong moment is never seen.
 */
const LOADER = path.join(
  path.dirname(createRequire(import.meta.url).resolve('playwright-core/package.json')),
  'lib/server/electron/loader.js',
);

/** What a start of the app is given, also of a second one beside the first. A packaged app knows its own place. */
export function launchArguments(folders: readonly string[]): string[] {
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  if (process.env.TIDEMARK_E2E_PACKAGED) return [...root, ...folders];
  return [
    ...['-r', LOADER, ...root, ROOT],
    ...(process.env.TIDEMARK_E2E_OLD ? ['--old-electron'] : []),
    ...folders,
  ];
}

/** A developer's keys and settings must neither be used up by a story nor change it; nor must Playwright's colours. */
export function ownEnvironment(): Record<string, string> {
  const foreign =
    /^(?:npm_|TIDEMARK_|ANTHROPIC_|OPENAI_|OLLAMA_|GIT_|NODE_|INIT_CWD|PLAYWRIGHT_|PW_|TEST_|FORCE_COLOR|NO_COLOR|DEBUG_COLORS)/i;
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || foreign.test(name) ? [] : [[name, value] as const],
    ),
  );
}

function collectErrors(app: ElectronApplication, errors: string[]): void {
  app.process().stderr?.on('data', (data) => {
    const lines = String(data).split('\n');
    errors.push(
      ...lines
        .filter((line) => line.trim() && !isDebugger(line) && !isNoise(line))
        .map((line) => `stderr: ${line}`),
    );
  });
  const watch = (page: Page) => {
    page.on('pageerror', (error) => errors.push(`page: ${error.stack ?? error.message}`));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(`page: ${message.text()}`);
    });
  };
  app.on('window', watch);
  app.windows().forEach(watch);
}

/** Playwright attaches through the inspector, which announces itself. */
function isDebugger(line: string): boolean {
  return /^(?:Debugger |DevTools listening|For help, see: https:\/\/nodejs\.org|Waiting for the debugger)/.test(
    line,
  );
}

async function closeApp(app: ElectronApplication, temp: string): Promise<void> {
  const child = app.process();
  const limit = setTimeout(() => child.kill('SIGKILL'), CLOSE_LIMIT_MS);
  try {
    await app.close();
  } finally {
    clearTimeout(limit);
    await rm(temp, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}
