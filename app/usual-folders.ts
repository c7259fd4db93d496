// Where Desktop, Documents and Downloads lie, under whatever names this system gives them.
// Owns: asking each system in its own way. Does not own: what follows from it (paths).
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

export const USUAL_FOLDERS = ['Desktop', 'Documents', 'Downloads'] as const;
export type UsualFolder = (typeof USUAL_FOLDERS)[number];
/** Absolute paths, of which none need be there. */
export type UsualPlaces = Readonly<Record<UsualFolder, readonly string[]>>;

export function usualPlaces(userHome: string, env: Env, platform = process.platform): UsualPlaces {
  const registry = platform === 'win32' ? shellFolders(readRegistry(), env) : {};
  const places = (name: UsualFolder): string[] => {
    const plain = path.join(userHome, name);
    switch (platform) {
      case 'win32':
        return [plain, ...cloudPlaces(name, env), ...(registry[name] ?? [])];
      case 'darwin': // other languages are shown by Finder only; on the disk the names stay English
        return [plain, path.join(userHome, 'Library', 'Mobile Documents', 'com~apple~CloudDocs', name)];
      default:
        return [plain, ...userDir(name === 'Downloads' ? 'DOWNLOAD' : name.toUpperCase(), userHome, env)];
    }
  };
  return { Desktop: places('Desktop'), Documents: places('Documents'), Downloads: places('Downloads') };
}

const cloudPlaces = (name: UsualFolder, env: Env): string[] =>
  [env.OneDrive, env.OneDriveConsumer, env.OneDriveCommercial].flatMap((cloud) =>
    cloud ? [path.join(cloud, name)] : [],
  );

/** The folder that the desktop uses under its translated name (xdg-user-dirs, file user-dirs.dirs). */
function userDir(name: string, userHome: string, env: Env): string[] {
  const config = env.XDG_CONFIG_HOME || path.join(userHome, '.config');
  let text: string;
  try {
    text = readFileSync(path.join(config, 'user-dirs.dirs'), 'utf8');
  } catch {
    return []; // not every desktop has it
  }
  const value = new RegExp(`^\\s*XDG_${name}_DIR\\s*=\\s*"(.*)"\\s*$`, 'm').exec(text)?.[1];
  if (value === undefined) return [];
  const folder = value.replace(/\\(.)/g, '$1').replace(/^\$HOME(?=\/|$)/, userHome);
  // Turned off by pointing to home itself: then it is the home directory, which has a rule of its own.
  return path.isAbsolute(folder) && path.resolve(folder) !== path.resolve(userHome) ? [folder] : [];
}

const REGISTRY_KEY = 'HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Explorer\\User Shell Folders';
/** Windows' own names of the values; Downloads has none but its identifier. */
const REGISTRY_NAMES: Readonly<Record<UsualFolder, string>> = {
  Desktop: 'Desktop',
  Documents: 'Personal',
  Downloads: '{374DE290-123F-4565-9164-39C4925E467B}',
};

function readRegistry(): string {
  try {
    return execFileSync('reg', ['query', REGISTRY_KEY], {
      encoding: 'utf8',
      windowsHide: true,
      timeout: 5000,
    });
  } catch {
    return ''; // a system that keeps no such list has the folders under their plain names
  }
}

/** What `reg query` prints of the folders that were moved or have translated names. Pure. */
export function shellFolders(printed: string, env: Env): Partial<Record<UsualFolder, readonly string[]>> {
  const values = new Map<string, string>();
  for (const line of printed.split(/\r?\n/)) {
    const [, name, value] = /^ {4}(.+?) {4}REG_(?:EXPAND_)?SZ {4}(.+?)\s*$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) values.set(name.toLowerCase(), value);
  }
  const upper = new Map(Object.entries(env).map(([name, value]) => [name.toUpperCase(), value]));
  const expand = (text: string): string =>
    text.replace(/%([^%]+)%/g, (whole, name: string) => upper.get(name.toUpperCase()) ?? whole);
  return Object.fromEntries(
    USUAL_FOLDERS.flatMap((folder) => {
      const value = values.get(REGISTRY_NAMES[folder].toLowerCase());
      return value === undefined ? [] : [[folder, [expand(value)]]];
    }),
  );
}
