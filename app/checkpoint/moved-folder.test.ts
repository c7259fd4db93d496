import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SnapshotId } from '../../shared/ids';
import { relPathFromText as rel } from '../../shared/rel-path';
import { makeTempWorkspace, type TempWorkspace, userGit } from '../testing/temp-workspace';
import { type Bench, openBench } from './engine-bench';
import { acquireStoreLock } from './lock';
import { readMeta, writeMeta } from './meta';
import { adoptMovedStore, forgetMove, movedFrom } from './moved-folder';
import { storeFolderOf } from './shadow-repo';

let w: TempWorkspace;
let b: Bench;
let moved: string;
let one: SnapshotId;
beforeEach(async () => {
  w = makeTempWorkspace();
  b = openBench(w);
  moved = path.join(path.dirname(w.root), 'moved here');
  w.put('a.txt', 'one');
  one = await b.capture();
  w.put('a.txt', 'two');
  await b.capture();
  await b.close();
});
afterEach(async () => {
  await b.close();
  w.dispose();
});

const { signal } = new AbortController();
const placeOf = (workspace: string): { checkpointsFolder: string; workspace: string } => ({
  checkpointsFolder: w.checkpointsFolder,
  workspace,
});
const adopt = (workspace = moved): Promise<void> => adoptMovedStore({ ...placeOf(workspace), signal });
const storeOf = (workspace: string): string => storeFolderOf(w.checkpointsFolder, workspace);
const openAt = (root: string): Bench => openBench({ root, checkpointsFolder: w.checkpointsFolder });

describe('a folder that was moved', () => {
  it('has its checkpoints where it is now', async () => {
    fs.renameSync(w.root, moved);
    await adopt();
    expect(fs.existsSync(storeOf(w.root))).toBe(false);
    expect(movedFrom(placeOf(moved))).toEqual([w.root]);
    b = openAt(moved);
    await b.engine.start(b.cancel);
    expect(await b.capture()).not.toBe(one);
    expect(Buffer.from((await b.engine.read(one, rel('a.txt'), b.cancel)) ?? []).toString()).toBe('one');
    const gitDir = path.join(storeOf(moved), '.git');
    expect(userGit(w.outside, '--git-dir', gitDir, 'config', 'core.worktree').trim()).toBe(moved);
    expect(readMeta(storeOf(moved))?.workspace).toBe(moved);
    forgetMove(placeOf(moved));
    expect(movedFrom(placeOf(moved))).toEqual([]);
  });

  it('and moved back again, with a restore that was cut, loses neither', async () => {
    fs.renameSync(w.root, moved);
    fs.writeFileSync(path.join(storeOf(w.root), 'restore.json'), 'the journal');
    await adopt();
    expect(fs.readFileSync(path.join(storeOf(moved), 'restore.json'), 'utf8')).toBe('the journal');
    fs.renameSync(moved, w.root);
    await adopt(w.root);
    expect(fs.readFileSync(path.join(storeOf(w.root), 'restore.json'), 'utf8')).toBe('the journal');
    expect(fs.existsSync(path.join(storeOf(w.root), '.git'))).toBe(true);
  });

  it('is gone on with after a crash in the middle', async () => {
    fs.renameSync(w.root, moved);
    const meta = readMeta(storeOf(w.root));
    fs.mkdirSync(storeOf(moved));
    if (meta !== null) writeMeta(storeOf(moved), { ...meta, movedFrom: [w.root] });
    await adopt();
    b = openAt(moved);
    await b.capture();
    expect(await b.engine.has(one, b.cancel)).toBe(true);
    expect(movedFrom(placeOf(moved))).toEqual([w.root]);
  });
});

describe('nothing is taken', () => {
  const untouched = async (workspace: string): Promise<void> => {
    await adopt(workspace);
    expect(fs.existsSync(path.join(storeOf(w.root), '.git'))).toBe(true);
    expect(fs.existsSync(storeOf(workspace))).toBe(false);
  };

  it('by a copy while the folder is at its place, or by another folder', async () => {
    fs.cpSync(w.root, moved, { recursive: true });
    await untouched(moved);
    fs.rmSync(w.root, { recursive: true });
    await untouched(moved);
  });

  it('by a folder that only has the inode of a deleted one', async () => {
    fs.renameSync(w.root, moved);
    const meta = readMeta(storeOf(w.root));
    if (meta !== null) writeMeta(storeOf(w.root), { ...meta, born: '1' });
    await untouched(moved);
    const { born: _none, ...old } = meta ?? { v: 1 as const, workspace: '', device: '', inode: '' };
    writeMeta(storeOf(w.root), old);
    await untouched(moved);
  });

  it('when a new folder is at the old place, or this one has checkpoints of its own', async () => {
    fs.renameSync(w.root, moved);
    fs.mkdirSync(w.root);
    await untouched(moved);
    fs.rmdirSync(w.root);
    b = openAt(moved);
    const own = await b.capture();
    await adopt();
    expect(await b.engine.has(own, b.cancel)).toBe(true);
    expect(await b.engine.has(one, b.cancel)).toBe(false);
    expect(fs.existsSync(path.join(storeOf(w.root), '.git'))).toBe(true);
  });

  it('while somebody holds the store', async () => {
    fs.renameSync(w.root, moved);
    const lock = await acquireStoreLock({ storeFolder: storeOf(w.root), signal, waitMs: 0 });
    const stop = new AbortController();
    const adopting = adoptMovedStore({ ...placeOf(moved), signal: stop.signal });
    stop.abort();
    await expect(adopting).rejects.toMatchObject({ code: 'cancelled' });
    expect(fs.existsSync(path.join(storeOf(w.root), '.git'))).toBe(true);
    await lock.release();
    await adopt();
    expect(fs.existsSync(path.join(storeOf(moved), '.git'))).toBe(true);
  });
});

describe('meta.json', () => {
  it('that is damaged, or of a folder made anew, is put right when the folder is opened', async () => {
    const right = readMeta(storeOf(w.root));
    fs.writeFileSync(path.join(storeOf(w.root), 'meta.json'), 'garbage');
    b = openAt(w.root);
    await b.engine.start(b.cancel);
    expect(readMeta(storeOf(w.root))).toMatchObject({ workspace: w.root, inode: right?.inode });
  });
});
