// A private folder for one test file, with a workspace and a place for outputs in it, removed at the end.
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openWorkspace, type Workspace } from '../workspace/workspace';

export type TempFolder = {
  /** the workspace's real path */
  readonly root: string;
  /** beside the workspace, for what lies outside of it */
  readonly outside: string;
  readonly outputs: string;
  readonly workspace: Workspace;
  /** Writes files, given by their path in the workspace; folders are made. */
  put(files: Readonly<Record<string, string | Uint8Array>>): Promise<void>;
  text(name: string): Promise<string>;
  bytes(name: string): Promise<Buffer>;
  remove(): Promise<void>;
};

export async function makeTempFolder(): Promise<TempFolder> {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), 'tidemark-test-')));
  const root = path.join(base, 'work');
  const outside = path.join(base, 'outside');
  await mkdir(root);
  await mkdir(outside);
  return {
    root,
    outside,
    outputs: path.join(base, 'outputs'),
    workspace: await openWorkspace(root),
    async put(files) {
      for (const [name, content] of Object.entries(files)) {
        const file = path.join(root, name);
        await mkdir(path.dirname(file), { recursive: true });
        await writeFile(file, content);
      }
    },
    text: (name) => readFile(path.join(root, name), 'utf8'),
    bytes: (name) => readFile(path.join(root, name)),
    remove: () => rm(base, { recursive: true, force: true }),
  };
}
