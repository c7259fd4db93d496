// Ids of tasks, runs and checkpoints: a prefix and 12 characters of an alphabet without look-alikes (SPEC 12).
// Owns: making, parsing and shortening. Does not own: where ids are looked up.
import { z } from 'zod';
import { TidemarkError } from './errors';

/** 0-9 and a-z without i, l, o, u: nothing that reads as something else. */
export const ID_ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const BODY = `[${ID_ALPHABET}]{12}`;

export const taskIdSchema = z
  .string()
  .regex(new RegExp(`^t_${BODY}$`))
  .brand<'TaskId'>();
export const runIdSchema = z
  .string()
  .regex(new RegExp(`^r_${BODY}$`))
  .brand<'RunId'>();
export const checkpointIdSchema = z
  .string()
  .regex(new RegExp(`^c_${BODY}$`))
  .brand<'CheckpointId'>();
/** The full id of a git commit in a shadow store. */
export const snapshotIdSchema = z
  .string()
  .regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/)
  .brand<'SnapshotId'>();

export type TaskId = z.infer<typeof taskIdSchema>;
export type RunId = z.infer<typeof runIdSchema>;
export type CheckpointId = z.infer<typeof checkpointIdSchema>;
export type SnapshotId = z.infer<typeof snapshotIdSchema>;

/** Fills a buffer with random bytes: `crypto.getRandomValues` in every process. */
export type Random = (bytes: Uint8Array) => unknown;

function body(random: Random): string {
  const bytes = new Uint8Array(12);
  random(bytes);
  let text = '';
  for (const b of bytes) text += ID_ALPHABET[b & 31];
  return text;
}

export const newTaskId = (random: Random): TaskId => `t_${body(random)}` as TaskId;
export const newRunId = (random: Random): RunId => `r_${body(random)}` as RunId;
export const newCheckpointId = (random: Random): CheckpointId => `c_${body(random)}` as CheckpointId;

/** Of a background command, or of a message that waits; never typed, and known within its task only. */
export const newItemId = (kind: 'b' | 'q', random: Random): string => `${kind}_${body(random)}`;

/**
 * Finds the one id that `typed` names: the whole id, or any unique beginning of 4 or more characters, prefix optional.
 * @throws TidemarkError `unknown` (the code given by the caller) or `id-ambiguous`
 */
export function resolveId<T extends string>(
  typed: string,
  ids: Iterable<T>,
  unknown: 'task-unknown' | 'checkpoint-unknown',
): T {
  const what = unknown === 'task-unknown' ? 'task' : 'checkpoint';
  const lower = typed.toLowerCase();
  const prefix = /^[trc]_/.exec(lower)?.[0];
  const wanted = lower.slice(prefix?.length ?? 0);
  const all = [...new Set(ids)];
  const fits = all.filter(
    (id) => id.slice(2).startsWith(wanted) && (prefix === undefined || id.startsWith(prefix)),
  );
  const exact = fits.find((id) => id.slice(2) === wanted);
  if (exact !== undefined) return exact;
  if (wanted.length < 4) {
    throw new TidemarkError(
      unknown,
      `"${typed}" is too short to name a ${what}: give at least 4 characters of its id.`,
    );
  }
  const [first, ...rest] = fits;
  if (first === undefined) throw new TidemarkError(unknown, `There is no ${what} "${typed}".`);
  if (rest.length > 0) {
    throw new TidemarkError(
      'id-ambiguous',
      `"${typed}" fits ${fits.length} ${what}s: ${fits.slice(0, 5).join(', ')}.`,
    );
  }
  return first;
}
