// One child process in the foreground: it gets our signals, we give back its exit code, and nothing stays behind.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { quiet } from './noise.mjs';

/** @type {readonly NodeJS.Signals[]} */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** An app that closes writes its state first; after this it is taken down. */
const GRACE_MS = 8000;
const LOOK_FOR_PARENT_MS = 500;
const PARENT = process.ppid;

/**
 * Also when npm dies: the shell between npm and us keeps a SIGTERM to itself, and all we see of it is another parent.
 * @param {(signal: NodeJS.Signals) => void} handler
 * @returns {() => void} takes the handler off
 */
export function onSignals(handler) {
  /** @param {NodeJS.Signals} signal */
  const handle = (signal) => {
    // Signals to the whole process group reach us and npm's shell: the shell's end is no second request.
    clearInterval(watch);
    handler(signal);
  };
  for (const signal of SIGNALS) process.on(signal, handle);
  const watch = setInterval(() => {
    if (process.env.npm_lifecycle_event && process.ppid !== PARENT) handle('SIGTERM');
  }, LOOK_FOR_PARENT_MS).unref();
  return () => {
    clearInterval(watch);
    for (const signal of SIGNALS) process.off(signal, handle);
  };
}

/** @param {NodeJS.Signals} signal */
export function signalExitCode(signal) {
  return 128 + constants.signals[signal];
}

/**
 * Runs to the end and resolves with the exit code, 128 + n after signal n (ours or the child's).
 * The child leads a process group of its own, so that a terminal's Ctrl-C comes once, through us, and so that whatever
 * it leaves running can be ended with it.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ env: NodeJS.ProcessEnv, cwd?: string }} options
 * @returns {Promise<number>}
 */
export function runInForeground(command, args, { env, cwd }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, cwd, detached: true, stdio: ['ignore', 'inherit', 'pipe'] });
    /** @type {NodeJS.Signals | null} */
    let asked = null;
    /** @type {NodeJS.Timeout | undefined} */
    let limit;
    /** @param {NodeJS.Signals} signal */
    const forward = (signal) => {
      if (asked) endGroup(child.pid);
      asked = signal;
      child.kill(signal);
      limit ??= setTimeout(() => endGroup(child.pid), GRACE_MS);
    };
    const off = onSignals(forward);
    const release = () => {
      clearTimeout(limit);
      off();
    };
    child.stderr.pipe(quiet()).pipe(process.stderr, { end: false });
    child.once('error', (error) => {
      release();
      reject(error);
    });
    child.once('exit', (code, signal) => {
      endGroup(child.pid);
      release();
      const by = asked ?? signal;
      resolve(by ? signalExitCode(by) : (code ?? 1));
    });
  });
}

/** @param {number | undefined} group */
function endGroup(group) {
  if (group === undefined) return;
  try {
    process.kill(-group, 'SIGKILL');
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error;
  }
}
