// Contents laid ready before a restore moves anything: whole, synced and with their permission bits, on the volume of
// the workspace, so that each one goes into its place by a rename.
// Owns: the staging folder. Invariant: every content is read, checked and written here first, so a full disk or a
// damaged object is met before the first file of the workspace changes.
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { RelPath } from '../../shared/rel-path';
import { TEMPORARY_SUFFIX } from '../../shared/temporary';
import { SYNC_AT_ONCE, syncAndClose, writeNew } from './durable';
import type { EntryState, PlanEntry } from './engine';
import { errnoOf } from './failure';
import type { Store } from './shadow-repo';
import { contentOf } from './snapshot';
import { bitsOf, isFolder, isLink } from './view';

export type Stage = { readonly folder: string; readonly files: ReadonlyMap<RelPath, string> };

/** Begins the name of a staging folder; in the workspace a dot comes before it. */
export const STAGE_PREFIX = 'stage-';

/** In the store when that is on the workspace's volume, else in the workspace under a name that no scan takes. */
function stageFolder(store: Store): string {
  const name = `${STAGE_PREFIX}${randomBytes(6).toString('hex')}${TEMPORARY_SUFFIX}`;
  const sameVolume = fs.statSync(store.folder).dev === fs.statSync(store.workspace).dev;
  return sameVolume ? path.join(store.folder, name) : path.join(store.workspace, `.${name}`);
}

/** True when putting the state in place needs its content (not only its permission bits). */
export const needsContent = (e: PlanEntry): e is PlanEntry & { to: EntryState } =>
  e.to !== null && !isFolder(e.to) && e.action !== 'mode';

/** So many contents are asked for before the first has come: enough to keep git busy, few enough for memory. */
const READ_AT_ONCE = 4;

/** Returns the file open, to be synced; null for a link. */
function writeStaged(file: string, body: Buffer, state: EntryState): number | null {
  if (isLink(state)) {
    fs.symlinkSync(body, file);
    return null;
  }
  const fd = writeNew(file, [body]);
  fs.fchmodSync(fd, bitsOf(state));
  return fd;
}

/** Lays ready what the entries need; `staged` is called once for each content. On a failure nothing of it stays. @throws snapshot-missing, disk-full */
export async function stageContents(
  store: Store,
  entries: readonly PlanEntry[],
  staged: () => void = () => undefined,
): Promise<Stage> {
  const folder = stageFolder(store);
  const files = new Map<RelPath, string>();
  fs.mkdirSync(folder, { mode: 0o700 });
  let open: number[] = [];
  const syncOpen = async (): Promise<void> => {
    const now = open;
    open = [];
    await syncAndClose(now);
  };
  try {
    const wanted = entries.filter(needsContent);
    for (let i = 0; i < wanted.length; i += READ_AT_ONCE) {
      const some = wanted.slice(i, i + READ_AT_ONCE);
      const bodies = await Promise.all(some.map((e) => contentOf(store, e.to)));
      for (const [n, e] of some.entries()) {
        const file = path.join(folder, `${i + n}`);
        const fd = writeStaged(file, bodies[n] ?? Buffer.alloc(0), e.to);
        if (fd !== null) open.push(fd);
        files.set(e.path, file);
        staged();
        if (open.length === SYNC_AT_ONCE) await syncOpen();
      }
    }
    await syncOpen();
    return { folder, files };
  } catch (thrown) {
    for (const fd of open) fs.closeSync(fd);
    removeStage({ folder, files });
    throw thrown;
  }
}

export function removeStage(stage: Stage): void {
  fs.rmSync(stage.folder, { recursive: true, force: true });
}

/** Copies a staged file to a name beside its place, as whole and synced as it was. */
function copyBeside(file: string, beside: string | Buffer): void {
  const stat = fs.lstatSync(file);
  if (stat.isSymbolicLink()) {
    fs.symlinkSync(fs.readlinkSync(file, { encoding: 'buffer' }), beside);
    return;
  }
  fs.copyFileSync(file, beside, fs.constants.COPYFILE_EXCL);
  const fd = fs.openSync(beside, 'r+');
  try {
    fs.fchmodSync(fd, stat.mode & 0o7777);
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** Puts a staged file in place. Where the target turns out to be another volume, by way of a copy beside it. */
export function placeStaged(file: string, target: string | Buffer): void {
  try {
    fs.renameSync(file, target);
  } catch (thrown) {
    if (errnoOf(thrown) !== 'EXDEV') throw thrown;
    const end = Buffer.from(`.${randomBytes(6).toString('hex')}${TEMPORARY_SUFFIX}`);
    const beside = typeof target === 'string' ? `${target}${end}` : Buffer.concat([target, end]);
    try {
      copyBeside(file, beside);
      fs.renameSync(beside, target);
    } catch (failed) {
      fs.rmSync(beside, { force: true });
      throw failed;
    }
  }
}
