// Where Tidemark keeps its things, and which folders are too wide to be a workspace with checkpoints.
// Owns: names inside `<home>`, the list of protected folders. Does not own: what is in the files.
import { chmodSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { TidemarkError } from '../shared/errors';
import type { TaskId } from '../shared/ids';
import { USUAL_FOLDERS, type UsualPlaces, usualPlaces } from './usual-folders';

type Env = Readonly<Record<string, string | undefined>>;

/** `TIDEMARK_HOME` or `~/.tidemark`: absolute, made if missing, entered by its owner only. @throws settings-failed */
export function homeFolder(env: Env = process.env): string {
  const home = path.resolve(env.TIDEMARK_HOME || path.join(os.homedir(), '.tidemark'));
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    if (process.platform !== 'win32' && (statSync(home).mode & 0o077) !== 0) chmodSync(home, 0o700);
  } catch (error) {
    throw new TidemarkError('settings-failed', `Tidemark's own folder ${home} cannot be made or used.`, {
      cause: error,
      hint: 'Check its permissions, or name another one with the variable TIDEMARK_HOME.',
    });
  }
  return home;
}

/** What lies in `<home>`. None of it is made here. */
export type HomePaths = {
  readonly settings: string;
  readonly secrets: string;
  readonly index: string;
  readonly tasks: string;
  task(id: TaskId): string;
  readonly checkpoints: string;
  /** Electron's user data */
  readonly app: string;
  readonly logs: string;
  /** where tasks work when no folder is open */
  readonly workspace: string;
};

export function pathsOf(home: string): HomePaths {
  const tasks = path.join(home, 'tasks');
  return {
    settings: path.join(home, 'settings.json'),
    secrets: path.join(home, 'secrets.json'),
    index: path.join(home, 'index.json'),
    tasks,
    task: (id) => path.join(tasks, id),
    checkpoints: path.join(home, 'checkpoints'),
    app: path.join(home, 'app'),
    logs: path.join(home, 'logs'),
    workspace: path.join(home, 'workspace'),
  };
}

export type ProtectedFolder = {
  readonly which:
    | 'home directory'
    | 'Desktop directory'
    | 'Documents directory'
    | 'Downloads directory'
    | 'drive root'
    | "Tidemark's own folder";
  /** the sentence that the header shows */
  readonly message: string;
};

/**
 * Which protected folder the real path is exactly, or null. Folders inside them are fine, except in what holds
 * Tidemark's own data.
 */
export function isProtectedFolder(
  realPath: string,
  o: {
    readonly home: string;
    readonly env?: Env;
    readonly userHome?: string;
    /** what the system calls the usual folders; default: asked here */
    readonly usual?: UsualPlaces;
  },
): ProtectedFolder | null {
  const userHome = o.userHome ?? os.homedir();
  const which = protectedName(
    realPath,
    o.home,
    userHome,
    o.usual ?? usualPlaces(userHome, o.env ?? process.env),
  );
  if (which === null) return null;
  return {
    which,
    message: `Cannot use checkpoints in ${which}. Open a specific project folder instead.`,
  };
}

function protectedName(
  realPath: string,
  home: string,
  userHome: string,
  usual: UsualPlaces,
): ProtectedFolder['which'] | null {
  const folder = comparable(realPath);
  const is = (other: string): boolean => folder === comparable(realOf(other));
  if (isDriveRoot(realPath)) return 'drive root';
  if (is(userHome)) return 'home directory';
  const own = pathsOf(home);
  if (is(home)) return "Tidemark's own folder";
  for (const inner of [own.tasks, own.checkpoints, own.app, own.logs]) {
    if (is(inner) || folder.startsWith(comparable(realOf(inner)) + path.sep)) return "Tidemark's own folder";
  }
  for (const name of USUAL_FOLDERS) {
    if (usual[name].some(is)) return `${name} directory`;
  }
  return null;
}

/** Also where removable and network drives are mounted; an ordinary mount may well be a project. */
function isDriveRoot(folder: string): boolean {
  if (path.parse(folder).root === folder) return true;
  if (process.platform === 'darwin') return /^\/Volumes\/[^/]+$/.test(folder);
  return process.platform === 'linux' && /^(\/run)?\/media\/[^/]+\/[^/]+$|^\/mnt\/[a-z]$/.test(folder);
}

function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return path.resolve(folder);
  }
}

/** Windows and macOS tell no case apart. */
const comparable = (folder: string): string => (process.platform === 'linux' ? folder : folder.toLowerCase());
