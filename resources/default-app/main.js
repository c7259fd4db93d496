// A bare Electron runtime ignores the folder on its command line unless it carries a default app.
// This one opens that folder as the app, with name, version and arguments as the official runtime sets them.
// Packed into ../default_app.asar by app/dev/asar.mjs; runs on any Electron, so no newer syntax than Node 18's.
const fs = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const { app } = require('electron');

const args = process.argv.slice(1);
// `-r FILE` loads a file before the app, as with the official runtime; tests hold the app back with it until they watch.
const preloads = args.flatMap((arg, i) => (arg === '-r' && args[i + 1] ? [args[i + 1]] : []));
const at = args.findIndex((arg, i) => !arg.startsWith('-') && args[i - 1] !== '-r');
if (at < 0) {
  process.stderr.write('usage: electron FOLDER [ARGUMENTS]\n');
  process.exit(2);
}
const folder = path.resolve(args[at]);
const manifest = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));

Object.defineProperty(process, 'defaultApp', { value: true, enumerable: true });
if (manifest.version) app.setVersion(manifest.version);
if (manifest.desktopName) app.setDesktopName(manifest.desktopName);
app.name = manifest.productName || manifest.name;
app.setPath('userData', path.join(app.getPath('appData'), app.name));
app.setAppPath(folder);
for (const file of preloads) Module._load(path.resolve(file), module);
process.argv.splice(1, process.argv.length, folder, ...args.slice(at + 1));
Module._load(folder, module, true);
