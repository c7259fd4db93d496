// The record of a restore that is under way, on disk before the first file moves, so that a crash at any point can be
// finished or undone. It survives until the caller has written its own fact (acknowledge).
// Owns: the file `restore.json` in the store's folder. Does not own: settling (settle.ts).
import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { TidemarkError } from '../../shared/errors';
import { snapshotIdSchema } from '../../shared/ids';
import type { RelPath } from '../../shared/rel-path';
import { placeDurably, syncFolder } from './durable';
import type { PlanEntry } from './engine';
import { isAbsent } from './failure';
import type { Store } from './shadow-repo';

const relPathSchema = z.custom<RelPath>((v) => typeof v === 'string');
const stateSchema = z.object({ mode: z.string(), oid: z.string().nullable() }).nullable();
const entrySchema = z.object({
  path: relPathSchema,
  action: z.enum(['revert', 'bring-back', 'remove', 'merge', 'mode']),
  by: z.enum(['task', 'other']),
  from: stateSchema,
  to: stateSchema,
});

const journalSchema = z.object({
  v: z.literal(1),
  /** moving: files may be old or new; done: all new, `after` is their snapshot; undone: all old */
  state: z.enum(['moving', 'done', 'undone']),
  target: snapshotIdSchema,
  redo: snapshotIdSchema,
  after: snapshotIdSchema.nullable(),
  note: z.string(),
  trailers: z.object({ taskId: z.string(), runId: z.string().nullable(), kind: z.string() }),
  entries: z.array(entrySchema),
  /** folders that the target has, and that the redo point has: they stay although they may end up empty */
  keep: z.array(relPathSchema),
  keepAtRedo: z.array(relPathSchema),
  folderBits: z.number(),
  /** bits of folders that may have to be made on the way there, and on the way back */
  folders: z.array(z.tuple([relPathSchema, z.number()])).default([]),
  foldersAtRedo: z.array(z.tuple([relPathSchema, z.number()])).default([]),
});

export type Journal = Omit<z.infer<typeof journalSchema>, 'entries'> & {
  readonly entries: readonly PlanEntry[];
};

const fileOf = (store: Store): string => path.join(store.folder, 'restore.json');

/** What a text holds as JSON; undefined when it is none. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * With `setAside`, one that cannot be read is renamed to `restore.json.broken-<time>`, so that the folder is of use again. Nothing is
 * moved for it: what it wanted is not known, and the snapshots are whole.
 * @throws store-damaged when it cannot be read
 */
export function readJournal(store: Store, o: { readonly setAside?: boolean } = {}): Journal | null {
  let text: string;
  try {
    text = fs.readFileSync(fileOf(store), 'utf8');
  } catch (thrown) {
    if (isAbsent(thrown)) return null;
    throw thrown;
  }
  const parsed = journalSchema.safeParse(jsonOf(text));
  if (parsed.success) return parsed.data;
  const aside = `${fileOf(store)}.broken-${new Date().toISOString().replace(/[:.]/g, '-')}`;
  if (o.setAside === true) {
    fs.renameSync(fileOf(store), aside);
    syncFolder(store.folder);
  }
  throw new TidemarkError(
    'store-damaged',
    o.setAside === true
      ? `The record of an interrupted restore cannot be read. It was set aside as ${path.basename(aside)}, and no file was changed.`
      : 'The record of an interrupted restore cannot be read, so nothing was changed.',
    {
      cause: parsed.error,
      hint: 'Look whether the files in the folder are as you want them, then try again. The redo point has them as they were.',
    },
  );
}

export function writeJournal(store: Store, journal: Journal): void {
  placeDurably(fileOf(store), [Buffer.from(JSON.stringify(journal))]);
}

export function removeJournal(store: Store): void {
  fs.rmSync(fileOf(store), { force: true });
  syncFolder(store.folder);
}
