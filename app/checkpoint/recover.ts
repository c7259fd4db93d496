// Bringing back a workspace folder that was deleted, from the newest snapshot of its store.
// Owns: the list of such folders, and writing one. Does not own: finding stores (stored-folders.ts).
// Invariants: nothing that exists is overwritten or removed; a file arrives whole or not at all; a recovery that fails
// takes away what it made, one that was killed goes on when it is asked for again.
import fs from 'node:fs';
import path from 'node:path';
import { TidemarkError, throwIfAborted } from '../../shared/errors';
import type { SnapshotId } from '../../shared/ids';
import { type RelPath, relPathToText } from '../../shared/rel-path';
import { carryOut, inverse } from './apply';
import { holds } from './disk-state';
import type { Cancel, PlanEntry } from './engine';
import { errnoOf } from './failure';
import { probeGit } from './git-cold';
import type { Journal } from './journal';
import { storesIn } from './meta';
import { MoveError } from './move';
import type { Store } from './shadow-repo';
import { openSnapshot, type Snapshot } from './snapshot';
import { newestSnapshot, storeWithoutFolder } from './stored-folders';
import { filesOf, stateAt } from './view';
import { isBeyondLink, lstatInside, workPaths } from './work-file';

export type LostFolder = {
  readonly workspace: string;
  readonly at: string;
  readonly files: number;
  readonly snapshotId: SnapshotId;
};

export type Recovered = LostFolder & {
  readonly to: string;
  /** newest snapshots of tasks that could not be read; one of them may have been newer */
  readonly unreadable: number;
};

type Places = { readonly checkpointsFolder: string; readonly gitProgram?: string };

async function withNewest<T>(
  o: Places & Cancel & { readonly workspace: string },
  use: (store: Store, s: Snapshot, found: { at: string; unreadable: number }) => Promise<T>,
): Promise<T | null> {
  const store = storeWithoutFolder(o);
  try {
    const found = fs.existsSync(store.gitDir) ? await newestSnapshot(store, o) : null;
    return found === null ? null : await use(store, await openSnapshot(store, found.id), found);
  } finally {
    await store.objects.close();
  }
}

/** Folders that have checkpoints and are not there any more, the one that was saved last first. */
export async function lostFolders(o: Places & Cancel): Promise<LostFolder[]> {
  const found: LostFolder[] = [];
  await probeGit(o.gitProgram);
  for (const { meta } of storesIn(o.checkpointsFolder)) {
    const { workspace } = meta;
    throwIfAborted(o.signal);
    if (fs.existsSync(workspace)) continue;
    const entry = await withNewest({ ...o, workspace }, async (_store, s, { at }) => ({
      workspace,
      at,
      files: (await filesOf(s)).size,
      snapshotId: s.id,
    })).catch(unreadableStore);
    if (entry !== null) found.push(entry);
  }
  return found.sort((a, b) => (a.at < b.at ? 1 : -1));
}

/** A damaged store has nothing to offer; anything else that goes wrong is told. */
function unreadableStore(thrown: unknown): null {
  const code = thrown instanceof TidemarkError ? thrown.code : null;
  if (code === 'snapshot-missing' || code === 'git-failed' || code === 'store-damaged') return null;
  throw thrown;
}

/** What is still to be put below the target. @throws would-overwrite: something else stands there, or in the way */
async function missingAt(target: Store, s: Snapshot): Promise<PlanEntry[]> {
  const paths = new Set<RelPath>([...(await filesOf(s)), ...s.record.folders.keys()]);
  const missing: PlanEntry[] = [];
  const inTheWay: RelPath[] = [];
  for (const path of [...paths].sort()) {
    const to = await stateAt(s, path);
    if (to === null || holds(target, path, to, to)) continue;
    if (lstatInside(target.at, path) !== null || isBeyondLink(target.at, path)) inTheWay.push(path);
    else missing.push({ path, action: 'bring-back', by: 'other', from: null, to });
  }
  if (inTheWay.length === 0) return missing;
  throw new TidemarkError(
    'would-overwrite',
    `${target.workspace} holds other files where the snapshot has some. Nothing was brought back.`,
    {
      paths: inTheWay.map((p) => relPathToText(p).path),
      hint: 'Choose an empty folder with --to.',
    },
  );
}

/** Puts the files there; when that fails, takes away again what it has put. @throws restore-failed, disk-full */
async function putAll(
  target: Store,
  entries: readonly PlanEntry[],
  o: Pick<Journal, 'folders' | 'folderBits'>,
): Promise<void> {
  const made = fs.mkdirSync(target.workspace, { recursive: true });
  try {
    await carryOut({ store: target }, { entries, keep: [], folders: o.folders, folderBits: o.folderBits });
  } catch (cause) {
    const put = entries.filter((e) => holds(target, e.path, e.to, e.to));
    await carryOut(
      { store: target },
      { entries: inverse(put), keep: [], folders: [], folderBits: o.folderBits },
    );
    if (made !== undefined) removeEmptyAbove(target.workspace, made);
    if (!(cause instanceof MoveError)) throw cause;
    throw new TidemarkError('restore-failed', `The folder could not be brought back (${cause.message}).`, {
      cause,
      paths: [relPathToText(cause.path).path],
    });
  }
}

/** Removes folders that this recovery made, as long as they are empty. */
function removeEmptyAbove(from: string, last: string): void {
  for (let at = from; at.startsWith(last); at = path.dirname(at)) {
    try {
      fs.rmdirSync(at);
    } catch (thrown) {
      if (errnoOf(thrown) === 'ENOTEMPTY') return;
      throw thrown;
    }
  }
}

/**
 * Brings a folder back as its newest snapshot has it, to its own place or to another one.
 * @throws workspace-missing when there is no store of it; snapshot-missing; would-overwrite with `paths`
 */
export async function recoverFolder(
  o: Places & Cancel & { readonly workspace: string; readonly to: string },
): Promise<Recovered> {
  await probeGit(o.gitProgram);
  const done = await withNewest(o, async (store, s, { at, unreadable }) => {
    const target = { ...store, workspace: o.to, at: workPaths(o.to) };
    const missing = await missingAt(target, s);
    throwIfAborted(o.signal);
    const folders = [...s.record.folders].map(([p, f]): [RelPath, number] => [p, f.bits]);
    await putAll(target, missing, { folders, folderBits: s.record.defaults.folder });
    const files = (await filesOf(s)).size;
    return { workspace: o.workspace, to: o.to, at, files, snapshotId: s.id, unreadable };
  });
  if (done !== null) return done;
  throw new TidemarkError('workspace-missing', `There are no checkpoints of ${o.workspace}.`, {
    hint: 'See which folders can be brought back with: tidemark recover',
  });
}
