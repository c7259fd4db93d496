// The system packages that Electron needs, as tried on a bare Debian 12: checked on each start, installed for root,
// otherwise named in one command to type. Elsewhere the loader tells which libraries are missing.
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { Stop, say } from './stop.mjs';

const run = promisify(execFile);

/** What Chromium loads. `a|b`: Debian 13 renamed the package; either one will do. */
const LIBRARIES = [
  ...[
    'libgtk-3-0|libgtk-3-0t64',
    'libasound2|libasound2t64',
    'libcups2|libcups2t64',
    'libglib2.0-0|libglib2.0-0t64',
  ],
  ...[
    'libatk1.0-0|libatk1.0-0t64',
    'libatk-bridge2.0-0|libatk-bridge2.0-0t64',
    'libatspi2.0-0|libatspi2.0-0t64',
  ],
  ...['libnss3', 'libnspr4', 'libgbm1', 'libdrm2', 'libxkbcommon0', 'libdbus-1-3', 'libx11-6', 'libxcb1'],
  ...[
    'libxcomposite1',
    'libxdamage1',
    'libxext6',
    'libxfixes3',
    'libxrandr2',
    'libpango-1.0-0',
    'libcairo2',
    'libexpat1',
  ],
];
/** Wanted, but the window comes up without: the app itself says when git is missing. */
const EXTRAS = ['git', 'fonts-dejavu-core'];

/** @param {NodeJS.ProcessEnv} env */
export function needsVirtualDisplay(env) {
  return process.platform === 'linux' && !env.DISPLAY && !env.WAYLAND_DISPLAY;
}

/**
 * Names the packages of `wanted` that the output of `dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n'` lacks.
 * @param {readonly string[]} wanted
 * @param {string} installed
 */
export function missingPackages(wanted, installed) {
  const have = new Set(
    installed
      .split('\n')
      .filter((line) => line.startsWith('ii'))
      .map((line) => line.split(/\s+/)[1]),
  );
  return wanted.filter((names) => !names.split('|').some((name) => have.has(name)));
}

/**
 * Names the libraries that the loader does not find, from the output of `ldd`.
 * @param {string} output
 */
export function missingLibraries(output) {
  return [...output.matchAll(/^\s*(\S+) => not found/gm)].map((match) => String(match[1]));
}

/**
 * @param {string} electron executable
 * @param {NodeJS.ProcessEnv} env
 */
export async function ensurePackages(electron, env = process.env) {
  if (process.platform !== 'linux') return;
  const xvfb = needsVirtualDisplay(env) ? ['xvfb'] : [];
  if (fs.existsSync('/usr/bin/dpkg-query')) {
    const missing = await queryMissing([...xvfb, ...LIBRARIES, ...EXTRAS]);
    if (missing.length === 0) return;
    if (process.getuid?.() === 0) await install(missing);
    else
      await refuseIfNeeded(
        electron,
        xvfb.length > 0,
        `sudo apt-get install ${missing.map(firstName).join(' ')}`,
      );
  } else await refuseIfNeeded(electron, xvfb.length > 0, null);
}

/** @param {readonly string[]} wanted */
async function queryMissing(wanted) {
  const names = wanted.flatMap((entry) => entry.split('|'));
  // biome-ignore lint/suspicious/noTemplateCurlyInString: these are dpkg's placeholders
  const format = '${db:Status-Abbrev} ${Package}\n';
  // It exits with 1 as soon as one name is unknown, and still prints the others.
  const { stdout } = await run('dpkg-query', ['-W', '-f', format, ...names]).catch((error) => error);
  return missingPackages(wanted, stdout ?? '');
}

/** @param {readonly string[]} missing */
async function install(missing) {
  say(`installing Debian packages: ${missing.map(firstName).join(' ')}`);
  await apt(['update', '-qq']);
  const { stdout } = await run('apt-cache', ['policy', ...missing.flatMap((entry) => entry.split('|'))]);
  await apt(['install', '-y', '-qq', '--no-install-recommends', ...choosePackages(missing, stdout)]);
}

/**
 * Of `a|b` the first that this release offers, by the output of `apt-cache policy`; a is left when none is, so that
 * apt names it in its complaint.
 * @param {readonly string[]} entries
 * @param {string} policy
 */
export function choosePackages(entries, policy) {
  const offered = new Set(
    [...policy.matchAll(/^(\S+):\n.*\n\s+Candidate: (?!\(none\))/gm)].map((match) => match[1]),
  );
  return entries.map((entry) => entry.split('|').find((name) => offered.has(name)) ?? firstName(entry));
}

/** @param {readonly string[]} args */
async function apt(args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' };
  // Another apt may be at work; it waits for that instead of failing.
  const options = ['-o', 'DPkg::Lock::Timeout=300', '-o', 'Dpkg::Use-Pty=0'];
  await run('apt-get', [...options, ...args], { env, maxBuffer: 64 * 1024 * 1024 }).catch((error) => {
    throw new Stop(`apt-get ${args.join(' ')} failed:\n${error.stderr || error.message}`, 3);
  });
}

/**
 * Without the right to install: stops only when the window cannot come up; a desktop may hold a library by another name.
 * @param {string} electron
 * @param {boolean} xvfb
 * @param {string | null} command
 */
async function refuseIfNeeded(electron, xvfb, command) {
  const { stdout } = await run('ldd', [electron]).catch((error) => error);
  const lacks = missingLibraries(stdout ?? '');
  if (xvfb && !onPath('Xvfb')) lacks.push('Xvfb (there is no display)');
  if (lacks.length === 0) return;
  const remedy = command ? `type:\n  ${command}` : 'install them with your package manager';
  throw new Stop(`Electron needs ${lacks.join(', ')}; ${remedy}`, 3);
}

/** @param {string} name */
function onPath(name) {
  return (process.env.PATH ?? '')
    .split(path.delimiter)
    .some((folder) => fs.existsSync(path.join(folder, name)));
}

/** @param {string} entry */
function firstName(entry) {
  return entry.split('|')[0] ?? entry;
}
