// `npm run test:long -- --seconds N`: goes on drawing histories for the engine's property test until the time is over,
// and says after each round how many have been lived through in all. The seed of each round is kept, so that one that
// failed can be lived through again. `-- --kills N` spreads N kills over captures and restores of the command line.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { root } from './places.mjs';
import { Stop, say } from './stop.mjs';

const FOLDER = path.join(root, 'node_modules/.cache/tidemark');
const SEEDS = path.join(FOLDER, 'long-seeds.txt');
const PER_ROUND = 150;

/**
 * @param {string} file
 * @param {Record<string, string>} env
 * @returns {Promise<boolean>}
 */
function vitest(file, env) {
  return new Promise((resolve, reject) => {
    const args = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=dot', '--no-color', file];
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = [child.stdout, child.stderr].map((stream) => {
      /** @type {Buffer[]} */
      const pieces = [];
      stream.on('data', (piece) => pieces.push(piece));
      return pieces;
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code !== 0) process.stderr.write(Buffer.concat(said.flat()));
      resolve(code === 0);
    });
  });
}

/** @param {readonly string[]} args */
function optionsOf(args) {
  const [name, value] = args;
  const n = Number(value);
  if (args.length !== 2 || !Number.isInteger(n) || n <= 0 || (name !== '--seconds' && name !== '--kills')) {
    throw new Stop('use: npm run test:long -- --seconds N, or -- --kills N', 2);
  }
  return { name, n };
}

/** @param {number} seconds */
async function histories(seconds) {
  const end = Date.now() + seconds * 1000;
  let [total, failed] = [0, 0];
  fs.mkdirSync(FOLDER, { recursive: true });
  while (Date.now() < end) {
    const seed = randomInt(2 ** 31);
    fs.appendFileSync(SEEDS, `${seed} started\n`);
    const ok = await vitest('app/checkpoint/engine.property.test.ts', {
      TIDEMARK_TEST_SEED: `${seed}`,
      TIDEMARK_TEST_RUNS: `${PER_ROUND}`,
    });
    fs.appendFileSync(SEEDS, `${seed} ${ok ? 'held' : 'FAILED'}\n`);
    if (!ok) failed += 1;
    total += PER_ROUND;
    console.log(
      `${total} histories, ${failed === 0 ? 'all held' : `${failed} rounds failed`} (seed ${seed})`,
    );
  }
  return failed === 0;
}

try {
  const { name, n } = optionsOf(process.argv.slice(2));
  const ok =
    name === '--seconds'
      ? await histories(n)
      : await vitest('app/cli/cli-kill.test.ts', { TIDEMARK_TEST_KILLS: `${n}` });
  if (name === '--kills') console.log(`${n} kills: ${ok ? 'nothing lost' : 'FAILED'}`);
  process.exitCode = ok ? 0 : 1;
} catch (error) {
  if (!(error instanceof Stop)) throw error;
  say(error.message);
  process.exitCode = error.exitCode;
}
