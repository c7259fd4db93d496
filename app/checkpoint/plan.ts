// What a restore would do, decided path by path from states that were gathered before (plan-input.ts).
// Owns: the decisions of SPEC 6. Pure: no files, no git, no clock.
// Invariants: nothing is planned over a hand edit without a merge or a choice; nothing is removed without proof that
// it was absent; what cannot be done is listed with a reason, not dropped.
import { createHash } from 'node:crypto';
import type { SnapshotId } from '../../shared/ids';
import type { RelPath } from '../../shared/rel-path';
import type {
  ConflictChoices,
  EntryState,
  PlanConflict,
  PlanEntry,
  RestorePlan,
  RestoreScope,
} from './engine';
import { isFolder, sameState } from './view';
import { parentsOf } from './work-file';

/** What the gathering found out about one path. */
export type PlanRow = {
  readonly path: RelPath;
  /** true: a step of the task changed it */
  readonly own: boolean;
  /** what the restore wants there */
  readonly wanted: EntryState | null;
  readonly present: EntryState | null;
  /** why the path has to be left alone; null: it has not */
  readonly obstacle: string | null;
  /** hand edits on an own path: the result of merging, or why it cannot be; null: there are none */
  readonly edited:
    | { readonly merged: EntryState }
    | { readonly conflict: string; readonly base: EntryState | null }
    | { readonly keep: true }
    | null;
  /** what is on disk below a folder that has to give way */
  readonly below: readonly RelPath[];
};

export type PlanInput = {
  readonly target: SnapshotId;
  readonly scope: RestoreScope;
  readonly choices: ConflictChoices;
  readonly rows: readonly PlanRow[];
  /** differs from the target, but no step of the task changed it */
  readonly others: readonly RelPath[];
  /** recorded paths that no snapshot ever holds, with the reason */
  readonly never: readonly { readonly path: RelPath; readonly why: string }[];
};

type Decision =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'keep' }
  | { readonly kind: 'leave'; readonly why: string }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'entry'; readonly entry: PlanEntry };

function actionOf(from: EntryState | null, to: EntryState | null): PlanEntry['action'] {
  if (from === null) return 'bring-back';
  if (to === null) return 'remove';
  const sameThing = from.oid === to.oid && from.mode.slice(0, 3) === to.mode.slice(0, 3);
  return sameThing ? 'mode' : 'revert';
}

function entryOf(row: PlanRow, to: EntryState | null, merged: boolean): Decision {
  if (sameState(row.present, to)) return merged ? { kind: 'keep' } : { kind: 'nothing' };
  const action = merged ? 'merge' : actionOf(row.present, to);
  const by = row.own && !merged ? 'task' : 'other';
  return { kind: 'entry', entry: { path: row.path, action, by, from: row.present, to } };
}

function choiceFor(choices: ConflictChoices, path: RelPath): 'mine' | 'checkpoint' | null {
  if (choices === null || typeof choices === 'string') return choices;
  return choices.get(path) ?? null;
}

function decide(row: PlanRow, choices: ConflictChoices): Decision {
  if (sameState(row.present, row.wanted)) return { kind: 'nothing' };
  if (row.obstacle !== null) return { kind: 'leave', why: row.obstacle };
  if (row.edited === null) return entryOf(row, row.wanted, false);
  if ('keep' in row.edited) return { kind: 'keep' };
  if ('merged' in row.edited) return entryOf(row, row.edited.merged, true);
  const choice = choiceFor(choices, row.path);
  if (choice === null) return { kind: 'conflict' };
  return choice === 'mine' ? { kind: 'keep' } : entryOf(row, row.wanted, false);
}

/** Folders that cannot give way because something in them stays. */
function blocked(entries: readonly PlanEntry[], rows: ReadonlyMap<RelPath, PlanRow>): Set<RelPath> {
  const removed = new Set(entries.filter((e) => e.to === null).map((e) => e.path));
  const stuck = new Set<RelPath>();
  for (const e of entries) {
    if (!isFolder(e.from) || isFolder(e.to)) continue;
    if (rows.get(e.path)?.below.some((p) => !removed.has(p)) === true) stuck.add(e.path);
  }
  return stuck;
}

/** True when something that is no folder stands above a path once all is done. */
const isBelowFile = (path: RelPath, standing: ReadonlySet<RelPath>): boolean =>
  standing.size > 0 && parentsOf(path).some((p) => standing.has(p));

export function fingerprintOf(
  entries: readonly PlanEntry[],
  conflicts: readonly { readonly path: RelPath }[],
): string {
  const rows = entries.map((e) => [e.path, e.action, e.from, e.to]);
  return createHash('sha256')
    .update(JSON.stringify([rows, conflicts.map((c) => c.path)]))
    .digest('hex')
    .slice(0, 32);
}

/** The conflict of a row that has one, whether it is settled or not. */
function conflictOf(row: PlanRow): PlanConflict | null {
  if (row.obstacle !== null || row.edited === null || !('conflict' in row.edited)) return null;
  if (sameState(row.present, row.wanted)) return null;
  const { path, present: mine, wanted: theirs, edited } = row;
  return { path, reason: edited.conflict, base: edited.base, mine, theirs };
}

/** Puts the decisions together. Lists are sorted by path. */
export function makePlan(input: PlanInput): RestorePlan {
  const rows = new Map(input.rows.map((r) => [r.path, r]));
  let entries: PlanEntry[] = [];
  const conflicts: PlanConflict[] = [];
  const settled: RestorePlan['settled'][number][] = [];
  const notCovered: { path: RelPath; why: string }[] = [...input.never];
  const handEdits = new Set<RelPath>(input.others);
  /** files and links that will be there: the user kept them, or they had to be left, or they are merged */
  const standing = new Set<RelPath>();
  for (const row of input.rows) {
    const d = decide(row, input.choices);
    const stays = d.kind === 'keep' || d.kind === 'leave' ? row.present : null;
    const then = d.kind === 'entry' ? d.entry.to : stays;
    if (then !== null && !isFolder(then)) standing.add(row.path);
    if (d.kind === 'entry') entries.push(d.entry);
    else if (d.kind === 'leave') notCovered.push({ path: row.path, why: d.why });
    const conflict = conflictOf(row);
    const choice = conflict === null ? null : choiceFor(input.choices, row.path);
    if (conflict !== null && choice === null) conflicts.push(conflict);
    if (conflict !== null && choice !== null) settled.push({ ...conflict, choice });
    if (d.kind === 'keep' || (d.kind === 'entry' && d.entry.action === 'merge')) handEdits.add(row.path);
  }
  const stuck = blocked(entries, rows);
  for (const e of entries) {
    // a folder that is merely to go and still holds something just stays
    if (stuck.has(e.path) && e.to !== null)
      notCovered.push({ path: e.path, why: 'a folder stands in its place and holds files that stay' });
  }
  const below = new Set(
    entries.filter((e) => e.to !== null && isBelowFile(e.path, standing)).map((e) => e.path),
  );
  for (const path of below) notCovered.push({ path, why: 'a file that stays stands where its folder was' });
  entries = entries.filter((e) => !stuck.has(e.path) && !below.has(e.path));
  const byPath = (a: { path: RelPath }, b: { path: RelPath }): number => (a.path < b.path ? -1 : 1);
  entries.sort(byPath);
  conflicts.sort(byPath);
  settled.sort(byPath);
  notCovered.sort(byPath);
  const { target, scope } = input;
  return {
    target,
    scope,
    entries,
    conflicts,
    settled,
    notCovered,
    handEdits: [...handEdits].sort(),
    fingerprint: fingerprintOf(entries, conflicts),
  };
}
