// The import rules of .dependency-cruiser.cjs on the whole tree. Fails also when the check itself has gone blind: too
// few modules read, or a planted breach not reported.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { cruise } from 'dependency-cruiser';
import { CANARY, TARGETS } from './import-canary.mjs';
import { mirrorImports } from './import-mirror.mjs';
import { root } from './places.mjs';

const FOLDERS = ['shared', 'app', 'renderer', 'e2e'];
const FEWEST_MODULES = 50;
const rules = createRequire(import.meta.url)(path.join(root, '.dependency-cruiser.cjs'));

/** @typedef {{ readonly from: string, readonly to: string, readonly rule: string, readonly comment: string }} Breach */

/**
 * @param {string} tree
 * @returns {Promise<{ modules: number, breaches: Breach[] }>}
 */
async function checkTree(tree) {
  const mirror = fs.mkdtempSync(path.join(os.tmpdir(), 'tidemark-imports-'));
  try {
    mirrorImports(tree, FOLDERS, mirror);
    fs.symlinkSync(path.join(root, 'node_modules'), path.join(mirror, 'node_modules'));
    const { forbidden, options } = rules;
    const { output } = await cruise(
      FOLDERS,
      { ...options, baseDir: mirror, validate: true, ruleSet: { forbidden }, outputType: 'json' },
      { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default', 'types'] },
    );
    const result = JSON.parse(String(output));
    return { modules: countModules(result), breaches: result.summary.violations.map(toBreach) };
  } finally {
    fs.rmSync(mirror, { recursive: true, force: true });
  }
}

/** @param {import('dependency-cruiser').ICruiseResult} result */
function countModules(result) {
  const own = new RegExp(`^(${FOLDERS.join('|')})/`);
  return result.modules.filter((module) => own.test(module.source) && !module.couldNotResolve).length;
}

/**
 * @param {import('dependency-cruiser').IViolation} violation
 * @returns {Breach}
 */
function toBreach({ from, to, rule }) {
  const all = /** @type {{ name: string, comment: string }[]} */ (rules.forbidden);
  return { from, to, rule: rule.name, comment: all.find(({ name }) => name === rule.name)?.comment ?? '' };
}

/** @returns {Promise<string[]>} what the rules got wrong about the canary */
async function checkCanary() {
  const tree = fs.mkdtempSync(path.join(os.tmpdir(), 'tidemark-canary-'));
  try {
    for (const [file, code] of [...TARGETS.map((name) => [name, '']), ...CANARY]) {
      fs.mkdirSync(path.dirname(path.join(tree, String(file))), { recursive: true });
      fs.writeFileSync(path.join(tree, String(file)), String(code));
    }
    const { breaches } = await checkTree(tree);
    return CANARY.flatMap(([file, code, rule]) => {
      const seen = breaches.filter(({ from }) => from === file).map((breach) => breach.rule);
      if (rule === null)
        return seen.length === 0 ? [] : [`${file}: ${seen.join(', ')} forbids what is allowed: ${code}`];
      return seen.includes(rule) ? [] : [`${file}: ${rule} did not report ${code}`];
    });
  } finally {
    fs.rmSync(tree, { recursive: true, force: true });
  }
}

const { modules, breaches } = await checkTree(root);
const problems = [
  ...breaches.map(({ from, to, rule, comment }) => `${from} may not import ${to} (${rule}: ${comment})`),
  ...(modules < FEWEST_MODULES ? [`only ${modules} modules were read, fewer than ${FEWEST_MODULES}`] : []),
  ...(await checkCanary()).map((problem) => `the check is blind: ${problem}`),
];
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.stdout.write(`${modules} modules, ${problems.length} problems\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
