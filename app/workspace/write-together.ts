// Several changes of files that all happen, or none.
// Owns: their order and taking back what was done when a later one fails. Does not own: what is to be written.
// A power cut in the middle is not its business: the checkpoint before holds every file of it.
import { lstat, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { TidemarkError } from '../../shared/errors';
import type { Place, Workspace } from './workspace';

export type Step =
  | { readonly kind: 'write'; readonly place: Place; readonly bytes: Uint8Array }
  | { readonly kind: 'remove'; readonly place: Place }
  | { readonly kind: 'move'; readonly from: Place; readonly to: Place }
  | { readonly kind: 'executable'; readonly place: Place; readonly on: boolean };

type Undo = { readonly path: string; readonly undo: () => Promise<void> };

/**
 * Does the steps in order. @throws what a step failed with, after those before it were taken back; TidemarkError
 * tool-failed with `paths` when some could not be
 */
export async function writeTogether(workspace: Workspace, steps: readonly Step[]): Promise<void> {
  const done: Undo[] = [];
  try {
    for (const step of steps) await play(workspace, step, (undo) => done.push(undo));
  } catch (error) {
    await takeBack(done, error);
    throw error;
  }
}

async function takeBack(done: readonly Undo[], cause: unknown): Promise<void> {
  const left: string[] = [];
  for (const { path: name, undo } of [...done].reverse()) await undo().catch(() => left.push(name));
  if (left.length === 0) return;
  throw new TidemarkError(
    'tool-failed',
    `Not all of it could be written, and ${left.join(', ')} could not be put back as it was. The checkpoint before holds it.`,
    { cause, paths: left },
  );
}

/** `did` is told how to take a step back before it is done: also one that fails half way is. */
async function play(workspace: Workspace, step: Step, did: (undo: Undo) => void): Promise<void> {
  switch (step.kind) {
    case 'write': {
      const { place, bytes } = step;
      const undo = (await isThere(place))
        ? await putBack(workspace, place)
        : await removeAgain(workspace, place);
      did({ path: place.text, undo });
      return workspace.write(place, bytes);
    }
    case 'remove': {
      const undo = await putBack(workspace, step.place);
      did({ path: step.place.text, undo });
      return workspace.remove(step.place);
    }
    case 'move': {
      const { from, to } = step;
      const tidy = await foldersAgain(to);
      await workspace.move(from, to);
      did({ path: from.text, undo: () => workspace.move(to, from).then(tidy) });
      return;
    }
    case 'executable': {
      const { place, on } = step;
      const bits = await workspace.permissions(place);
      did({ path: place.text, undo: () => workspace.setPermissions(place, bits) });
      // who may read it may run it
      return workspace.setPermissions(place, on ? bits | ((bits & 0o444) >> 2) : bits & 0o7666);
    }
  }
}

const isThere = (place: Place): Promise<boolean> =>
  lstat(place.absolute).then(
    () => true,
    () => false,
  );

/** The whole file, however large: it has been read for the change already. */
async function putBack(workspace: Workspace, place: Place): Promise<() => Promise<void>> {
  const bits = await workspace.permissions(place);
  const bytes = await workspace.read({ ...place, type: 'file' }, Number.POSITIVE_INFINITY);
  return async () => {
    await workspace.write(place, bytes);
    await workspace.setPermissions(place, bits);
  };
}

async function removeAgain(workspace: Workspace, place: Place): Promise<() => Promise<void>> {
  const tidy = await foldersAgain(place);
  return async () => {
    if (await isThere(place)) await workspace.remove(place);
    await tidy();
  };
}

/** Folders that are about to be made for a file go again with it, as far as they are empty. */
async function foldersAgain(place: Place): Promise<() => Promise<void>> {
  const missing: string[] = [];
  for (let at = path.dirname(place.absolute); ; at = path.dirname(at)) {
    const there = await lstat(at).catch(() => null);
    if (there !== null || at === path.dirname(at)) break;
    missing.push(at);
  }
  return async () => {
    for (const folder of missing) await rmdir(folder).catch(() => undefined); // somebody has put a file in it
  };
}
