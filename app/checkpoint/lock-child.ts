// A process of the lock's tests: takes the lock and reports each step on a line of its own. Not part of the product.
// It can kill or stop itself just before the n-th of its file operations, wherever that is.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const [storeFolder = '', task = '', ...rest] = process.argv.slice(2);
const say = (line: string): void => void fs.writeSync(1, `${line}\n`);
const never = new AbortController().signal;
/** Its own marks are no steps of the lock. */
const { writeFileSync, unlinkSync } = fs;

if (task === 'die-at' || task === 'stop-at') {
  let left = Number(rest[0]);
  const stages = ['linkSync', 'renameSync', 'rmSync', 'writeFileSync', 'readFileSync'] as const;
  for (const name of stages) {
    const real = fs[name] as (...args: unknown[]) => unknown;
    Object.assign(fs, {
      [name]: (...args: unknown[]) => {
        left -= 1;
        if (left === 0) {
          say(`at ${name}`);
          process.kill(process.pid, task === 'die-at' ? 'SIGKILL' : 'SIGSTOP');
        }
        return real(...args);
      },
    });
  }
  syncBuiltinESMExports();
}

// After the changes above, so that it sees them.
const { acquireStoreLock } = await import('./lock');

/** What only one process may be in at a time. */
async function critical(work: () => Promise<void>): Promise<void> {
  const busy = `${storeFolder}/busy`;
  writeFileSync(busy, String(process.pid), { flag: 'wx' });
  await work();
  unlinkSync(busy);
}

if (task === 'hold') {
  const lock = await acquireStoreLock({ storeFolder, signal: never, waitMs: 30_000 });
  say('held');
  await new Promise((resolve) => process.stdin.once('data', resolve));
  await lock.release();
  say('released');
  process.exit(0);
}
if (task === 'count') {
  const counter = `${storeFolder}/counter`;
  for (let i = 0; i < Number(rest[0]); i++) {
    const lock = await acquireStoreLock({ storeFolder, signal: never, waitMs: 60_000 });
    await critical(async () => {
      const n = Number(fs.readFileSync(counter, 'utf8'));
      await new Promise((resolve) => setImmediate(resolve));
      fs.writeFileSync(counter, String(n + 1));
    });
    await lock.release();
    say(`counted ${process.pid}`);
  }
  process.exit(0);
}
if (task === 'die-at' || task === 'stop-at') {
  const lock = await acquireStoreLock({ storeFolder, signal: never, waitMs: 30_000 });
  await critical(async () => say('held'));
  await lock.release();
  say('through');
  process.exit(0);
}
