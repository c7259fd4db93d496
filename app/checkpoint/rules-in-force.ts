// The rules that hold for the workspace just now: what the project tracks, ignore files, built-in exclusions.
// Owns: gathering them, writing them where git reads them, and noticing that they changed.
// Does not own: what is done with a verdict (scan.ts); rules recorded with a snapshot (coverage.ts).
import fs from 'node:fs';
import path from 'node:path';
import type { RelPath } from '../../shared/rel-path';
import { exclusionText } from './exclusions';
import { isAbsent } from './failure';
import { gitPlace } from './git';
import type { Batch } from './objects';
import { type Project, readProject } from './project-repo';
import type { OuterRules, RecordedRules } from './record';
import { makeRulesFolder, openRuleCheck, type RuleLayer } from './rule-check';
import type { Store } from './shadow-repo';
import { isSettled, workPaths } from './work-file';

export type RulesInForce = {
  readonly project: Project | null;
  readonly exclude: string;
  readonly layers: readonly RuleLayer[];
  /** where `check-attr` finds the project's attributes */
  readonly attributes: RuleLayer;
  /** equal while nothing outside the workspace's own ignore files has changed */
  readonly key: string;
  readonly outer: {
    readonly prefix: string;
    readonly exclude: string;
    readonly files: readonly { readonly path: string; readonly body: Buffer }[];
  } | null;
};

function writeIfOther(file: string, text: string): void {
  let present = '';
  try {
    present = fs.readFileSync(file, 'latin1');
  } catch (thrown) {
    if (!isAbsent(thrown)) throw thrown;
  }
  if (present !== text) fs.writeFileSync(file, text, 'latin1');
}

/** Ignore files between the repository's top and the workspace, paths from the top. */
function outerFiles(project: Project): { path: string; body: Buffer }[] {
  const at = workPaths(project.root);
  const files: { path: string; body: Buffer }[] = [];
  const folders = project.prefix.split('/').slice(0, -1);
  folders.forEach((_, depth) => {
    const file = [...folders.slice(0, depth), '.gitignore'].join('/');
    try {
      if (fs.lstatSync(at(file as RelPath)).isFile())
        files.push({ path: file, body: fs.readFileSync(at(file as RelPath)) });
    } catch (thrown) {
      if (!isAbsent(thrown)) throw thrown;
    }
  });
  return files;
}

/** True when the repository's own rules leave out the whole workspace: then it is not one of its folders, but a guest. */
async function isLeftOut(layer: RuleLayer, prefix: string): Promise<boolean> {
  const check = openRuleCheck([layer]);
  const folder = prefix.slice(0, -1) as RelPath;
  try {
    return (await check.leftOut([folder])).has(folder);
  } finally {
    await check.close();
  }
}

/** Gathers the rules and puts them in place for git. `before` is the last answer. */
export async function gatherRules(
  store: Store,
  signal: AbortSignal,
  before: RulesInForce | null,
): Promise<RulesInForce> {
  const { program, home, workspace, gitDir } = store;
  const project = await readProject({ program, workspace, home, signal }, before?.project ?? null);
  const top = project === null || project.prefix === '';
  const exclude = exclusionText(store.options.groups, top ? (project?.exclude ?? '') : '');
  writeIfOther(path.join(gitDir, 'info', 'exclude'), exclude);
  const attributeFolder = path.join(gitDir, 'tidemark', 'project');
  const outerExclude = top ? '' : (project?.exclude ?? '');
  const key = JSON.stringify([exclude, outerExclude, project?.root, project?.attributes]);
  if (before?.key !== key)
    makeRulesFolder(attributeFolder, { exclude: outerExclude, attributes: project?.attributes ?? '' });
  const root = project?.root ?? workspace;
  const projectPlace = gitPlace({ program, cwd: root, home, gitDir: attributeFolder, workTree: root });
  const attributes = { place: projectPlace, prefix: project?.prefix ?? '' };
  const inner = { place: store.place, prefix: '' };
  if (project === null || top) return { project, exclude, layers: [inner], attributes, key, outer: null };
  if (await isLeftOut({ place: projectPlace, prefix: '' }, project.prefix)) {
    return { project, exclude, layers: [inner], attributes, key, outer: null };
  }
  const outer = { prefix: project.prefix, exclude: outerExclude, files: outerFiles(project) };
  return {
    project,
    exclude,
    layers: [inner, attributes],
    attributes,
    key: key + JSON.stringify(outer),
    outer,
  };
}

/**
 * States of the ignore and attributes files: equal as long as none has changed. `readSince`: when git began to read
 * them; a file that moved after that may have been read in an older state, so its key is never equal to another.
 */
export function ruleFilesKey(
  at: (p: RelPath) => string | Buffer,
  files: readonly RelPath[],
  readSince: bigint,
): string {
  return [...files]
    .sort()
    .map((p) => {
      try {
        const s = fs.lstatSync(at(p), { bigint: true });
        const settled = isSettled([s.mtimeNs, s.ctimeNs], readSince) ? '' : `${process.hrtime.bigint()}`;
        return `${p}\0${s.ino}\0${s.size}\0${s.mtimeNs}\0${s.ctimeNs}\0${settled}`;
      } catch (thrown) {
        if (isAbsent(thrown)) return `${p}\0absent`;
        throw thrown;
      }
    })
    .join('\n');
}

const bodyOf = (at: (p: RelPath) => string | Buffer, p: RelPath): Buffer | null => {
  try {
    return fs.lstatSync(at(p)).isFile() ? fs.readFileSync(at(p)) : null;
  } catch (thrown) {
    if (isAbsent(thrown)) return null;
    throw thrown;
  }
};

/** True when Git LFS may manage a file: some attributes file names its filter. */
export function namesLfs(
  at: (p: RelPath) => string | Buffer,
  files: readonly RelPath[],
  rules: RulesInForce,
): boolean {
  if (rules.project?.attributes.includes('filter=lfs') === true) return true;
  const above = rules.outer === null ? [] : ['.gitattributes', `${rules.outer.prefix}.gitattributes`];
  const root = rules.project?.root;
  const outside = root === undefined ? [] : above.map((f) => bodyOf(workPaths(root), f as RelPath));
  const inside = files.filter((f) => f.endsWith('.gitattributes')).map((f) => bodyOf(at, f));
  return [...outside, ...inside].some((body) => body?.includes('filter=lfs') === true);
}

/** The rules as they go into a snapshot's record; the ignore files' contents go into the batch. */
export function recordRules(o: {
  batch: Batch;
  at: (p: RelPath) => string | Buffer;
  rules: RulesInForce;
  files: readonly RelPath[];
  forced: ReadonlySet<RelPath>;
}): RecordedRules {
  const ignoreFiles = new Map<RelPath, string>();
  for (const f of o.files) {
    const body = f.endsWith('.gitignore') ? bodyOf(o.at, f) : null;
    if (body !== null) ignoreFiles.set(f, o.batch.write('blob', body));
  }
  const outer: OuterRules | null =
    o.rules.outer === null
      ? null
      : {
          prefix: o.rules.outer.prefix,
          exclude: o.rules.outer.exclude,
          ignoreFiles: o.rules.outer.files.map((f) => [f.path, o.batch.write('blob', f.body)] as const),
        };
  return { exclude: o.rules.exclude, ignoreFiles, outer, forced: o.forced };
}
