// A workspace with a place for its store, for tests of the engine: real folders, real git, byte-exact comparison.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export type TempWorkspace = {
  readonly root: string;
  readonly checkpointsFolder: string;
  /** beside the workspace */
  readonly outside: string;
  put(name: string, content: string | Uint8Array, mode?: number): void;
  text(name: string): string;
  remove(name: string): void;
  has(name: string): boolean;
  git(...args: string[]): string;
  dispose(): void;
};

export function makeTempWorkspace(): TempWorkspace {
  const base = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), 'tidemark-engine-')));
  const root = path.join(base, 'work');
  const outside = path.join(base, 'outside');
  fs.mkdirSync(root);
  fs.mkdirSync(outside);
  const at = (name: string): string => path.join(root, name);
  return {
    root,
    outside,
    checkpointsFolder: path.join(base, 'checkpoints'),
    put: (name, content, mode) => {
      fs.mkdirSync(path.dirname(at(name)), { recursive: true });
      fs.writeFileSync(at(name), content);
      if (mode !== undefined) fs.chmodSync(at(name), mode);
    },
    text: (name) => fs.readFileSync(at(name), 'utf8'),
    remove: (name) => fs.rmSync(at(name), { recursive: true }),
    has: (name) => fs.lstatSync(at(name), { throwIfNoEntry: false }) !== undefined,
    git: (...args) => userGit(root, ...args),
    dispose: () => fs.rmSync(base, { recursive: true, force: true }),
  };
}

/** Git as a user with a name but without other settings would run it. */
export function userGit(cwd: string, ...args: string[]): string {
  const env = { PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' };
  const who = ['-c', 'user.name=u', '-c', 'user.email=u@example.com', '-c', 'init.defaultBranch=main'];
  return execFileSync('git', [...who, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] }).toString(
    'latin1',
  );
}

/** Every path below a folder with its kind, permission bits and content; names as latin1 bytes. */
export function treeOf(root: string, skip: (path: string) => boolean = () => false): Map<string, string> {
  const out = new Map<string, string>();
  const walk = (folder: Buffer, prefix: string): void => {
    for (const e of fs.readdirSync(folder, { encoding: 'buffer' })) {
      const name = prefix + e.toString('latin1');
      if (skip(name)) continue;
      const at = Buffer.concat([folder, Buffer.from('/'), e]);
      const s = fs.lstatSync(at);
      const bits = (s.mode & 0o7777).toString(8);
      if (s.isSymbolicLink())
        out.set(name, `link ${fs.readlinkSync(at, { encoding: 'buffer' }).toString('latin1')}`);
      else if (s.isDirectory()) {
        out.set(name, `folder ${bits}`);
        walk(at, `${name}/`);
      } else if (s.isFile())
        out.set(name, `file ${bits} ${createHash('sha1').update(fs.readFileSync(at)).digest('hex')}`);
      else out.set(name, 'other');
    }
  };
  walk(Buffer.from(root), '');
  return out;
}

/** The workspace as the engine sees it: without any `.git` and without the project's own `.tidemark`. */
export const workTreeOf = (root: string): Map<string, string> =>
  treeOf(root, (p) => p === '.tidemark' || p.split('/').includes('.git'));

/** All that must stay as it is in a user's repository: every file in `.git` by content, and what git says of it. */
export function repositoryPrint(root: string): string {
  // asking for the status first would refresh the index, so the files are read before git is asked
  const files = [...treeOf(path.join(root, '.git'))].map(([p, s]) => `${p} ${s}`).sort();
  return files.join('\n');
}
