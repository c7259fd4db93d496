// `npm run dist -- [TARGET...]`: packages of the built app; `dir` alone needs no download beyond the runtime.
// `--for-tests` leaves the debugger's fuse, through which the stories drive the packaged app.
import fs from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { ensureBuilt } from './build.mjs';
import { runInForeground } from './child.mjs';
import { findElectron } from './electron.mjs';
import { cleanEnvironment } from './handover.mjs';
import { OLD_VERSION } from './old-electron.mjs';
import { root } from './places.mjs';
import { Stop, say } from './stop.mjs';

const PLATFORM = { linux: '--linux', darwin: '--mac', win32: '--win' };

/**
 * Builds packages with the runtime at hand.
 * @param {readonly string[]} targets as electron-builder names them; none: all of this system's
 * @param {{ forTests: boolean, runtime?: import('./electron.mjs').Runtime }} o
 * @returns {Promise<void>}
 */
export async function makePackages(targets, o) {
  const flag = PLATFORM[/** @type {keyof typeof PLATFORM} */ (process.platform)];
  if (!flag) throw new Stop(`no packages are made on ${process.platform}`, 3);
  const runtime = o.runtime ?? (await findElectron());
  await ensureBuilt();
  if (runtime.old && !o.forTests)
    say(`this package holds Electron ${OLD_VERSION}: try it out, but do not give it to anybody`);
  const tool = path.join(root, 'node_modules/electron-builder/cli.js');
  const version = runtime.old ? OLD_VERSION : await versionBeside(runtime.executable);
  const code = await runInForeground(
    process.execPath,
    [
      tool,
      flag,
      ...targets,
      ...['--publish', 'never', `-c.electronDist=${distributionOf(runtime.executable)}`],
      `-c.electronVersion=${version}`,
      // since Electron 29
      ...(runtime.old ? [] : ['-c.electronFuses.grantFileProtocolExtraPrivileges=false']),
      ...(o.forTests
        ? ['-c.electronFuses.enableNodeCliInspectArguments=true', `-c.directories.output=${TESTS}`]
        : []),
    ],
    { cwd: root, env: cleanEnvironment(process.env) },
  );
  if (code !== 0) throw new Stop('the package could not be made: see above', 1);
}

/** Where packages for the stories lie, apart from those for people. */
const TESTS = path.join('release', 'tests');

/** The program in the folder that `dir` makes. @param {{ forTests: boolean }} o */
export function packagedProgram(o) {
  const release = path.join(root, o.forTests ? TESTS : 'release');
  if (process.platform === 'darwin')
    return path.join(
      release,
      `mac${process.arch === 'arm64' ? '-arm64' : ''}`,
      'Tidemark.app/Contents/MacOS/Tidemark',
    );
  if (process.platform === 'win32') return path.join(release, 'win-unpacked', 'Tidemark.exe');
  return path.join(release, 'linux-unpacked', 'tidemark-desktop');
}

/** The folder that electron-builder copies: all of a runtime. @param {string} executable */
const distributionOf = (executable) =>
  process.platform === 'darwin' ? path.resolve(executable, '../../../..') : path.dirname(executable);

/** A distribution says its own version. @param {string} executable */
async function versionBeside(executable) {
  const file = path.join(distributionOf(executable), 'version');
  const said = await fs.readFile(file, 'utf8').catch(() => '');
  const own = createRequire(import.meta.url)(path.join(root, 'node_modules/electron/package.json')).version;
  return said.trim().replace(/^v/, '') || own;
}
