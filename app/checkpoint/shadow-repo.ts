// The shadow store of one workspace: a private git repository outside it.
// Owns: its place on disk, opening it, setting a damaged one aside. Does not own: what is in a new one (make-store.ts),
// its refs (task-ref.ts). Invariant: nothing here deletes a store.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { isAbort, TidemarkError } from '../../shared/errors';
import type { EngineOptions } from './engine';
import { isAbsent } from './failure';
import { type GitPlace, gitPlace, gitText, runGit } from './git';
import { makeStore, STORE_VERSION } from './make-store';
import { isMetaTrue, keepMeta } from './meta';
import { type Objects, openObjects } from './objects';
import { sweepOld } from './sweep';
import { type WorkPath, workPaths } from './work-file';

export type Store = {
  readonly options: EngineOptions;
  readonly program: string;
  readonly workspace: string;
  /** the folder that is set aside as a whole when damaged; the lock and the journal lie in it */
  readonly folder: string;
  readonly gitDir: string;
  /** an empty folder that stands for the user's home */
  readonly home: string;
  readonly place: GitPlace;
  readonly objects: Objects;
  readonly at: WorkPath;
};

/** `<checkpointsFolder>/<first 32 hex of sha256 of the real path's bytes>` */
export function storeFolderOf(checkpointsFolder: string, workspaceRealPath: string): string {
  return path.join(
    checkpointsFolder,
    createHash('sha256').update(workspaceRealPath).digest('hex').slice(0, 32),
  );
}

/** The store's places, whether it is there or not. */
export function storeAt(options: EngineOptions): Store {
  const folder = storeFolderOf(options.checkpointsFolder, options.workspace);
  const gitDir = path.join(folder, '.git');
  const home = path.join(gitDir, 'tidemark', 'home');
  const program = options.gitProgram ?? 'git';
  const workspace = options.workspace;
  const place = gitPlace({ program, cwd: workspace, home, gitDir, workTree: workspace });
  return {
    options,
    program,
    workspace,
    folder,
    gitDir,
    home,
    place,
    objects: openObjects(place, gitDir),
    at: workPaths(workspace),
  };
}

/** Renames the store's folder and says where it is now. */
function setAside(store: Store): string {
  const aside = `${store.folder}.broken-${new Date().toISOString().replace(/[:.]/g, '-')}`;
  fs.renameSync(store.folder, aside);
  return aside;
}

function isFolder(folder: string): boolean {
  try {
    return fs.statSync(folder).isDirectory();
  } catch (thrown) {
    if (isAbsent(thrown)) return false;
    throw thrown;
  }
}

/** Asks git whether it can work with the store: its configuration, its version, its refs. */
async function checkStore(store: Store, signal: AbortSignal): Promise<void> {
  const version = await gitText(store.place, ['config', '--get', 'tidemark.version'], { signal });
  if (Number(version) > STORE_VERSION) {
    throw new TidemarkError(
      'too-new',
      "This folder's checkpoints were written by a newer version of Tidemark.",
    );
  }
  await runGit(store.place, ['rev-parse', '--git-dir'], { signal });
  if (!isFolder(path.join(store.gitDir, 'objects')))
    throw new TidemarkError('git-failed', 'The folder of objects is missing.');
  // names only: one task's missing commit is no reason to set all others aside
  await runGit(store.place, ['for-each-ref', '--format=%(refname)', 'refs/tidemark/'], {
    signal,
    output: 'drop',
  });
}

function checkWorkspace(workspace: string): void {
  if (!isFolder(workspace))
    throw new TidemarkError('workspace-missing', `The folder ${workspace} is not there.`);
  try {
    fs.accessSync(workspace, fs.constants.R_OK | fs.constants.X_OK);
  } catch (cause) {
    throw new TidemarkError('workspace-denied', `The folder ${workspace} cannot be read.`, { cause });
  }
}

/** Opens the store, or makes it. @throws store-damaged after setting one aside that git cannot use */
export async function openStore(store: Store, signal: AbortSignal): Promise<void> {
  checkWorkspace(store.workspace);
  if (!fs.existsSync(store.gitDir)) await makeStore(store);
  try {
    await checkStore(store, signal);
  } catch (thrown) {
    if (isAbort(thrown) || !(thrown instanceof TidemarkError) || thrown.code !== 'git-failed') throw thrown;
    await store.objects.close();
    const aside = setAside(store);
    throw new TidemarkError(
      'store-damaged',
      `The store of this folder's checkpoints is damaged. It was set aside as ${path.basename(aside)}; your files were not touched.`,
      {
        cause: thrown,
        hint: 'Retry to go on with a new store. Earlier checkpoints are in the one that was set aside.',
      },
    );
  }
  if (!isMetaTrue(store.folder, store.workspace)) {
    await runGit(store.place, ['config', 'core.worktree', store.workspace], { signal });
    keepMeta(store.folder, store.workspace);
  }
  fs.chmodSync(store.folder, 0o700);
  fs.mkdirSync(store.home, { recursive: true });
  sweepOld(store);
}
