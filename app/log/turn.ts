// Taking turns at a task's log, across processes: who comes first goes first, and the dead are passed over.
// Owns: the order (Lamport's bakery: take a number, wait for all lower ones). Does not own: what is done in a turn.
// Invariants: a number's card stands before the card that says "choosing" goes, and choosers are looked for before
// numbers: so whoever is missed in both looks began later, saw this number, and took a higher one. Dead processes need no
// taking over: their cards just do not count.
import { TidemarkError } from '../../shared/errors';
import { type Card, cardNames, hasLivingCard, newCardKey, putCard, untilCardGone } from './card';

const CHOOSING = 'choosing-';
const NUMBER = 'number-';
const DIGITS = 12;

/** Runs `work` while no other process is in a turn at this task. @throws workspace-busy after `waitMs`, task-unknown */
export async function inTurn<T>(taskFolder: string, waitMs: number, work: () => Promise<T>): Promise<T> {
  const card = await waitForTurn(taskFolder, Date.now() + waitMs);
  try {
    return await work();
  } finally {
    await card.remove();
  }
}

/** True when some living process is in a turn, or waits for one. */
export const isTurnTaken = (taskFolder: string): Promise<boolean> => hasLivingCard(taskFolder, NUMBER);

async function waitForTurn(taskFolder: string, deadline: number): Promise<Card> {
  const key = newCardKey();
  const choosing = await putCard(taskFolder, CHOOSING + key);
  let mine: Card;
  try {
    const taken = (await cardNames(taskFolder, NUMBER)).map((n) =>
      Number(n.slice(NUMBER.length).split('-')[0]),
    );
    const number = String(Math.max(0, ...taken) + 1).padStart(DIGITS, '0');
    mine = await putCard(taskFolder, `${NUMBER}${number}-${key}`);
  } finally {
    await choosing.remove();
  }
  try {
    for (const name of await cardNames(taskFolder, CHOOSING)) await untilGone(taskFolder, name, deadline);
    for (const name of await cardNames(taskFolder, NUMBER)) {
      if (name < mine.name) await untilGone(taskFolder, name, deadline);
    }
    return mine;
  } catch (error) {
    await mine.remove();
    throw error;
  }
}

async function untilGone(taskFolder: string, name: string, deadline: number): Promise<void> {
  if (await untilCardGone(taskFolder, name, deadline - Date.now())) return;
  throw new TidemarkError(
    'workspace-busy',
    "Another Tidemark has been writing this task's log for too long.",
    {
      hint: 'It may be stopped: end it, then try again.',
    },
  );
}
