// Whether a run of a task is going on in a living process, this one or another.
// Owns: the marker. Does not own: runs, or what is done about interrupted ones.
import { hasLivingCard, newCardKey, putCard } from './card';

const RUNNING = 'running-';

/** Marks the task as running until released, or until this process ends in whatever way. @throws task-unknown */
export async function markRunning(taskFolder: string): Promise<{ release(): Promise<void> }> {
  const card = await putCard(taskFolder, RUNNING + newCardKey());
  return { release: () => card.remove() };
}

export const isRunning = (taskFolder: string): Promise<boolean> => hasLivingCard(taskFolder, RUNNING);
