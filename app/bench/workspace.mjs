// A made-up project for the bench: source-like text of 1 to 20 KB in nested folders, the same for the same number.
// Owns: making it and editing it. Does not own: what is measured.
import fs from 'node:fs';
import path from 'node:path';

const WORDS =
  'account action buffer cache class const config error event export filter handler import index item let list load map model name node option order parse path queue read return route save schema session state store stream table task token type update user value view worker write'.split(
    ' ',
  );
const ENDINGS = ['.ts', '.ts', '.tsx', '.js', '.json', '.md', '.css', '.py'];
const FILES_A_FOLDER = 12;
const DEEPEST = 7;

/** Numbers in [0, 1) that look random and come again for the same seed (xorshift). @param {number} seed */
function randomNumbers(seed) {
  let s = seed >>> 0 || 1;
  return () => {
    s ^= s << 13;
    s ^= s >>> 17;
    s ^= s << 5;
    s >>>= 0;
    return s / 4294967296;
  };
}

/**
 * @param {string} root
 * @param {number} count
 * @returns {string[]} the files, relative to root
 */
export function makeWorkspace(root, count) {
  const random = randomNumbers(count);
  const below = (/** @type {number} */ n) => Math.floor(random() * n);
  const word = () => WORDS[below(WORDS.length)] ?? '';
  const lines = Array.from(
    { length: 4000 },
    (_, i) => `${'  '.repeat(below(4))}${word()} ${word()}${i} = ${word()}(${word()}, ${below(1e6)});\n`,
  );
  const folders = ['src'];
  const open = ['src'];
  while (folders.length < Math.max(1, count / FILES_A_FOLDER)) {
    const folder = `${open[below(open.length)]}/${word()}-${folders.length}`;
    folders.push(folder);
    if (folder.split('/').length < DEEPEST) open.push(folder);
  }
  for (const folder of folders) fs.mkdirSync(path.join(root, folder), { recursive: true });
  const files = Array.from({ length: count }, (_, i) => {
    const folder = folders[i < folders.length ? i : below(folders.length)];
    return `${folder}/${word()}-${i}${ENDINGS[below(ENDINGS.length)]}`;
  });
  for (const file of files) {
    const size = Math.floor(1024 * 20 ** random());
    let text = `// ${file}\n`;
    while (text.length < size) text += lines[below(lines.length)];
    fs.writeFileSync(path.join(root, file), text);
  }
  return files;
}

/**
 * Adds a line to `count` files spread over the workspace.
 * @param {string} root
 * @param {readonly string[]} files
 * @param {number} count
 * @param {number} turn a number that makes each edit another one
 * @returns {string[]} the edited files
 */
export function editSome(root, files, count, turn) {
  const step = Math.max(1, Math.floor(files.length / count));
  const edited = Array.from({ length: count }, (_, i) => files[(i * step + turn) % files.length] ?? '');
  for (const file of edited) fs.appendFileSync(path.join(root, file), `// edit ${turn}\n`);
  return edited;
}
