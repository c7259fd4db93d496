// Cards: small files in a task's folder, each with the address of the process that put it there and lives.
// Owns: putting, listing and taking away cards. Does not own: their meaning (running, turn).
// Invariants: a card has a name of its own, so that a dead process's card can be removed by anyone, at any time, and
// nothing has to be taken over.
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { TidemarkError } from '../../shared/errors';
import { ownAddress, type Sign, signOfLife, wakeVisitors } from './presence';

export type Card = { readonly name: string; remove(): Promise<void> };

const folderOf = (taskFolder: string): string => path.join(taskFolder, 'live');

export const newCardKey = (): string => randomBytes(6).toString('hex');

/** @throws task-unknown when the task's folder is not there */
export async function putCard(taskFolder: string, name: string): Promise<Card> {
  const folder = folderOf(taskFolder);
  const file = path.join(folder, name);
  const aside = path.join(folder, `.${name}`);
  try {
    await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    // Written aside: a card is never seen without its address.
    await writeFile(aside, await ownAddress(), { mode: 0o600 });
    await rename(aside, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new TidemarkError('task-unknown', 'The task is not there any more.', { cause: error });
  }
  return {
    name,
    async remove() {
      await rm(file, { force: true });
      wakeVisitors();
    },
  };
}

/** Names of all cards that begin like this, of living and dead alike. */
export async function cardNames(taskFolder: string, prefix: string): Promise<string[]> {
  const names = await readdir(folderOf(taskFolder)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.filter((n) => n.startsWith(prefix));
}

/** Life of the process that put the card there; null when there is no such card, or a dead one, which is removed. */
export async function signOfCard(taskFolder: string, name: string): Promise<Sign | null> {
  const file = path.join(folderOf(taskFolder), name);
  const address = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (address === null) return null;
  // A card may be empty after a power loss; nobody from before it lives.
  const sign = address === '' || address.includes('\0') ? null : await signOfLife(address);
  if (sign !== null) return sign;
  await rm(file, { force: true });
  return null;
}

/** True when a living process has a card that begins like this. */
export async function hasLivingCard(taskFolder: string, prefix: string): Promise<boolean> {
  for (const name of await cardNames(taskFolder, prefix)) {
    const sign = await signOfCard(taskFolder, name);
    sign?.leave();
    if (sign !== null) return true;
  }
  return false;
}

/** Waits until the card is taken away or its process is dead. @returns false when that took longer than `waitMs` */
export async function untilCardGone(taskFolder: string, name: string, waitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), Math.max(0, waitMs));
  });
  try {
    for (;;) {
      const sign = await signOfCard(taskFolder, name);
      if (sign === null) return true;
      try {
        // The card may have gone before its process knew of us.
        if ((await Promise.race([sign.known, late])) === 'late') return false;
        if (!(await cardNames(taskFolder, name)).includes(name)) return true;
        if ((await Promise.race([sign.change, late])) === 'late') return false;
      } finally {
        sign.leave();
      }
    }
  } finally {
    clearTimeout(timer);
  }
}
