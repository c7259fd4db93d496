// Finds an Electron to run: what the user names, else electron's own download, else the old one of last resort.
// A runtime that the user names and that cannot be run stops everything: a wrong setting must not be passed over.
import { execFile } from 'node:child_process';
import fs from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import readline from 'node:readline/promises';
import { promisify } from 'node:util';
import { cachedOldElectron, fetchOldElectron, OLD_VERSION } from './old-electron.mjs';
import { cacheFolder, root } from './places.mjs';
import { Stop, say } from './stop.mjs';

const run = promisify(execFile);
const DOWNLOAD_LIMIT_MS = 180_000;
const DAY_MS = 24 * 60 * 60 * 1000;
const ELECTRON = path.join(root, 'node_modules/electron');
const HELP =
  'run `npx install-electron` where the network allows it, or set TIDEMARK_ELECTRON to an Electron executable';

/**
 * @typedef {{ readonly executable: string, readonly old: boolean }} Runtime old: out of support, for trying out only
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Runtime>}
 */
export async function findElectron(env = process.env) {
  const named = await namedElectron(env);
  if (named) return { executable: named, old: false };
  const own = (await ownElectron()) ?? (await downloadElectron(env));
  if (own) return { executable: own, old: false };
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Stop(`no Electron found: ${HELP}`, 3);
  const cached = await cachedOldElectron(env);
  if (!cached) await agree();
  say(`using Electron ${OLD_VERSION}, which gets no security fixes any more: for tests and trying out only`);
  return { executable: cached ?? (await fetchOldElectron(env)), old: true };
}

/** @param {NodeJS.ProcessEnv} env */
async function namedElectron(env) {
  const folder = env.ELECTRON_OVERRIDE_DIST_PATH;
  const [variable, executable] = env.TIDEMARK_ELECTRON
    ? ['TIDEMARK_ELECTRON', path.resolve(env.TIDEMARK_ELECTRON)]
    : ['ELECTRON_OVERRIDE_DIST_PATH', folder ? path.resolve(folder, platformPath()) : null];
  if (!executable) return null;
  if (!(await isExecutable(executable)))
    throw new Stop(`${variable}: ${executable} is not an executable file`, 3);
  return executable;
}

async function ownElectron() {
  const name = await fs.readFile(path.join(ELECTRON, 'path.txt'), 'utf8').catch(() => null);
  if (!name) return null;
  const executable = path.join(ELECTRON, 'dist', name.trim());
  return (await isExecutable(executable)) ? executable : null;
}

/** @param {NodeJS.ProcessEnv} env */
async function downloadElectron(env) {
  if (env.TIDEMARK_NO_DOWNLOAD === '1') return null;
  const { version } = createRequire(import.meta.url)(path.join(ELECTRON, 'package.json'));
  const memory = path.join(cacheFolder(env), `electron-${version}-download-failed`);
  const failedAt = await fs.stat(memory).then(
    (stat) => stat.mtimeMs,
    () => 0,
  );
  if (Date.now() - failedAt < DAY_MS) return null;
  say(`downloading Electron ${version}`);
  try {
    await run(process.execPath, [path.join(ELECTRON, 'install.js')], {
      cwd: root,
      env,
      timeout: DOWNLOAD_LIMIT_MS,
    });
  } catch (error) {
    const cause = /** @type {{ stderr?: string, message: string }} */ (error);
    say(
      `Electron ${version} could not be downloaded (${lastLine(cause.stderr) || cause.message}); not tried again for a day`,
    );
    await fs.mkdir(path.dirname(memory), { recursive: true });
    await fs.writeFile(
      memory,
      `delete this file to try the download again at once\n${cause.stderr ?? cause.message}`,
    );
    return null;
  }
  return ownElectron();
}

/** The runtime in the cache is the memory of a yes, so a terminal is asked once. */
async function agree() {
  if (!process.stdin.isTTY || !process.stderr.isTTY || process.env.CI) return;
  const terminal = readline.createInterface({ input: process.stdin, output: process.stderr });
  const question = `Use Electron ${OLD_VERSION} (110 MB, out of support, for trying out only) instead? [Y/n] `;
  const answer = await terminal.question(question).finally(() => terminal.close());
  if (/^\s*n/i.test(answer)) throw new Stop(HELP, 3);
}

/** Electron's own names inside its distribution folder. */
function platformPath() {
  if (process.platform === 'darwin') return 'Electron.app/Contents/MacOS/Electron';
  return process.platform === 'win32' ? 'electron.exe' : 'electron';
}

/** @param {string} file */
async function isExecutable(file) {
  const stat = await fs.stat(file).catch(() => null);
  if (!stat?.isFile()) return false;
  return fs.access(file, fs.constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** @param {string | undefined} text */
function lastLine(text) {
  return text
    ?.trim()
    .split('\n')
    .findLast((line) => /error|failed/i.test(line))
    ?.trim();
}
