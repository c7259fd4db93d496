import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

// runInForeground takes over this process's signals, so it is tried in a process of its own.
const start = (program: string) => {
  const url = JSON.stringify(path.join(import.meta.dirname, 'child.mjs'));
  const code = `import { runInForeground } from ${url};
    process.exitCode = await runInForeground(process.execPath, ['-e', ${JSON.stringify(program)}], { env: process.env });`;
  const env = { ...process.env, npm_lifecycle_event: '' };
  return spawn(process.execPath, ['--input-type=module', '-e', code], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
};
const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('passes on what the child says, less the noise, and its exit code', async () => {
  const noise = '[1:1130/193027.686605:ERROR:bus.cc(399)] Failed';
  const child = start(
    `console.log('out'); console.error(${JSON.stringify(`${noise}\nreal`)}); process.exitCode = 7;`,
  );
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  expect([out, err, code]).toEqual(['out\n', 'real\n', 7]);
});

test.skipIf(process.platform === 'win32')(
  'a signal reaches the child, which may close in order',
  async () => {
    const child = start(`process.on('SIGTERM', () => { console.log('closed'); process.exit(0); });
    setInterval(() => {}, 1000); console.log('ready');`);
    let out = '';
    for await (const data of child.stdout) {
      out += data;
      if (out === 'ready\n') child.kill('SIGTERM');
    }
    expect([out, child.exitCode ?? (await once(child, 'exit'))[0]]).toEqual(['ready\nclosed\n', 143]);
  },
);

test.skipIf(process.platform === 'win32')(
  'a second signal ends a child that does not listen, and all it started',
  async () => {
    const child = start(`process.on('SIGINT', () => console.log('no'));
    const grandchild = require('node:child_process').spawn('sleep', ['600'], { stdio: 'ignore' });
    setInterval(() => {}, 1000); console.log(String(grandchild.pid));`);
    let out = '';
    for await (const data of child.stdout) {
      out += data;
      if (out.endsWith('\n')) child.kill('SIGINT');
    }
    // An orphan stays visible until the system's first process has taken note of its end.
    await expect.poll(() => isAlive(Number(out.split('\n')[0])), { timeout: 30_000 }).toBe(false);
    expect(out).toContain('no');
  },
);
