// What people, agents and crashes do to a workspace in the engine's property test: names, contents, edits and steps
// as fast-check draws them, and how an edit is done on disk. Not part of the product.
import fs from 'node:fs';
import fc from 'fast-check';
import { type TempWorkspace, userGit } from './temp-workspace';

const NAMES = [
  'a',
  'b',
  'A.txt',
  'd',
  'd/x',
  'd/y',
  'd/e',
  'd/e/z',
  'd/e/f/g',
  'lib',
  'lib/main.go',
  'lib/inner',
  'lib/inner/deep',
  'new\nline',
  '-rf',
  ':(top)x',
  ':!no',
  '*.glob',
  '"q" \'r\'',
  '\\back',
  ' lead',
  'dot.',
  '#hash',
  '!bang',
  'caf\xc3\xa9',
  '\xff\xfe raw',
  'sp ace/\xf0\x9f\x8e\x88',
];
/** Never covered and never edited: they stay as they are through everything. */
export const IGNORED = ['x.log', 'ign/kept.txt'];
const ALWAYS = '*.log\nign/\n';
const RULES = ['', 'b\n', '*.glob\nA.txt\n', 'e/\n', 'inner\ny\n'].map((r) => ALWAYS + r);

const BODIES = ['', 'one\n', 'one\r\ntwo\r\n', 'three\n', 'no end', '\0binary\xff', 'x\n'];
/** Forty lines of which an edit changes one, so that hand edits and the task's can be merged. */
export const longText = (top: string, bottom: string): string =>
  Array.from({ length: 40 }, (_, i) => `${i === 3 ? top : i === 35 ? bottom : 'line'}\n`).join('');

const FILE_BITS = [0o644, 0o600, 0o755, 0o640, 0o700];
const FOLDER_BITS = [0o755, 0o700, 0o750];

export type Edit =
  | { readonly op: 'write'; readonly name: string; readonly body: string; readonly bits: number }
  /** changes one of a long text's two lines, or makes the text */
  | { readonly op: 'line'; readonly name: string; readonly where: 'top' | 'bottom'; readonly tag: number }
  | { readonly op: 'link'; readonly name: string; readonly to: string }
  | { readonly op: 'folder'; readonly name: string; readonly bits: number }
  | { readonly op: 'remove'; readonly name: string }
  | { readonly op: 'chmod'; readonly name: string; readonly bits: number }
  | { readonly op: 'move'; readonly name: string; readonly to: string }
  | { readonly op: 'rules'; readonly name: string; readonly body: string }
  | { readonly op: 'repository'; readonly name: string; readonly commits: boolean };

const name = fc.constantFrom(...NAMES);
const edit: fc.Arbitrary<Edit> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      op: fc.constant('write' as const),
      name,
      body: fc.constantFrom(...BODIES),
      bits: fc.constantFrom(...FILE_BITS),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constant('line' as const),
      name: fc.constantFrom('d/x', 'lib/main.go'),
      where: fc.constantFrom('top' as const, 'bottom' as const),
      tag: fc.nat(9),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('link' as const),
      name,
      to: fc.constantFrom('a', 'd', '/nowhere', '..', 'link loop'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant('folder' as const), name, bits: fc.constantFrom(...FOLDER_BITS) }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('remove' as const), name }) },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant('chmod' as const), name, bits: fc.constantFrom(...FILE_BITS) }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('move' as const), name, to: name }) },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('rules' as const),
      name: fc.constantFrom('.gitignore', 'd/.gitignore', 'lib/.gitignore'),
      body: fc.constantFrom(...RULES),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('repository' as const),
      name: fc.constantFrom('lib', 'lib/inner', 'd/e'),
      commits: fc.boolean(),
    }),
  },
);

/** What a killed process may leave in the store; the work of nobody is lost by it. */
export type Leftover = 'nothing' | 'locks' | 'no index' | 'half an index';

export type RestoreStep = {
  readonly do: 'restore';
  readonly to: number;
  readonly kind: 'task' | 'workspace';
  readonly choice: 'mine' | 'checkpoint';
  readonly redo: boolean;
};
export type Step =
  | { readonly do: 'turn' | 'hand'; readonly edits: readonly Edit[] }
  | RestoreStep
  | { readonly do: 'crash'; readonly leaves: Leftover };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('turn' as const, 'hand' as const),
      edits: fc.array(edit, { minLength: 1, maxLength: 5 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('restore' as const),
      to: fc.nat(20),
      kind: fc.constantFrom('task' as const, 'workspace' as const),
      choice: fc.constantFrom('mine' as const, 'checkpoint' as const),
      redo: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('crash' as const),
      leaves: fc.constantFrom<Leftover>('nothing', 'locks', 'no index', 'half an index'),
    }),
  },
);

