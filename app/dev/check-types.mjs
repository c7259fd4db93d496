// Type check of each part with what that part may know (no DOM in app, no Node in shared and renderer), side by side.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { root } from './places.mjs';

const PARTS = ['shared', 'app', 'app/dev', 'renderer', 'e2e'];

/** @param {string} part */
function check(part) {
  const tool = path.join(root, 'node_modules/typescript/bin/tsc');
  /** @type {Promise<{ part: string, code: number | null, output: string }>} */
  const result = new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [tool, '-p', part, '--noEmit', '--pretty', 'false'], { cwd: root });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data) => {
        output += data;
      });
    child.once('error', reject);
    child.once('close', (code) => resolve({ part, code, output }));
  });
  return result;
}

for (const { part, code, output } of await Promise.all(PARTS.map(check))) {
  process.stdout.write(`${part}: ${code === 0 ? 'ok' : 'failed'}\n${output}`);
  if (code !== 0) process.exitCode = 1;
}
