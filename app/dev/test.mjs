// `npm test`: everything that must hold before a change goes in, one after the other, to the end even when one fails,
// with one count at the end. `npm test -- --only unit,e2e` runs some of it.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { buildAnyway } from './build.mjs';
import { onSignals, signalExitCode } from './child.mjs';
import { closingLine, countPlaywright, countVitest } from './count.mjs';
import { ensurePackages } from './debian.mjs';
import { findElectron } from './electron.mjs';
import { root } from './places.mjs';
import { Stop, say } from './stop.mjs';

const UNIT_REPORT = path.join(root, 'node_modules/.cache/tidemark/unit.json');
const E2E_REPORT = path.join(root, 'e2e/results/results.json');
/** Both colour their reports as soon as the variable CI is set, whatever they write to. */
const PLAIN = process.stdout.isTTY
  ? { biome: [], vitest: [] }
  : { biome: ['--colors=off'], vitest: ['--no-color'] };
const VITEST = [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--reporter=default',
  '--reporter=json',
  ...PLAIN.vitest,
];

/** @typedef {import('./count.mjs').Count} Count */
/** @type {Record<string, { title: string, run: () => Promise<Count> }>} */
const STEPS = {
  types: { title: 'Types', run: () => check(['app/dev/check-types.mjs']) },
  lint: {
    title: 'Lint',
    run: () => check(['node_modules/@biomejs/biome/bin/biome', 'ci', ...PLAIN.biome, '.']),
  },
  imports: { title: 'Imports', run: () => check(['app/dev/check-imports.mjs']) },
  build: { title: 'Build', run: () => buildAnyway().then(() => one(true)) },
  unit: {
    title: 'Unit tests',
    run: () => suite([...VITEST, `--outputFile=${UNIT_REPORT}`], UNIT_REPORT, countVitest),
  },
  e2e: { title: 'Stories', run: () => suite(['app/dev/launch.mjs', 'e2e'], E2E_REPORT, countPlaywright) },
  packaged: {
    title: 'The packaged app',
    run: () => suite(['app/dev/launch.mjs', 'packaged'], E2E_REPORT, countPlaywright),
  },
};

/** @param {boolean} ok */
function one(ok) {
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1 };
}

/** @param {readonly string[]} args */
async function check(args) {
  return one((await node(args)) === 0);
}

/**
 * @param {readonly string[]} args
 * @param {string} report
 * @param {(report: unknown, exitCode: number) => Count} count
 */
async function suite(args, report, count) {
  // An earlier run's report must not stand in for one that was never written.
  fs.rmSync(report, { force: true });
  const exitCode = await node(args);
  return count(fs.existsSync(report) ? JSON.parse(fs.readFileSync(report, 'utf8')) : null, exitCode);
}

/**
 * @param {readonly string[]} args
 * @returns {Promise<number>}
 */
function node(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
    const off = onSignals((signal) => {
      child.kill(signal);
      child.once('exit', () => process.exit(signalExitCode(signal)));
    });
    child.once('error', reject);
    child.once('exit', (code) => {
      off();
      resolve(code ?? 1);
    });
  });
}

/** Brings the machine to the point where the stories can run; what is missing shows where it is needed. */
async function prepare() {
  const { executable } = await findElectron();
  await ensurePackages(executable);
}

/**
 * A step that cannot be run is a failed one, and the next is still run.
 * @template T
 * @param {() => Promise<T>} action
 * @returns {Promise<T | null>}
 */
async function orSay(action) {
  try {
    return await action();
  } catch (error) {
    say(error instanceof Stop ? error.message : String(error instanceof Error ? error.stack : error));
    return null;
  }
}

/** @param {readonly string[]} args */
function chooseSteps(args) {
  if (args.length === 0) return Object.values(STEPS);
  const names = args[0] === '--only' && args.length === 2 ? (args[1] ?? '').split(',') : [''];
  return names.map((name) => {
    const step = STEPS[name];
    if (!step) throw new Stop(`use: npm test -- --only ${Object.keys(STEPS).join(',')}`, 2);
    return step;
  });
}

const steps = await orSay(async () => chooseSteps(process.argv.slice(2)));
if (!steps) process.exit(2);
await orSay(prepare);
/** @type {{ title: string, count: Count }[]} */
const results = [];
for (const { title, run } of steps) {
  process.stdout.write(`\n=== ${title}\n`);
  results.push({ title, count: (await orSay(run)) ?? one(false) });
}
process.stdout.write('\n=== Summary\n');
for (const { title, count } of results) process.stdout.write(`${title}: ${closingLine([count])}\n`);
process.stdout.write(`\n${closingLine(results.map(({ count }) => count))}\n`);
process.exitCode = results.some(({ count }) => count.failed > 0) ? 1 : 0;
