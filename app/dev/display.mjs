// A screen where there is none: starts Xvfb for one command and stops it afterwards.
// Not xvfb-run: that leaves Xvfb and its client behind when it gets a SIGTERM.
import { spawn } from 'node:child_process';
import { needsVirtualDisplay } from './debian.mjs';
import { Stop } from './stop.mjs';

const START_LIMIT_MS = 20_000;

/**
 * @typedef {{ readonly env: NodeJS.ProcessEnv, readonly virtual: boolean, stop(): Promise<void> }} Display
 *   env: the given environment with a usable DISPLAY
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Display>}
 */
export async function openDisplay(env = process.env) {
  if (!needsVirtualDisplay(env)) return { env, virtual: false, stop: async () => {} };
  // A process group of its own: the terminal's Ctrl-C must not take the screen away from an app that is closing.
  const args = ['-displayfd', '3', '-screen', '0', '1600x1000x24', '-nolisten', 'tcp'];
  const xvfb = spawn('Xvfb', args, { detached: true, stdio: ['ignore', 'ignore', 'pipe', 'pipe'] });
  const kill = () => {
    xvfb.kill();
  };
  process.once('exit', kill);
  /** @type {Promise<void>} */
  const ended = new Promise((resolve) => {
    xvfb.once('error', () => resolve());
    xvfb.once('exit', () => resolve());
  });
  const number = await displayNumber(xvfb).catch((error) => {
    kill();
    throw error;
  });
  return {
    env: { ...env, DISPLAY: `:${number}` },
    virtual: true,
    stop: () => {
      process.off('exit', kill);
      kill();
      return ended;
    },
  };
}

/**
 * Xvfb writes the number to the descriptor once it listens.
 * @param {import('node:child_process').ChildProcess} xvfb
 * @returns {Promise<string>}
 */
function displayNumber(xvfb) {
  return new Promise((resolve, reject) => {
    let complaint = '';
    let number = '';
    /** @param {string} message */
    const fail = (message) => {
      clearTimeout(limit);
      reject(new Stop(message, 3));
    };
    const limit = setTimeout(() => fail('Xvfb did not start in 20 s'), START_LIMIT_MS);
    xvfb.once('error', (error) => fail(`Xvfb cannot be started: ${error.message}`));
    xvfb.once('exit', () => fail(`Xvfb ended at once: ${complaint.trim()}`));
    xvfb.stderr?.on('data', (data) => {
      complaint = (complaint + data).slice(-2000);
    });
    xvfb.stdio[3]?.on('data', (data) => {
      number += data;
      if (!number.includes('\n')) return;
      clearTimeout(limit);
      resolve(number.trim());
    });
  });
}
