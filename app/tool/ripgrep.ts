// Runs ripgrep, the search program that comes with the app.
// Owns: finding it, its fixed options, the line stream. Does not own: what is searched, what is shown of it.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { TidemarkError } from '../../shared/errors';
import { AGENT_IGNORE } from '../workspace/ignore';
import type { Part, Place, Workspace } from '../workspace/workspace';

/** Platform packages hold the bare program; inside app.asar it could not be started. */
function findRipgrep(): string {
  const name = process.platform === 'win32' ? 'rg.exe' : 'rg';
  const wanted = `@vscode/ripgrep-${process.platform}-${process.arch}/bin/${name}`;
  try {
    const found = createRequire(import.meta.url).resolve(wanted);
    return found.replace(/([\\/])app\.asar([\\/])/, '$1app.asar.unpacked$2');
  } catch (cause) {
    throw new TidemarkError('failed', 'The search program is missing from this installation.', {
      cause,
      hint: 'Install the app again.',
    });
  }
}

/**
 * Hidden files count, `.git` does not; ignore files of the project hold, the machine's do not. `.agentignore` is given
 * here for speed only: a `.gitignore` can overrule it, so callers filter again.
 */
const OPTIONS = ['--no-config', '--hidden', '--no-require-git', '--no-ignore-dot', '--no-ignore-global'];

/**
 * Searches what lies at a place. Calls `onLine` for each line, with what goes before its paths to make them paths of
 * tools, until it answers false. @throws TidemarkError tool-failed with rg's own words
 */
export async function ripgrep(
  args: readonly string[],
  workspace: Workspace,
  place: Place,
  signal: AbortSignal,
  onLine: (line: string, prefix: string) => boolean,
): Promise<void> {
  for (const part of workspace.parts(place)) {
    if (!(await searchPart(args, part, signal, (line) => onLine(line, part.prefix)))) return;
  }
}

/** The path of tools for one that ripgrep has printed. */
export const toolPath = (printed: string, prefix: string): string =>
  prefix + printed.replaceAll('\\', '/').replace(/^\.\//, '');

/** @returns false when `onLine` wanted no more */
async function searchPart(
  args: readonly string[],
  part: Part,
  signal: AbortSignal,
  onLine: (line: string) => boolean,
): Promise<boolean> {
  const ignoreFile = ['--ignore-file', path.join(part.root.path, AGENT_IGNORE), '--no-messages'];
  const all = [...OPTIONS, ...ignoreFile, '--glob', '!.git', ...args, '--', `./${part.text}`];
  const child = spawn(findRipgrep(), all, {
    cwd: part.root.path,
    signal,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString('utf8');
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  // A rejection must find a listener even while the lines are still being read.
  ended.catch(() => undefined);
  let enough = false;
  for await (const line of createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (enough || onLine(line)) continue;
    enough = true;
    child.kill();
  }
  const code = await ended;
  // 1 means that nothing was found; 2 also comes with good results when some file could not be read.
  if (!enough && code === 2 && errors.trim() !== '') throw new TidemarkError('tool-failed', errors.trim());
  return !enough;
}
