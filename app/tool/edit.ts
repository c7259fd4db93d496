// What the editing tools have in common: reading the text to change, and the words for what was done.
// Owns: the size limit for edits, the preview and outcome of an edit. Does not own: how the new text is made.
import type { RelPath } from '../../shared/rel-path';
import { guardOfText } from '../workspace/guard';
import { type DecodedText, decodeText } from '../workspace/text-file';
import type { Place, Workspace } from '../workspace/workspace';
import type { ToolOutcome, ToolPreview } from './tool';
import { summarizeEdit } from './unified-diff';

/** Larger files are for commands, not for a model to rewrite. */
export const MAX_EDIT_BYTES = 20_000_000;

/** null: no such file. "binary": there is one, without text. @throws TidemarkError tool-failed */
export async function readForEdit(
  workspace: Workspace,
  place: Place,
): Promise<DecodedText | 'binary' | null> {
  if (place.type === 'none') return null;
  return decodeText(await workspace.read(place, MAX_EDIT_BYTES)) ?? 'binary';
}

export async function guardedOf(
  workspace: Workspace,
  places: readonly Place[],
): Promise<ToolPreview['guarded']> {
  const found = await Promise.all(
    places.map(async (place) => ({ path: place.text, guard: await workspace.guard(place) })),
  );
  return found.flatMap(({ path, guard }) => (guard === null ? [] : [{ path, guard }]));
}

export async function previewEdit(
  title: string,
  workspace: Workspace,
  place: Place,
  before: string | null,
  after: string,
): Promise<ToolPreview> {
  const now = await guardedOf(workspace, [place]);
  // A file may become a secret by what is written into it: then no checkpoint keeps it from here on.
  const then = now.length > 0 ? null : guardOfText(place.text, after);
  return {
    title,
    detail: summarizeEdit(before, after).patch,
    detailKind: 'diff',
    paths: [place.rel],
    guarded: then === null ? now : [{ path: place.text, guard: then }],
  };
}

export function editOutcome(
  text: string,
  place: Place,
  before: string | null,
  after: string | null,
): ToolOutcome {
  return {
    text,
    display: { kind: 'edit', path: place.text, ...summarizeEdit(before, after) },
    touched: [place.rel],
    ok: true,
  };
}

export const failed = (text: string, touched: readonly RelPath[] = []): ToolOutcome => ({
  text,
  display: { kind: 'none' },
  touched,
  ok: false,
});
