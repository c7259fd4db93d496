// A process of the log's tests: appends, holds a turn, or marks a task as running. Not part of the product.
// It can kill or stop itself just before the n-th of its file operations.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const [folder = '', task = '', count = '0', name = ''] = process.argv.slice(2);
const say = (line: string): void => void fs.writeSync(1, `${line}\n`);

if (task === 'die-at' || task === 'stop-at') {
  let left = Number(count);
  for (const method of ['open', 'rename', 'rm', 'writeFile', 'readFile', 'readdir'] as const) {
    const real = fs.promises[method] as (...args: unknown[]) => unknown;
    Object.assign(fs.promises, {
      [method]: (...args: unknown[]) => {
        left -= 1;
        if (left === 0) {
          say(`at ${method}`);
          process.kill(process.pid, task === 'die-at' ? 'SIGKILL' : 'SIGSTOP');
        }
        return real(...args);
      },
    });
  }
  syncBuiltinESMExports();
}

// After the changes above, so that they see them.
const { openTaskLog } = await import('./task-log');
const { markRunning } = await import('./running');
const { inTurn } = await import('./turn');
const { TASK } = await import('./log-fixture');

const forever = (): Promise<void> => new Promise((resolve) => setInterval(resolve, 2 ** 31 - 1));

if (task === 'hold') {
  await inTurn(folder, 30_000, async () => {
    say('held');
    await forever();
  });
}
if (task === 'run') {
  await markRunning(folder);
  say('running');
  await forever();
}
const log = openTaskLog(folder, TASK);
for (let i = 0; i < (task === 'append' ? Number(count) : 1); i++) {
  const { seq } = await log.append({ type: 'task.renamed', title: `${name}${i}` });
  say(`appended ${seq}`);
}
process.exit(0);
