// The folders of a workspace and the names by which tools call them. Pure.
// Owns: names that tell several folders apart. Does not own: opening them, which paths are given (workspace-file).
import path from 'node:path';
import { TidemarkError } from '../../shared/errors';
import {
  type PathText,
  type RelPath,
  relPathFromText,
  relPathOf,
  relPathToText,
} from '../../shared/rel-path';

export type WorkspaceRoot = {
  /** absolute real path */
  readonly path: string;
  /** begins the paths of tools where there are several folders; "" where there is one, whose paths need no name */
  readonly name: string;
};

/**
 * The folders with their names: the folder's own, and where two are called the same, with their parents behind.
 * A folder has the same name in whatever order they are given.
 */
export function namedRoots(paths: readonly string[]): WorkspaceRoot[] {
  const [only, ...more] = paths;
  if (only !== undefined && more.length === 0) return [{ path: only, name: '' }];
  const taken = new Set<string>();
  const names = new Map<string, string>();
  const plain = paths.map((p) => folderName(p).toLowerCase());
  // Folders with a name of their own keep it, so they choose first.
  const isOnly = (p: string): boolean =>
    plain.filter((name) => name === folderName(p).toLowerCase()).length === 1;
  const inOrder = [...paths].sort((a, b) => Number(isOnly(b)) - Number(isOnly(a)) || (a < b ? -1 : 1));
  for (const p of inOrder) {
    const wanted = isOnly(p) ? folderName(p) : `${folderName(p)} (${folderName(path.dirname(p))})`;
    let name = wanted;
    for (let n = 2; taken.has(name.toLowerCase()); n++) name = `${wanted} ${n}`;
    taken.add(name.toLowerCase());
    names.set(p, name);
  }
  return paths.map((p) => ({ path: p, name: names.get(p) ?? folderName(p) }));
}

/** The last part of a path; of a drive's root its letter. */
export const folderName = (folder: string): string =>
  path.basename(folder) || folder.replace(/[\\/:]/g, '') || 'root';

/** How people call a workspace. */
export function workspaceName(paths: readonly string[]): string {
  const names = namedRoots(paths).map((r) => r.name || folderName(r.path));
  const left = names.length - MOST_NAMED;
  return left <= 1 ? names.join(', ') : `${names.slice(0, MOST_NAMED).join(', ')} and ${left} more`;
}

/** As many as fit a window's header. */
const MOST_NAMED = 3;

/** The folder in which a path of tools lies, and the path in it. By its spelling alone. @throws path-refused */
export function locate(
  roots: readonly WorkspaceRoot[],
  asked: PathText,
): { readonly folder: WorkspaceRoot; readonly rest: RelPath } {
  const rel = relPathOf(asked);
  const [only, ...more] = roots;
  if (only !== undefined && more.length === 0) return { folder: only, rest: rel };
  const [name, ...rest] = rel.split('/');
  const folder = roots.find((r) => relPathFromText(r.name) === name);
  if (folder !== undefined) return { folder, rest: rest.join('/') as RelPath };
  throw new TidemarkError('path-refused', `${asked.path} is not a path inside these folders.`);
}

/** The absolute path of a path of tools, for other programs. @throws path-refused for anything but names below a folder */
export function absoluteOf(roots: readonly WorkspaceRoot[], asked: PathText): string {
  const { folder, rest } = locate(roots, asked);
  const text = relPathToText(rest).path;
  const parts = text.split('/').filter((part) => part !== '');
  if (parts.some((part) => part === '..' || part === '.') || path.isAbsolute(text)) {
    throw new TidemarkError('path-refused', `${asked.path} is not a path inside this folder.`);
  }
  return path.join(folder.path, ...parts);
}
