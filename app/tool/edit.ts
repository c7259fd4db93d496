// What the editing tools have in common: reading the text to change, and the words for what was done.
// Owns: the size limit for edits, the preview and outcome of an edit. Does not own: how the new text is made.
import type { RelPath } from '../../shared/rel-path';
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

export function guardedOf(workspace: Workspace, places: readonly Place[]): ToolPreview['guarded'] {
  return places.flatMap((place) => {
    const guard = workspace.guard(place);
    return guard === null ? [] : [{ path: place.text, guard }];
  });
}

export function previewEdit(
  title: string,
  workspace: Workspace,
  place: Place,
  before: string | null,
  after: string,
): ToolPreview {
  return {
    title,
    detail: summarizeEdit(before, after).patch,
    detailKind: 'diff',
    paths: [place.rel],
    guarded: guardedOf(workspace, [place]),
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
