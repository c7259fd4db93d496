// Between the engine's values (byte paths) and the domain's (text paths). Pure. The one place where they are turned.
import type { Change, Chosen, LeftOut, PlannedFile } from '../../shared/domain';
import { type PathText, relPathToText } from '../../shared/rel-path';
import type { EngineChange, RestorePlan, Skipped } from '../checkpoint/engine';

/** An engine's change as it stands in JSON and on screen. */
export function toChange(c: EngineChange): Change {
  const old = c.oldPath === undefined ? null : relPathToText(c.oldPath);
  return {
    ...relPathToText(c.path),
    kind: c.kind,
    ...(old === null ? {} : { oldPath: old.path }),
    ...(old?.pathBase64 === undefined ? {} : { oldPathBase64: old.pathBase64 }),
    ...(c.similarity === undefined ? {} : { similarity: c.similarity }),
    ...(c.oldMode === undefined ? {} : { oldMode: c.oldMode }),
    ...(c.newMode === undefined ? {} : { newMode: c.newMode }),
    added: c.added,
    removed: c.removed,
    binary: c.binary,
  };
}

export const toLeftOut = (s: Skipped): LeftOut => ({ ...relPathToText(s.path), why: s.why });

export const toPlannedFiles = (plan: Pick<RestorePlan, 'entries'>): PlannedFile[] =>
  plan.entries.map((e) => ({ ...relPathToText(e.path), action: e.action, by: e.by }));

export const toChosen = (plan: Pick<RestorePlan, 'settled'>): Chosen[] =>
  plan.settled.map((s) => ({ ...relPathToText(s.path), choice: s.choice }));

/** Totals for a marker. Lines are null when nothing countable changed. */
export function countChanges(changes: readonly EngineChange[]): {
  files: number;
  added: number | null;
  removed: number | null;
} {
  const counted = changes.filter((c) => c.added !== null);
  return {
    files: changes.length,
    added: counted.length === 0 ? null : counted.reduce((sum, c) => sum + (c.added ?? 0), 0),
    removed: counted.length === 0 ? null : counted.reduce((sum, c) => sum + (c.removed ?? 0), 0),
  };
}

/** Drops a path that stands twice, keeping the first. */
export function uniquePaths(paths: readonly PathText[]): PathText[] {
  const seen = new Set<string>();
  return paths.filter((p) => {
    const key = p.pathBase64 ?? p.path;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
