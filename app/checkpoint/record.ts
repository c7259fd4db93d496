// The record: what a snapshot holds beyond a git tree. Permission bits other than git's one, folders that are empty
// or have bits of their own, what was left out, and the rules in force.
// Owns: its shape and its place in the snapshot (`.tidemark/snapshot/record` in the root tree, with the ignore files'
// contents beside it, so that git keeps them alive). Invariant: equal workspaces under equal rules make equal records.
import { z } from 'zod';
import { TidemarkError } from '../../shared/errors';
import type { RelPath } from '../../shared/rel-path';
import type { Skipped } from './engine';
import type { Batch } from './objects';
import { FOLDER_MODE, type Tree } from './tree';

/** Permission bits of everything that is not listed one by one. */
export type Defaults = { readonly file: number; readonly program: number; readonly folder: number };

export type Record = {
  readonly defaults: Defaults;
  /** permission bits of files that differ from the defaults */
  readonly files: ReadonlyMap<RelPath, number>;
  /** folders in which there is nothing that a snapshot holds (`empty`), and others whose bits differ from the default */
  readonly folders: ReadonlyMap<RelPath, { readonly bits: number; readonly empty: boolean }>;
  readonly skipped: readonly Skipped[];
  readonly rules: RecordedRules;
};

export type RecordedRules = {
  /** text of `info/exclude` as it was in force */
  readonly exclude: string;
  /** ignore files of the workspace with their blobs */
  readonly ignoreFiles: ReadonlyMap<RelPath, string>;
  /** where the workspace lies in the project's repository ("" at its top), and what rules come from above it */
  readonly outer: OuterRules | null;
  /**
   * captured although the rules leave them out: tracked by the project, or recorded by a tool. A name that ends in "/"
   * says that the folder above a recorded path was not there
   */
  readonly forced: ReadonlySet<RelPath>;
};

export type OuterRules = {
  readonly prefix: string;
  readonly exclude: string;
  readonly ignoreFiles: readonly (readonly [string, string])[];
};

const folderMark = (p: RelPath): RelPath => `${p}/` as RelPath;
/** The forced names with the folders that were found absent among them. */
export const withAbsentFolders = (
  forced: ReadonlySet<RelPath>,
  folders: readonly RelPath[],
): ReadonlySet<RelPath> => (folders.length === 0 ? forced : new Set([...forced, ...folders.map(folderMark)]));
/** True when the snapshot says that the folder was not there, whatever its rules. */
export const isAbsentFolder = (r: Record, p: RelPath): boolean => r.rules.forced.has(folderMark(p));

const pairs = z.array(z.tuple([z.string(), z.string()]));
const recordSchema = z.object({
  v: z.literal(1),
  defaults: z.object({ file: z.number(), program: z.number(), folder: z.number() }),
  files: z.array(z.tuple([z.string(), z.number()])),
  folders: z.array(z.tuple([z.string(), z.number(), z.boolean()])),
  skipped: z.array(z.object({ path: z.string(), why: z.string() })),
  exclude: z.string(),
  ignoreFiles: pairs,
  outer: z.object({ prefix: z.string(), exclude: z.string(), ignoreFiles: pairs }).nullable(),
  forced: z.array(z.string()),
});

const sorted = <T>(map: ReadonlyMap<RelPath, T>): [RelPath, T][] =>
  [...map].sort(([a], [b]) => (a < b ? -1 : 1));

/** The record as text; equal records have equal text. */
export function formatRecord(r: Record): string {
  const data: z.infer<typeof recordSchema> = {
    v: 1,
    defaults: r.defaults,
    files: sorted(r.files),
    folders: sorted(r.folders).map(([p, f]) => [p, f.bits, f.empty]),
    skipped: [...r.skipped].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)),
    exclude: r.rules.exclude,
    ignoreFiles: sorted(r.rules.ignoreFiles),
    outer:
      r.rules.outer === null
        ? null
        : { ...r.rules.outer, ignoreFiles: r.rules.outer.ignoreFiles.map(([p, o]) => [p, o]) },
    forced: [...r.rules.forced].sort(),
  };
  return `${JSON.stringify(data)}\n`;
}

/** @throws snapshot-missing when it is not a record; too-new when a later version wrote it */
export function parseRecord(text: string): Record {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (cause) {
    throw new TidemarkError('snapshot-missing', 'The snapshot cannot be read: its record is damaged.', {
      cause,
    });
  }
  if (Number((data as { v?: unknown } | null)?.v) > 1) {
    throw new TidemarkError('too-new', 'The snapshot was written by a newer version of Tidemark.');
  }
  const parsed = recordSchema.safeParse(data);
  if (!parsed.success)
    throw new TidemarkError('snapshot-missing', 'The snapshot cannot be read: its record is damaged.', {
      cause: parsed.error,
    });
  const d = parsed.data;
  return {
    defaults: d.defaults,
    files: new Map(d.files as [RelPath, number][]),
    folders: new Map(d.folders.map(([p, bits, empty]) => [p as RelPath, { bits, empty }])),
    skipped: d.skipped as unknown as readonly Skipped[],
    rules: {
      exclude: d.exclude,
      ignoreFiles: new Map(d.ignoreFiles as [RelPath, string][]),
      outer: d.outer,
      forced: new Set(d.forced as RelPath[]),
    },
  };
}

/** Writes the record and returns the entry that goes into the root tree. */
export function writeRecord(batch: Batch, record: Record): { readonly mode: string; readonly oid: string } {
  const kept = new Map<string, { mode: string; oid: string }>();
  const oids = [
    ...record.rules.ignoreFiles.values(),
    ...(record.rules.outer?.ignoreFiles.map(([, o]) => o) ?? []),
  ];
  for (const oid of oids) kept.set(oid, { mode: '100644', oid });
  const snapshot = new Map([
    ['record', { mode: '100644', oid: batch.write('blob', Buffer.from(formatRecord(record))) }],
  ]);
  if (kept.size > 0) snapshot.set('ignore', { mode: FOLDER_MODE, oid: batch.writeTree(kept) });
  const folder: Tree = new Map([['snapshot', { mode: FOLDER_MODE, oid: batch.writeTree(snapshot) }]]);
  return { mode: FOLDER_MODE, oid: batch.writeTree(folder) };
}
