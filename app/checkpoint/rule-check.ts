// Asks git which paths the rules leave out. Git itself reads the ignore files, so every pattern means what it means
// to git. Owns: the question to `check-ignore` (live and for recorded rules) and to `check-attr`.
// Does not own: which rules there are (project-repo.ts, exclusions.ts) or what a verdict leads to (scan.ts).
import fs from 'node:fs';
import path from 'node:path';
import type { RelPath } from '../../shared/rel-path';
import { type GitPlace, gitText } from './git';
import { type GitStream, nulFields, openGitStream } from './git-stream';

export interface RuleCheck {
  /** The paths that the rules leave out. Folders that are there count as folders, all else as files. */
  leftOut(paths: readonly RelPath[]): Promise<Set<RelPath>>;
  close(): Promise<void>;
}

/** One set of rules: git run at the top of a work tree, and where in it the paths lie ("" or "app/"). */
export type RuleLayer = { readonly place: GitPlace; readonly prefix: string };

const SLICE = 2_000;

/** A path as an argument of git commands that know pathspec magic. */
const plain = (p: string): string => (p.startsWith(':') ? `./${p}` : p);

/** A folder that git takes for a repository, with nothing in it but rules. */
export function makeRulesFolder(folder: string, o: { exclude: string; attributes: string }): void {
  for (const part of ['objects', 'refs', 'info']) fs.mkdirSync(path.join(folder, part), { recursive: true });
  fs.writeFileSync(path.join(folder, 'HEAD'), 'ref: refs/heads/none\n');
  fs.writeFileSync(path.join(folder, 'info', 'exclude'), o.exclude, 'latin1');
  fs.writeFileSync(path.join(folder, 'info', 'attributes'), o.attributes, 'latin1');
}

async function askLayer(stream: GitStream, prefix: string, paths: readonly RelPath[]): Promise<RelPath[]> {
  const out: RelPath[] = [];
  for (let i = 0; i < paths.length; i += SLICE) {
    const some = paths.slice(i, i + SLICE);
    stream.send(Buffer.from(some.map((p) => `${plain(prefix + p)}\0`).join(''), 'latin1'));
    const answer = (await stream.take(nulFields(some.length * 4))).toString('latin1').split('\0');
    some.forEach((p, n) => {
      // source, line, pattern, path; no source: nothing matches; "!": the last word takes it back in
      const matched = answer[n * 4] !== '';
      if (matched && answer[n * 4 + 2]?.startsWith('!') === false) out.push(p);
    });
  }
  return out;
}

/** Opens the question for one look at the workspace: git keeps what it read, so do not keep this for the next one. */
export function openRuleCheck(layers: readonly RuleLayer[]): RuleCheck {
  const streams: (GitStream | null)[] = layers.map(() => null);
  const streamOf = (i: number, layer: RuleLayer): GitStream => {
    const open = streams[i];
    if (open !== null && open !== undefined) return open;
    const made = openGitStream(layer.place, ['check-ignore', '--no-index', '-z', '--stdin', '-v', '-n'], {
      // check-ignore refuses the variable that makes pathspecs literal
      GIT_LITERAL_PATHSPECS: undefined,
      GIT_INDEX_FILE: path.join(layer.place.cwd, '.git', 'no-index'),
    });
    streams[i] = made;
    return made;
  };
  return {
    leftOut: async (paths) => {
      const out = new Set<RelPath>();
      if (paths.length === 0) return out;
      for (const [i, layer] of layers.entries()) {
        for (const p of await askLayer(streamOf(i, layer), layer.prefix, paths)) out.add(p);
      }
      return out;
    },
    close: async () => {
      await Promise.all(streams.map((s) => s?.close()));
    },
  };
}

/** Of these paths, the ones that Git LFS manages by the attributes in force. */
export async function lfsPaths(
  layer: RuleLayer,
  paths: readonly RelPath[],
  signal: AbortSignal,
): Promise<Set<RelPath>> {
  const out = new Set<RelPath>();
  if (paths.length === 0) return out;
  const input = Buffer.from(paths.map((p) => `${layer.prefix}${p}\0`).join(''), 'latin1');
  const answer = await gitText(layer.place, ['check-attr', '-z', '--stdin', 'filter'], {
    input,
    signal,
    env: { GIT_INDEX_FILE: path.join(layer.place.cwd, '.git', 'no-index') },
  });
  const fields = answer.split('\0');
  paths.forEach((p, i) => {
    if (fields[i * 3 + 2] === 'lfs') out.add(p);
  });
  return out;
}
