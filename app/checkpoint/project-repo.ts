// What the engine takes from the project's own repository: which files it tracks, and the rules that it keeps outside
// the workspace. Owns: finding it and reading it with read-only git commands in a clean environment.
// Invariants: nothing in the user's `.git` is written; a repository that git cannot read is a named gap, not a failure.
import fs from 'node:fs';
import path from 'node:path';
import { isAbort, TidemarkError } from '../../shared/errors';
import type { RelPath } from '../../shared/rel-path';
import { isAbsent } from './failure';
import { type GitPlace, gitPlace, gitText } from './git';

export type Project = {
  /** folder that holds the `.git` */
  readonly root: string;
  /** the workspace inside it: "" or "app/", bytes as latin1 */
  readonly prefix: string;
  /** files in its index that lie in the workspace */
  readonly tracked: ReadonlySet<RelPath>;
  /** lines of its info/exclude and info/attributes */
  readonly exclude: string;
  readonly attributes: string;
  /** why it could not be read; then `tracked` is empty */
  readonly problem: string | null;
  /** what was read, so that an unchanged index is not read again */
  readonly seen: string;
  /** which `.git` this is, and where git says that its files are */
  readonly identity: string;
  readonly paths: Paths;
};

type Paths = {
  readonly index: string;
  readonly exclude: string;
  readonly attributes: string;
  readonly objects: string;
};

type Options = {
  readonly program: string;
  readonly workspace: string;
  readonly home: string;
  readonly signal: AbortSignal;
};

function textOf(file: string): string {
  try {
    return fs.readFileSync(file, 'latin1').trimEnd();
  } catch {
    // not there, or not readable: then git would not follow it either
    return '';
  }
}

/** Equal as long as it is the same file in the same state. */
function stamp(file: string): string {
  try {
    const s = fs.statSync(file, { bigint: true });
    return `${s.ino} ${s.size} ${s.mtimeNs} ${s.ctimeNs}`;
  } catch (thrown) {
    if (isAbsent(thrown)) return 'absent';
    throw thrown;
  }
}

/** Equal as long as it is the same repository with the same HEAD. */
function identityOf(dotGit: string): string {
  const s = fs.lstatSync(dotGit, { bigint: true });
  return s.isDirectory() ? `${s.dev} ${s.ino} ${stamp(path.join(dotGit, 'HEAD'))}` : stamp(dotGit);
}

/** A `.git` folder with a HEAD, or a `.git` file (linked work tree, submodule). */
function isRepository(folder: string): boolean {
  try {
    const s = fs.lstatSync(path.join(folder, '.git'));
    return s.isFile() || fs.existsSync(path.join(folder, '.git', 'HEAD'));
  } catch (thrown) {
    if (isAbsent(thrown)) return false;
    throw thrown;
  }
}

/** The nearest folder at or above the workspace that is a git repository; null: none. */
export function findRepository(workspace: string): string | null {
  for (let at = workspace; ; at = path.dirname(at)) {
    if (isRepository(at)) return at;
    if (path.dirname(at) === at) return null;
  }
}

async function gitPaths(o: Options, root: string): Promise<Paths> {
  const place = gitPlace({
    program: o.program,
    cwd: root,
    home: o.home,
    gitDir: path.join(root, '.git'),
    workTree: root,
  });
  const wanted = ['index', 'info/exclude', 'info/attributes', 'objects'];
  const out = await gitText(place, ['rev-parse', ...wanted.flatMap((w) => ['--git-path', w])], {
    signal: o.signal,
  });
  const [index = '', exclude = '', attributes = '', objects = ''] = out
    .split('\n')
    .map((l) => path.resolve(root, Buffer.from(l, 'latin1').toString('utf8')));
  return { index, exclude, attributes, objects };
}

/** Where git runs for a project's repository, to read it. */
export function projectPlace(o: Omit<Options, 'signal'>, root: string): GitPlace {
  const { program, workspace, home } = o;
  return gitPlace({ program, cwd: workspace, home, gitDir: path.join(root, '.git'), workTree: root });
}

/** Reads the project's repository; `before` is the last answer, reused where nothing moved. Null: there is none. */
export async function readProject(o: Options, before: Project | null): Promise<Project | null> {
  const root = findRepository(o.workspace);
  if (root === null) return null;
  const inside = Buffer.from(path.relative(root, o.workspace).split(path.sep).join('/')).toString('latin1');
  const prefix = inside === '' ? '' : `${inside}/`;
  try {
    const identity = identityOf(path.join(root, '.git'));
    const known = before?.root === root && before.identity === identity && before.problem === null;
    const paths = known ? before.paths : await gitPaths(o, root);
    const seen = `${root}\0${paths.index}\0${stamp(paths.index)}`;
    const rules = { exclude: textOf(paths.exclude), attributes: textOf(paths.attributes) };
    if (before?.seen === seen && before.problem === null) return { ...before, ...rules, identity };
    const list = await gitText(projectPlace(o, root), ['-c', 'core.fsmonitor=false', 'ls-files', '-z'], {
      signal: o.signal,
    });
    const tracked = new Set(list.split('\0').filter((p) => p !== '')) as Set<string> as Set<RelPath>;
    return { root, prefix, tracked, ...rules, problem: null, seen, identity, paths };
  } catch (thrown) {
    if (isAbort(thrown) || (thrown instanceof TidemarkError && thrown.code === 'git-missing')) throw thrown;
    const problem =
      "the project's own git repository cannot be read, so files that only it knows are left out";
    return {
      root,
      prefix,
      tracked: new Set(),
      exclude: '',
      attributes: '',
      problem,
      seen: '',
      identity: '',
      paths: { index: '', exclude: '', attributes: '', objects: '' },
    };
  }
}
