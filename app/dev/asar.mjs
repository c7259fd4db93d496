// Writes a flat asar archive: just enough of the format for resources/default_app.asar.
// `node app/dev/asar.mjs` packs resources/default-app; a test compares the committed archive with its source.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './places.mjs';

/**
 * Layout (Chromium's pickle): u32 4, u32 header size, u32 payload size, u32 JSON length, JSON padded to 4, bodies.
 * @param {ReadonlyMap<string, Buffer>} files name to content
 */
export function packAsar(files) {
  /** @type {Record<string, { size: number, offset: string }>} */
  const entries = {};
  let offset = 0;
  for (const [name, body] of files) {
    entries[name] = { size: body.length, offset: String(offset) };
    offset += body.length;
  }
  const json = Buffer.from(JSON.stringify({ files: entries }));
  const padded = Math.ceil(json.length / 4) * 4;
  const head = Buffer.alloc(16 + padded);
  [4, padded + 8, padded + 4, json.length].forEach((value, i) => {
    head.writeUInt32LE(value, i * 4);
  });
  json.copy(head, 16);
  return Buffer.concat([head, ...files.values()]);
}

export function packDefaultApp() {
  const folder = path.join(root, 'resources/default-app');
  const names = fs.readdirSync(folder).sort();
  return packAsar(new Map(names.map((name) => [name, fs.readFileSync(path.join(folder, name))])));
}

export const defaultAppArchive = path.join(root, 'resources/default_app.asar');

if (process.argv[1] === fileURLToPath(import.meta.url)) fs.writeFileSync(defaultAppArchive, packDefaultApp());
