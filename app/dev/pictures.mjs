// `npm run pictures`: the pictures of the README and the guide, taken from those that the stories and the tour left.
import fs from 'node:fs';
import path from 'node:path';
import { root } from './places.mjs';
import { say } from './stop.mjs';

/** @type {Readonly<Record<string, string>>} name in resources/pictures to name in e2e/pictures */
const CHOSEN = {
  'window-dark.png': 'window-dark.png',
  'restore-light.png': 'restore-light.png',
};

const from = path.join(root, 'e2e/pictures');
const to = path.join(root, 'resources/pictures');
fs.mkdirSync(to, { recursive: true });
for (const [name, source] of Object.entries(CHOSEN)) {
  if (fs.existsSync(path.join(from, source))) fs.copyFileSync(path.join(from, source), path.join(to, name));
  else {
    say(`no e2e/pictures/${source}: run \`npm run tour\` and \`npm run test:e2e\` first`);
    process.exitCode = 1;
  }
}
