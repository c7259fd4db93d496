// Makes a tree readable for dependency-cruiser, which with TypeScript 7 finds no compiler to read TypeScript with: its
// own way with swc fails on JSX and misses types, and its fallback guesses. So each source is parsed with swc here, and
// a mirror of the tree is written in which every file holds just its imports. Paths stay as they are.
import fs from 'node:fs';
import path from 'node:path';
import swc from '@swc/core';

const SOURCE = /\.(?:[cm]?[jt]s|[jt]sx)$/;

/**
 * @param {string} root
 * @param {readonly string[]} folders
 * @param {string} mirror an empty folder
 */
export function mirrorImports(root, folders, mirror) {
  for (const folder of folders) {
    const entries = fs.readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((each) => each.isFile() && SOURCE.test(each.name))) {
      const source = path.join(entry.parentPath, entry.name);
      const target = path.join(mirror, path.relative(root, source));
      fs.mkdirSync(path.dirname(target), { recursive: true });
      const lines = importedNames(source).map((name) => `import ${JSON.stringify(name)};\n`);
      fs.writeFileSync(target, lines.join(''));
    }
  }
}

/**
 * What a file imports in any way: values, types, `import()` and `import()` types, re-exports, `require`.
 * @param {string} file
 * @returns {string[]} as written, without Vite's `?suffix`
 */
export function importedNames(file) {
  const tsx = /x$/.test(file);
  const tree = swc.parseFileSync(file, { syntax: 'typescript', tsx, decorators: true, target: 'es2022' });
  /** @type {Set<string>} */
  const names = new Set();
  visit(tree, (node) => {
    const name = importedName(node);
    if (typeof name === 'string') names.add(name.replace(/\?.*$/, ''));
  });
  return [...names];
}

/**
 * @param {any} node of swc's tree
 * @returns {unknown}
 */
function importedName(node) {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'ExportNamedDeclaration':
      return node.source?.value;
    case 'TsImportType':
      return node.argument.value;
    case 'TsExternalModuleReference':
      return node.expression.value;
    case 'CallExpression':
      return node.callee.type === 'Import' || node.callee.value === 'require'
        ? literal(node.arguments[0]?.expression)
        : null;
    default:
      return null;
  }
}

/** @param {any} node */
function literal(node) {
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0) return node.quasis[0].cooked;
  return node?.type === 'StringLiteral' ? node.value : null;
}

/**
 * @param {unknown} node
 * @param {(node: object) => void} look
 */
function visit(node, look) {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node)) look(node);
  for (const child of Object.values(node)) visit(child, look);
}
