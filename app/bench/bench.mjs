// `npm run bench`: the checkpoint engine beside a naive shadow repository, on made-up workspaces, in one run and in
// turns, because one machine's minutes differ more than the engines do: the ratios mean something, the times little.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../dev/build.mjs';
import { openNaive } from './naive.mjs';
import { openOurs } from './ours.mjs';
import { editSome, makeWorkspace } from './workspace.mjs';

const EDITS = 20;
const { values } = parseArgs({
  options: { files: { type: 'string', multiple: true }, rounds: { type: 'string', default: '9' } },
});
const sizes = (values.files ?? ['1000', '10000']).map(Number);
const rounds = Number(values.rounds);
if ([...sizes, rounds].some((n) => !Number.isInteger(n) || n < 1)) {
  process.stderr.write('bench: --files and --rounds take whole numbers from 1 on\n');
  process.exit(2);
}

/** @param {readonly number[]} list */
function median(list) {
  const sorted = [...list].sort((a, b) => a - b);
  return ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2;
}

/**
 * What was written before goes to disk first: else whoever syncs (ours does, naive does not) waits for the other one's
 * writes too.
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<{ ms: number, result: T }>}
 */
async function timed(work) {
  // Windows has no such command and takes no harm from its absence
  spawnSync('sync');
  const start = performance.now();
  const result = await work();
  return { ms: performance.now() - start, result };
}

/** @param {string} root @param {readonly string[]} files */
const contents = (root, files) => files.map((f) => fs.readFileSync(path.join(root, f)));

/** @typedef {'capture' | 'changes' | 'restore'} Step */
/** @typedef {Awaited<ReturnType<typeof openOurs>> | ReturnType<typeof openNaive>} Engine */

/**
 * Edits, saves, compares, takes back; each engine makes its own edits, and must bring their old bytes back.
 * @param {Engine} engine
 * @param {string} root
 * @param {readonly string[]} files
 * @param {number} turn
 * @returns {Promise<Record<Step, number>>}
 */
async function round(engine, root, files, turn) {
  const before = await engine.capture();
  const places = files.filter((_, i) => i % Math.max(1, Math.floor(files.length / EDITS)) === 0);
  const old = contents(root, files.length > 20_000 ? places : files);
  const edited = editSome(root, files, EDITS, turn);
  const capture = await timed(() => engine.capture());
  const changes = await timed(() => engine.changes(before, capture.result));
  const restore = await timed(() => engine.restore(before));
  const now = contents(root, files.length > 20_000 ? places : files);
  if (
    changes.result.files !== new Set(edited).size ||
    now.some((b, i) => !b.equals(old[i] ?? Buffer.alloc(0)))
  )
    throw new Error('an engine did not bring the old bytes back');
  return { capture: capture.ms, changes: changes.ms, restore: restore.ms };
}

/**
 * The same workspace as a project with its own repository, as most are.
 * @param {string} place
 * @param {string} root
 */
async function firstOfProject(place, root) {
  const env = { PATH: process.env.PATH, HOME: place, GIT_CONFIG_NOSYSTEM: '1' };
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    ['-c', 'user.name=bench', '-c', 'user.email=bench@example.com', 'commit', '-qm', 'all'],
    ['repack', '-adq'],
  ])
    spawnSync('git', args, { cwd: root, env });
  const again = path.join(place, 'again');
  fs.mkdirSync(again);
  const ours = await openOurs(root, again);
  const times = { ours: (await timed(ours.start)).ms, naive: (await timed(openNaive(root, again).start)).ms };
  await ours.close();
  return times;
}

/** @param {number} count */
async function measure(count) {
  const place = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'tidemark-bench-')));
  try {
    const root = path.join(place, 'work');
    const files = makeWorkspace(root, count);
    const ours = await openOurs(root, place);
    const engines = { ours, naive: openNaive(root, place) };
    const first = { ours: (await timed(ours.start)).ms, naive: (await timed(engines.naive.start)).ms };
    /** @type {Record<'ours' | 'naive', Record<Step, number>[]>} */
    const taken = { ours: [], naive: [] };
    for (let i = 0; i <= rounds; i++) {
      /** @type {('ours' | 'naive')[]} */
      const order = i % 2 === 0 ? ['ours', 'naive'] : ['naive', 'ours'];
      for (const name of order) {
        const times = await round(engines[name], root, files, i);
        // the first one warms up
        if (i > 0) taken[name].push(times);
      }
    }
    await ours.close();
    const project = await firstOfProject(place, root);
    /** @type {Step[]} */
    const steps = ['capture', 'changes', 'restore'];
    const rows = steps.map((step) => ({
      step: `${step}, ${EDITS} files`,
      ours: median(taken.ours.map((t) => t[step])),
      naive: median(taken.naive.map((t) => t[step])),
    }));
    return [{ step: 'first snapshot', ...first }, { step: '  of a git project', ...project }, ...rows];
  } finally {
    fs.rmSync(place, { recursive: true, force: true });
  }
}

await ensureBuilt();
for (const count of sizes) {
  process.stdout.write(`\n${count} files                   ours     naive   naive / ours\n`);
  for (const { step, ours, naive } of await measure(count)) {
    const cells = [`${ours.toFixed(1)} ms`, `${naive.toFixed(1)} ms`, `${(naive / ours).toFixed(1)} x`];
    process.stdout.write(`  ${step.padEnd(20)}${cells.map((c) => c.padStart(12)).join('')}\n`);
  }
}
