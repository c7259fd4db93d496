// The shadow store of one workspace: a private git repository outside it.
// Owns: its place on disk, making and opening it, its configuration, setting a damaged one aside, its refs.
// Invariants: a store appears whole or not at all (made beside its place, then renamed); nothing here deletes one;
// refs/tidemark/t/<taskId> only ever moves forward, by compare-and-swap.
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { isAbort, TidemarkError } from '../../shared/errors';
import { placeDurably, syncFolder } from './durable';
import type { EngineOptions } from './engine';
import { isAbsent } from './failure';
import { type GitPlace, gitPlace, gitText, runGit } from './git';
import { initRepository } from './git-cold';
import { NULL_DEVICE } from './git-env';
import { type Objects, openObjects, type StoredObject } from './objects';
import { sweepOld } from './sweep';
import { type WorkPath, workPaths } from './work-file';

export const STORE_VERSION = 1;

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

const configText = (workspace: string, filemode: boolean): string => `[core]
\trepositoryformatversion = 0
\tbare = false
\tworktree = ${JSON.stringify(workspace)}
\tlogAllRefUpdates = false
\tautocrlf = false
\tsafecrlf = false
\tfilemode = ${filemode}
\tsymlinks = true
\tquotePath = false
\tlongpaths = true
\tprecomposeUnicode = false
\tpreloadIndex = true
\tuntrackedCache = false
\tfsmonitor = false
\ttrustctime = true
\tcheckStat = default
\thooksPath = ${NULL_DEVICE}
\tcompression = 1
\tbigFileThreshold = 32m
[index]
\tversion = 2
[gc]
\tauto = 0
[maintenance]
\tauto = false
[commit]
\tgpgSign = false
[tag]
\tgpgSign = false
[user]
\tname = Tidemark Checkpoint
\temail = checkpoints@tidemark.invalid
[tidemark]
\tversion = ${STORE_VERSION}
`;

/** Highest precedence of all attributes: nothing converts a byte, nothing hides a difference. */
const ATTRIBUTES = '* -text -eol -ident !filter !working-tree-encoding -crlf !diff !merge\n';

/** What a later look at an orphaned store needs: where its workspace was. */
const metaText = (workspace: string): string => {
  const s = fs.statSync(workspace, { bigint: true });
  return `${JSON.stringify({ v: STORE_VERSION, workspace, device: `${s.dev}`, inode: `${s.ino}`, madeAt: new Date().toISOString() })}\n`;
};

async function makeStore(store: Store): Promise<void> {
  fs.mkdirSync(store.options.checkpointsFolder, { recursive: true, mode: 0o700 });
  const making = `${store.folder}.making-${randomBytes(6).toString('hex')}`;
  fs.mkdirSync(making, { mode: 0o700 });
  try {
    const gitDir = path.join(making, '.git');
    await initRepository({ program: store.program, gitDir, cwd: making });
    placeDurably(path.join(gitDir, 'config'), [
      Buffer.from(configText(store.workspace, process.platform !== 'win32')),
    ]);
    for (const folder of ['info', 'tidemark/home', 'objects/pack'])
      fs.mkdirSync(path.join(gitDir, folder), { recursive: true });
    placeDurably(path.join(gitDir, 'info', 'attributes'), [Buffer.from(ATTRIBUTES)]);
    placeDurably(path.join(making, 'meta.json'), [Buffer.from(metaText(store.workspace))]);
    fs.renameSync(making, store.folder);
    syncFolder(store.options.checkpointsFolder);
  } catch (thrown) {
    fs.rmSync(making, { recursive: true, force: true });
    // another process made the same store at the same time: theirs serves
    if (!fs.existsSync(path.join(store.gitDir, 'HEAD'))) throw thrown;
  }
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
  if (!fs.existsSync(store.folder)) await makeStore(store);
  // nothing but the lock and the journal of a store that is gone
  else if (!fs.existsSync(store.gitDir)) await fillStore(store);
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
  fs.chmodSync(store.folder, 0o700);
  fs.mkdirSync(store.home, { recursive: true });
  sweepOld(store);
}

/** Makes the repository in a folder that is already there (the lock may have made it). */
async function fillStore(store: Store): Promise<void> {
  const aside = `${store.folder}.lock-only-${randomBytes(6).toString('hex')}`;
  const inner = { ...store, folder: aside, gitDir: path.join(aside, '.git') };
  await makeStore(inner);
  for (const name of ['meta.json', '.git']) {
    if (!fs.existsSync(path.join(store.folder, name)))
      fs.renameSync(path.join(aside, name), path.join(store.folder, name));
  }
  fs.rmSync(aside, { recursive: true, force: true });
}

export const refOf = (taskId: string): string => `refs/tidemark/t/${taskId}`;

/** The commit of a task's newest snapshot; null: none yet. @throws snapshot-missing */
export function tipOf(store: Store, taskId: string): Promise<StoredObject | null> {
  return store.objects.readRef(refOf(taskId));
}

/** Moves a task's ref, and HEAD for people who look with git, in one transaction. @throws git-failed when it moved */
export async function moveTip(store: Store, taskId: string, from: string | null, to: string): Promise<void> {
  const zero = '0'.repeat(40);
  const orders = [
    'start',
    `update ${refOf(taskId)} ${to} ${from ?? zero}`,
    'option no-deref',
    `update HEAD ${to}`,
    'commit',
    '',
  ];
  await runGit(store.place, ['update-ref', '--stdin'], { input: Buffer.from(orders.join('\n')) });
  const file = path.join(store.gitDir, ...refOf(taskId).split('/'));
  if (fs.existsSync(file)) {
    const fd = fs.openSync(file, 'r+');
    fs.fsyncSync(fd);
    fs.closeSync(fd);
    syncFolder(path.dirname(file));
  }
}

/** Drops a task's ref. Its snapshots stay until a clean-up; those that other tasks share stay for good. */
export async function dropTip(store: Store, taskId: string): Promise<void> {
  await runGit(store.place, ['update-ref', '-d', refOf(taskId)]);
}