/** Most are short, because the simplest histories find the most; one in five is long. */
export const histories: fc.Arbitrary<Step[]> = fc.oneof(
  { weight: 4, arbitrary: fc.array(step, { minLength: 3, maxLength: 7 }) },
  { weight: 1, arbitrary: fc.array(step, { minLength: 8, maxLength: 20 }) },
);

/** True when an ignore file of these bodies may leave the path out. Errs towards true. */
export function mayBeIgnored(bodies: readonly string[], path: string): boolean {
  if (IGNORED.includes(path) || path === 'ign') return true;
  const parts = path.split('/');
  return bodies.some((body) =>
    body.split('\n').some((rule) => {
      if (rule === '') return false;
      if (rule.startsWith('*')) return parts.some((p) => p.endsWith(rule.slice(1)));
      return parts.includes(rule.replace('/', ''));
    }),
  );
}

const bytes = (w: TempWorkspace, n: string): Buffer => Buffer.from(`${w.root}/${n}`, 'latin1');

/** Takes away what stands at a name, and makes folders of what leads to it. */
function clear(w: TempWorkspace, n: string): void {
  const parts = n.split('/');
  for (let i = 1; i < parts.length; i++) {
    const parent = bytes(w, parts.slice(0, i).join('/'));
    const s = fs.lstatSync(parent, { throwIfNoEntry: false });
    if (s !== undefined && !s.isDirectory()) fs.unlinkSync(parent);
    if (s?.isDirectory() !== true) fs.mkdirSync(parent);
  }
  const at = bytes(w, n);
  fs.rmSync(at.toString('latin1') === at.toString('utf8') ? at.toString() : at, {
    recursive: true,
    force: true,
  });
}

/** What stands at a name, not by way of a link: that would be outside. */
function there(w: TempWorkspace, n: string): fs.Stats | undefined {
  try {
    const parts = n.split('/');
    for (let i = 1; i < parts.length; i++)
      if (!fs.lstatSync(bytes(w, parts.slice(0, i).join('/'))).isDirectory()) return undefined;
    return fs.lstatSync(bytes(w, n));
  } catch {
    return undefined;
  }
}

function changeLine(w: TempWorkspace, e: Edit & { op: 'line' }, who: string): void {
  const text = `${who} ${e.tag}`;
  const old = there(w, e.name)?.isFile() === true ? fs.readFileSync(bytes(w, e.name), 'latin1') : '';
  const lines = old.split('\n');
  const [top, bottom] = lines.length === 41 ? [lines[3] ?? '', lines[35] ?? ''] : ['line', 'line'];
  if (there(w, e.name)?.isFile() !== true) clear(w, e.name);
  fs.writeFileSync(
    bytes(w, e.name),
    e.where === 'top' ? longText(text, bottom) : longText(top, text),
    'latin1',
  );
}

function makeRepository(w: TempWorkspace, e: Edit & { op: 'repository' }): void {
  if (there(w, e.name)?.isDirectory() !== true) {
    clear(w, e.name);
    fs.mkdirSync(bytes(w, e.name));
  }
  const folder = `${w.root}/${e.name}`;
  if (!fs.existsSync(`${folder}/.git`)) userGit(folder, 'init', '-q', '--template=');
  if (e.commits) userGit(folder, 'commit', '-qm', 'x', '--allow-empty');
}

function move(w: TempWorkspace, from: string, to: string): void {
  if (there(w, from) === undefined) return;
  if (to === from || to.startsWith(`${from}/`) || from.startsWith(`${to}/`)) return;
  const beside = bytes(w, 'moving aside');
  fs.renameSync(bytes(w, from), beside);
  clear(w, to);
  fs.renameSync(beside, bytes(w, to));
}

/** Does an edit if the file system lets it be done; one that makes no sense just now is passed over. */
export function perform(w: TempWorkspace, e: Edit, who: string): void {
  const at = bytes(w, e.name);
  switch (e.op) {
    case 'write':
      clear(w, e.name);
      fs.writeFileSync(at, Buffer.from(e.body, 'latin1'));
      fs.chmodSync(at, e.bits);
      break;
    case 'line':
      changeLine(w, e, who);
      break;
    case 'link':
      clear(w, e.name);
      fs.symlinkSync(e.to, at);
      break;
    case 'folder':
      clear(w, e.name);
      fs.mkdirSync(at);
      fs.chmodSync(at, e.bits);
      break;
    case 'remove':
      if (there(w, e.name) !== undefined) fs.rmSync(at, { recursive: true, force: true });
      break;
    case 'chmod':
      if (there(w, e.name)?.isFile() === true) fs.chmodSync(at, e.bits);
      break;
    case 'move':
      move(w, e.name, e.to);
      break;
    case 'rules':
      clear(w, e.name);
      fs.writeFileSync(at, e.body);
      break;
    case 'repository':
      makeRepository(w, e);
      break;
  }
}
