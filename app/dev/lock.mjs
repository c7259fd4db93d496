// One builder at a time on this checkout, across processes. The lock is a file with its owner's process id, so that
// one left behind by a killed process is seen as free.
import fs from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const LOOK_AGAIN_MS = 100;

/**
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} action
 * @returns {Promise<T>}
 */
export async function withLock(file, action) {
  await fs.mkdir(path.dirname(file), { recursive: true });
  while (!(await take(file))) await pause(LOOK_AGAIN_MS);
  try {
    return await action();
  } finally {
    await fs.rm(file, { force: true });
  }
}

/** @param {string} file */
async function take(file) {
  // Written aside and linked: the lock never exists without its owner in it.
  const mine = `${file}.${process.pid}`;
  await fs.writeFile(mine, String(process.pid));
  try {
    await fs.link(mine, file);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    const owner = await fs.readFile(file, 'utf8').catch(() => null);
    if (owner !== null && !isAlive(Number(owner))) await fs.rm(file, { force: true });
    return false;
  } finally {
    await fs.rm(mine, { force: true });
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}
