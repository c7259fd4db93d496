// Tells whether dist/ was built from the sources as they are now: by name, size and time of change of each file, so
// that a start with nothing to build costs milliseconds.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

/** What can change the bundles. */
const SOURCES = [
  ...['app', 'renderer', 'shared', 'resources'],
  ...['electron.vite.config.ts', 'tsconfig.json', 'package.json', 'package-lock.json'],
];
const NEVER_BUNDLED = new Set([
  'app/dev',
  'app/testing',
  'app/bench',
  'resources/pictures',
  'resources/default-app',
]);

/**
 * @param {string} root
 * @returns {string} hex
 */
export function sourceStamp(root) {
  const hash = createHash('sha256');
  for (const name of SOURCES) addFiles(root, name, hash);
  return hash.digest('hex');
}

/**
 * @param {string} root
 * @param {string} name relative, with slashes
 * @param {import('node:crypto').Hash} hash
 */
function addFiles(root, name, hash) {
  if (NEVER_BUNDLED.has(name) || /\.test\.tsx?$/.test(name)) return;
  // A file may vanish between the listing and this look: then it is not part of the sources.
  const stat = fs.statSync(path.join(root, name), { throwIfNoEntry: false });
  if (stat?.isDirectory()) {
    for (const entry of fs.readdirSync(path.join(root, name)).sort())
      addFiles(root, `${name}/${entry}`, hash);
  } else if (stat) hash.update(`${name}\0${stat.size}\0${stat.mtimeMs}\n`);
}
