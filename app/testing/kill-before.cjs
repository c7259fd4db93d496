// Loaded into the real command line with --require by the kill tests: ends the process with SIGKILL just before the
// n-th change that it makes on disk (TIDEMARK_TEST_KILL_BEFORE), or only counts them (0) into TIDEMARK_TEST_COUNT.
const fs = require('node:fs');

const dieBefore = Number(process.env.TIDEMARK_TEST_KILL_BEFORE);
const report = process.env.TIDEMARK_TEST_COUNT;
const { writeFileSync } = fs;
let count = 0;

/** @param {string} name @param {readonly unknown[]} args */
const changes = (name, args) => !/^open/.test(name) || (typeof args[1] === 'string' && args[1] !== 'r');

/** @param {Record<string, unknown>} owner @param {readonly string[]} names */
function wrap(owner, names) {
  for (const name of names) {
    const real = owner[name];
    if (typeof real !== 'function') continue;
    owner[name] = function counted(/** @type {unknown[]} */ ...args) {
      if (changes(name, args)) count += 1;
      if (changes(name, args) && count === dieBefore) process.kill(process.pid, 'SIGKILL');
      return real.apply(this, args);
    };
  }
}

const SYNC = 'rename unlink mkdir rmdir rm write open chmod fchmod symlink writeFile link truncate'.split(
  ' ',
);
wrap(
  fs,
  SYNC.map((n) => `${n}Sync`),
);
wrap(fs.promises, [
  'rename',
  'unlink',
  'mkdir',
  'rmdir',
  'rm',
  'open',
  'chmod',
  'symlink',
  'writeFile',
  'appendFile',
]);
if (report !== undefined) process.on('exit', () => writeFileSync(report, `${count}`));
