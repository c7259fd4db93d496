// Builds dist/ when it is not from the present sources. Silent unless the build fails; all it says goes to stderr, so
// that the CLI's stdout stays the CLI's.
import { spawn } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';
import { withLock } from './lock.mjs';
import { root } from './places.mjs';
import { sourceStamp } from './stamp.mjs';
import { Stop, say } from './stop.mjs';

const CACHE = path.join(root, 'node_modules/.cache/tidemark');
const STAMP = path.join(CACHE, 'build-stamp');
const LOCK = path.join(CACHE, 'build.lock');
const OUTPUTS = ['app/main.cjs', 'app/cli.cjs', 'app/preload.cjs', 'renderer/index.html'];

export async function ensureBuilt() {
  if (await isFresh()) return;
  await withLock(LOCK, async () => {
    // The wait may have been for a build of just these sources.
    if (!(await isFresh())) await build();
  });
}

export function buildAnyway() {
  return withLock(LOCK, build);
}

async function build() {
  say('building');
  const stamp = sourceStamp(root);
  const { code, output } = await runElectronVite();
  if (code !== 0) throw new Stop(`the build failed\n${output}`, 1);
  await fs.mkdir(CACHE, { recursive: true });
  await fs.writeFile(STAMP, stamp);
}

async function isFresh() {
  const built = await fs.readFile(STAMP, 'utf8').catch(() => null);
  if (built !== sourceStamp(root)) return false;
  const stats = await Promise.all(
    OUTPUTS.map((name) => fs.stat(path.join(root, 'dist', name)).catch(() => null)),
  );
  return stats.every((stat) => stat?.isFile());
}

/** @returns {Promise<{ code: number | null, output: string }>} */
function runElectronVite() {
  return new Promise((resolve, reject) => {
    const tool = path.join(root, 'node_modules/electron-vite/bin/electron-vite.js');
    const child = spawn(process.execPath, [tool, 'build'], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data) => {
        output += data;
      });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}
