// Where development things lie: the checkout, the user's cache, the folder in which npm was called.
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** @param {NodeJS.ProcessEnv} env */
export function cacheFolder(env) {
  const base = env.XDG_CACHE_HOME;
  // The XDG specification says that a relative path there is to be ignored.
  return path.join(
    base && path.isAbsolute(base) ? base : path.join(env.HOME || os.homedir(), '.cache'),
    'tidemark',
  );
}

/**
 * npm runs scripts in the package's folder; people mean paths relative to where they typed the command.
 * @param {NodeJS.ProcessEnv} env
 */
export function callerFolder(env) {
  return env.INIT_CWD || process.cwd();
}
