// The folder that the scenes work in, in memory.
import type { Change, FileSide, TreeEntry } from '../../shared/domain';
import { MONEY } from './story';

const BEFORE_INVOICE = `import { round } from './rounding';
import type { Line } from './line';

/** What a line costs, without VAT. */
export function net(line: Line): number {
  return line.amount * line.price;
}

function sum(lines: Line[]): number {
  return lines.reduce((s, l) => s + net(l), 0);
}

export function total(lines: Line[]) {
  const net = sum(lines);
  const total = round(net * (1 + vat), 2);
  return total;
}

export const vat = 0.19;

// Printing
export function print(lines: Line[]): string {
  const rows = lines.map((l) => \`\${l.name}  \${net(l)}\`);
  return rows.join('\\n');
}

export function footer(): string {
  return 'Thank you';
}
`;
const AFTER_INVOICE = BEFORE_INVOICE.replace(
  "import { round } from './rounding';",
  "import { Money } from './money';",
).replace(
  '  const total = round(net * (1 + vat), 2);\n  return total;\n',
  '  return Money.of(net).withVat(vat);\n',
);
const ROUNDING = `export function round(n: number, digits: number): number {
  const f = 10 ** digits;
  return Math.round(n * f) / f;
}
`;

export const side = (text: string | null, part: Partial<FileSide> = {}): FileSide => ({
  text,
  bytes: text?.length ?? 0,
  encoding: 'utf-8',
  endings: 'lf',
  note: null,
  ...part,
});

const change = (
  path: string,
  kind: Change['kind'],
  added: number | null,
  removed: number | null,
  part: Partial<Change> = {},
): Change => ({
  path,
  kind,
  added,
  removed,
  binary: false,
  ...part,
});

export const CHANGES: readonly Change[] = [
  change('src/pricing/invoice.ts', 'modified', 2, 3),
  change('src/pricing/money.ts', 'added', 13, 0),
  change('src/pricing/rounding.ts', 'deleted', 0, 4),
  change('bin/release.sh', 'mode', 0, 0, { oldMode: '100644', newMode: '100755' }),
  change('docs/logo.png', 'modified', null, null, { binary: true }),
  change('docs/prices.md', 'renamed', 1, 0, { oldPath: 'docs/price-list.md', similarity: 92 }),
  change('notes.txt', 'modified', 3, 3),
];

export function sidesOf(path: string): { before: FileSide | null; after: FileSide | null } {
  switch (path) {
    case 'src/pricing/invoice.ts':
      return { before: side(BEFORE_INVOICE), after: side(AFTER_INVOICE) };
    case 'src/pricing/money.ts':
      return { before: null, after: side(MONEY()) };
    case 'src/pricing/rounding.ts':
      return { before: side(ROUNDING), after: null };
    case 'docs/logo.png':
      return {
        before: side(null, { note: 'binary', bytes: 20_400 }),
        after: side(null, { note: 'binary', bytes: 31_000 }),
      };
    case 'notes.txt':
      return { before: side('a\nb\nc\n'), after: side('a\r\nb\r\nc\r\n', { endings: 'crlf' }) };
    case 'docs/prices.md':
      return { before: side('# Prices\n'), after: side('# Prices\nIn euro.\n') };
    default:
      return { before: side('#!/bin/sh\n'), after: side('#!/bin/sh\n') };
  }
}

const entry = (path: string, type: TreeEntry['type'] = 'file'): TreeEntry => ({
  path,
  name: path.split('/').at(-1) ?? path,
  type,
  size: 100,
});

export const FOLDERS: Readonly<Record<string, readonly TreeEntry[]>> = {
  '': [
    entry('docs', 'folder'),
    entry('src', 'folder'),
    entry('test', 'folder'),
    entry('notes.txt'),
    entry('package.json'),
    entry('README.md'),
  ],
  src: [entry('src/orders', 'folder'), entry('src/pricing', 'folder'), entry('src/index.ts')],
  'src/pricing': [
    entry('src/pricing/invoice.ts'),
    entry('src/pricing/line.ts'),
    entry('src/pricing/money.ts'),
  ],
  'src/orders': Array.from({ length: 40 }, (_, i) => entry(`src/orders/order-${i}.ts`)),
  test: [entry('test/invoice.test.ts')],
  docs: [entry('docs/logo.png'), entry('docs/prices.md')],
};
