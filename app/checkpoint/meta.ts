// `meta.json`: whose folder a store holds, for whoever finds it without its workspace.
// Owns: its format; saying which folder is which. Invariant: a folder is told by device, inode and time of birth
// together: an inode alone is given to another folder as soon as its own is gone.
import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { placeDurably } from './durable';
import { isAbsent } from './failure';

export const META_VERSION = 1;

const metaSchema = z.looseObject({
  v: z.literal(META_VERSION),
  workspace: z.string(),
  device: z.string(),
  inode: z.string(),
  /** nanoseconds; absent in stores of the first versions */
  born: z.string().optional(),
  madeAt: z.string().optional(),
  /** where it was before it moved, until the tasks of that folder know */
  movedFrom: z.array(z.string()).optional(),
  /** `core.worktree` still names the place before that */
  worktreeOld: z.boolean().optional(),
});
export type Meta = z.infer<typeof metaSchema>;
type Identity = Pick<Meta, 'device' | 'inode' | 'born'>;

const fileOf = (folder: string): string => path.join(folder, 'meta.json');

/** What a store says of its workspace; null when nothing readable does. */
export function readMeta(folder: string): Meta | null {
  try {
    return metaSchema.safeParse(JSON.parse(fs.readFileSync(fileOf(folder), 'utf8'))).data ?? null;
  } catch (thrown) {
    if (isAbsent(thrown) || thrown instanceof SyntaxError) return null;
    throw thrown;
  }
}

export function writeMeta(folder: string, meta: Meta): void {
  placeDurably(fileOf(folder), [Buffer.from(`${JSON.stringify(meta)}\n`)]);
}

/** What tells this folder from every other. */
export function identityOf(workspace: string): Required<Identity> {
  const s = fs.statSync(workspace, { bigint: true });
  return { device: `${s.dev}`, inode: `${s.ino}`, born: `${s.birthtimeNs}` };
}

/** True only with proof: the time of birth counts, and a store that has none noted is nobody's but its path's. */
export const isSameFolder = (meta: Meta, now: Required<Identity>): boolean =>
  meta.device === now.device && meta.inode === now.inode && meta.born === now.born;

/** True when the store says what its workspace is now: it may have moved, or been made anew at its path. */
export function isMetaTrue(folder: string, workspace: string): boolean {
  const meta = readMeta(folder);
  if (meta === null || meta.worktreeOld === true) return false;
  return meta.workspace === workspace && isSameFolder(meta, identityOf(workspace));
}

export function keepMeta(folder: string, workspace: string): void {
  const { worktreeOld: _done, ...meta } = readMeta(folder) ?? {};
  const now = { v: META_VERSION, workspace, ...identityOf(workspace) } as const;
  writeMeta(folder, { madeAt: new Date().toISOString(), ...meta, ...now });
}

/** Every store by its folder and what it says of its workspace. Stores set aside are not among them. */
export function storesIn(checkpointsFolder: string): { readonly folder: string; readonly meta: Meta }[] {
  let names: string[];
  try {
    names = fs.readdirSync(checkpointsFolder);
  } catch (thrown) {
    if (isAbsent(thrown)) return [];
    throw thrown;
  }
  const found: { folder: string; meta: Meta }[] = [];
  for (const name of names.filter((n) => /^[0-9a-f]{32}$/.test(n))) {
    const folder = path.join(checkpointsFolder, name);
    const meta = readMeta(folder);
    if (meta !== null && fs.existsSync(path.join(folder, '.git'))) found.push({ folder, meta });
  }
  return found;
}
