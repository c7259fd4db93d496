// The development commands: `start [FOLDER...]`, `tour`, `e2e [ARGUMENTS]`, `cli ARGUMENTS`, `dist [TARGET...]`,
// `packaged` (the main story in the packaged app).
// Plain JavaScript that runs before anything is built. It prepares a runtime, system packages, a display and dist/,
// then hands over; it holds no product code, and the product never imports it.
import { createRequire } from 'node:module';
import path from 'node:path';
import { ensureBuilt } from './build.mjs';
import { onSignals, runInForeground, signalExitCode } from './child.mjs';
import { ensurePackages } from './debian.mjs';
import { openDisplay } from './display.mjs';
import { makePackages, packagedProgram } from './dist.mjs';
import { findElectron } from './electron.mjs';
import { cleanEnvironment, electronArguments } from './handover.mjs';
import { callerFolder, root } from './places.mjs';
import { Stop, say } from './stop.mjs';

/** @type {Record<string, (args: readonly string[]) => Promise<void>>} */
const COMMANDS = { start, tour, e2e, cli, dist, packaged };

/** @param {readonly string[]} args */
async function start(args) {
  const folders = args.map((arg) =>
    arg.startsWith('-') ? arg : path.resolve(callerFolder(process.env), arg),
  );
  await withScreen(async (runtime, env) => {
    const all = electronArguments({
      root: process.getuid?.() === 0,
      old: runtime.old,
      app: root,
      rest: folders,
    });
    return runInForeground(runtime.executable, all, { env });
  });
}

/** @param {readonly string[]} args */
async function tour(args) {
  await playwright(['--project=tour', '--reporter=./e2e/support/step-reporter.ts', ...args]);
}

/** @param {readonly string[]} args */
async function e2e(args) {
  await playwright(['--project=stories', ...args]);
}

/** @param {readonly string[]} args */
async function dist(args) {
  await makePackages(args, { forTests: false });
}

/** @param {readonly string[]} args */
async function packaged(args) {
  await playwright(['--project=packaged', ...args], async (runtime) => {
    await makePackages(['dir'], { forTests: true, runtime });
    return { TIDEMARK_E2E_PACKAGED: packagedProgram({ forTests: true }) };
  });
}

/**
 * @param {readonly string[]} args
 * @param {(runtime: import('./electron.mjs').Runtime) => Promise<NodeJS.ProcessEnv>} [prepare] gives more variables
 */
async function playwright(args, prepare = async () => ({})) {
  await withScreen(async (runtime, env) => {
    const tool = path.join(root, 'node_modules/@playwright/test/cli.js');
    const forTests = {
      ...env,
      ...(await prepare(runtime)),
      TIDEMARK_E2E_ELECTRON: runtime.executable,
      TIDEMARK_E2E_OLD: runtime.old ? '1' : '',
    };
    return runInForeground(process.execPath, [tool, 'test', ...args], { env: forTests, cwd: root });
  });
}

/**
 * The CLI runs in this very process: its stdin, its signals and its exit code need nobody in between.
 * @param {readonly string[]} args
 */
async function cli(args) {
  await ensureBuilt();
  const program = path.join(root, 'dist/app/cli.cjs');
  process.argv = [process.execPath, program, ...args];
  process.chdir(callerFolder(process.env));
  createRequire(import.meta.url)(program);
}

/** @param {(runtime: import('./electron.mjs').Runtime, env: NodeJS.ProcessEnv) => Promise<number>} run */
async function withScreen(run) {
  // A plain death by signal would skip what is to be done at exit.
  const off = onSignals((signal) => process.exit(signalExitCode(signal)));
  const runtime = await findElectron();
  await ensurePackages(runtime.executable);
  await ensureBuilt();
  const display = await openDisplay(cleanEnvironment(process.env));
  if (display.virtual) process.stdout.write('running on a virtual display; Ctrl-C ends it\n');
  off();
  try {
    process.exitCode = await run(runtime, display.env);
  } finally {
    await display.stop();
  }
}

const [name = '', ...rest] = process.argv.slice(2);
const command = COMMANDS[name];
try {
  if (!command) throw new Stop(`use one of: ${Object.keys(COMMANDS).join(', ')}`, 2);
  await command(rest);
} catch (error) {
  if (!(error instanceof Stop)) throw error;
  say(error.message);
  process.exitCode = error.exitCode;
}
