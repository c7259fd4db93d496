// The folder in which the agent works, known by its real path, and the only way in which tools touch it.
// Owns: opening it, resolving what tools ask for, `.agentignore`, whole-file reads and writes.
// Does not own: the tree for people (tree.ts), trust, checkpoints, approval.
import { constants } from 'node:fs';
import { access, lstat, open, realpath, rename, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { TidemarkError } from '../../shared/errors';
import { type Guard, guardOf } from './guard';
import { AGENT_IGNORE, type AgentIgnore, readAgentIgnore } from './ignore';
import { inPinnedFolder } from './pinned-folder';
import { type Follow, type Place, resolveInside } from './resolve-inside';
import type { WorkspaceRoot } from './roots';
import { isSecretFile } from './secret-content';
import { writeWhole } from './write-file';

export type { Guard } from './guard';
export type { Place } from './resolve-inside';
export type { WorkspaceRoot } from './roots';

/** What a place holds of one folder of the workspace, for tools that walk it. */
export type Part = {
  readonly root: WorkspaceRoot;
  /** "" or "name/": goes before what is relative to the root, to make a path of tools */
  readonly prefix: string;
  readonly absolute: string;
  /** relative to the root, "/" between parts, "" for the root */
  readonly text: string;
};

export interface Workspace {
  /** absolute real path; of the first folder where there are several */
  readonly root: string;
  /** one, or several, whose names then begin every path */
  readonly roots: readonly WorkspaceRoot[];
  /** where commands run that name no folder, as a path of tools */
  readonly home: string;
  /** Where a place lies: in one folder, or, when it is what lies above several, in each of them. */
  parts(place: Place): readonly Part[];
  /**
   * Where a tool's path really lies now.
   * @throws TidemarkError path-refused: outside, a link out, or kept from the agent by `.agentignore`
   */
  resolve(asked: string, follow: Follow): Promise<Place>;
  /** The `.agentignore` of this moment, for lists. */
  agentIgnore(): Promise<AgentIgnore>;
  /** Why a change of this place, with what it holds now, always asks; null when it is an ordinary one. */
  guard(place: Place): Promise<Guard | null>;
  /** The whole content. @throws TidemarkError tool-failed when it is not a file or larger than `maxBytes` */
  read(place: Place, maxBytes: number): Promise<Uint8Array>;
  /** Writes the whole content at once, keeping mode and links; makes missing folders. */
  write(place: Place, bytes: Uint8Array): Promise<void>;
  /** Removes a file or link. */
  remove(place: Place): Promise<void>;
  /** Gives a file or folder another name; makes missing folders. Whoever calls has looked that `to` is free. */
  move(from: Place, to: Place): Promise<void>;
  /** The permission bits of a file. */
  permissions(place: Place): Promise<number>;
  setPermissions(place: Place, bits: number): Promise<void>;
}

/** @throws TidemarkError workspace-missing, workspace-denied */
export async function openWorkspace(folder: string): Promise<Workspace> {
  const root = await realRoot(folder);
  const only: WorkspaceRoot = { path: root, name: '' };
  const at = <T>(place: Place, make: boolean, work: (pinned: string) => Promise<T>): Promise<T> =>
    atPlace(root, place, make, work);
  return {
    root,
    roots: [only],
    home: '.',
    parts: ({ absolute, text }) => [{ root: only, prefix: '', absolute, text }],
    agentIgnore: () => readAgentIgnore(root),
    async resolve(asked, follow) {
      const place = await resolveInside(root, asked, follow);
      const ignored = await readAgentIgnore(root);
      const isFolder = place.type === 'folder';
      if (ignored(place.text, isFolder) || ignored(place.asked, isFolder)) {
        throw new TidemarkError(
          'path-refused',
          `"${asked}" was refused: ${AGENT_IGNORE} keeps it from the agent.`,
          {
            paths: [asked],
          },
        );
      }
      return place;
    },
    async guard(place) {
      const guard = guardOf(place.text) ?? guardOf(place.asked);
      if (guard !== null || place.type !== 'file') return guard;
      return (await isSecretFile(place.absolute, place.text)) ? 'secret' : null;
    },
    async read(place, maxBytes) {
      refuseNoFile(place);
      return at(place, false, (pinned) => readPlace(pinned, place, maxBytes));
    },
    write: (place, bytes) => at(place, true, (pinned) => writeWhole(pinned, bytes)),
    remove: (place) => at(place, false, unlink),
    move: (from, to) => at(from, false, (old) => at(to, true, (now) => rename(old, now))),
    permissions: (place) => at(place, false, async (pinned) => (await lstat(pinned)).mode & 0o7777),
    setPermissions: (place, bits) =>
      at(place, false, async (pinned) => {
        const file = await open(pinned, constants.O_RDONLY | NO_FOLLOW);
        try {
          await file.chmod(bits);
        } finally {
          await file.close();
        }
      }),
  };
}

/** What was resolved is used here: whatever has been put in its way since is not followed. */
export function atPlace<T>(
  root: string,
  place: Place,
  make: boolean,
  work: (pinned: string) => Promise<T>,
): Promise<T> {
  return inPinnedFolder(root, path.dirname(place.absolute), make, (parent) =>
    work(path.join(parent, path.basename(place.absolute))),
  );
}

async function realRoot(folder: string): Promise<string> {
  try {
    const root = await realpath(folder);
    if (!(await stat(root)).isDirectory())
      throw new TidemarkError('workspace-missing', `${folder} is not a folder.`);
    await access(root, constants.R_OK | constants.X_OK);
    return root;
  } catch (cause) {
    if (cause instanceof TidemarkError) throw cause;
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === 'EACCES' || code === 'EPERM')
      throw new TidemarkError('workspace-denied', `The folder ${folder} cannot be read.`, { cause });
    throw new TidemarkError('workspace-missing', `The folder ${folder} is not there.`, { cause });
  }
}

const NO_FOLLOW = constants.O_NOFOLLOW ?? 0; // Windows has no such flag

function refuseNoFile(place: Place): void {
  if (place.type === 'none') throw new TidemarkError('tool-failed', `There is no file "${place.asked}".`);
  if (place.type === 'file') return;
  const what = place.type === 'folder' ? 'a folder' : 'not a regular file';
  throw new TidemarkError('tool-failed', `"${place.asked}" is ${what}.`);
}

async function readPlace(pinned: string, place: Place, maxBytes: number): Promise<Uint8Array> {
  const flags = constants.O_RDONLY | NO_FOLLOW | (constants.O_NONBLOCK ?? 0);
  const file = await open(pinned, flags).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'EACCES')
      throw new TidemarkError('tool-failed', `"${place.asked}" may not be read.`, { cause });
    if (cause.code === 'ELOOP')
      throw new TidemarkError('path-refused', `"${place.asked}" has become a link.`, { cause });
    throw cause;
  });
  try {
    const { size } = await file.stat();
    if (size > maxBytes) {
      throw new TidemarkError(
        'tool-failed',
        `"${place.asked}" is too large for this tool (${size} bytes, the limit is ${maxBytes}).`,
      );
    }
    return await file.readFile();
  } finally {
    await file.close();
  }
}
