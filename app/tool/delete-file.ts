// delete_file: removes one file or link; a link's target stays.
import { z } from 'zod';
import { TidemarkError } from '../../shared/errors';
import { decodeText } from '../workspace/text-file';
import type { Place, Workspace } from '../workspace/workspace';
import { editOutcome, guardedOf, MAX_EDIT_BYTES } from './edit';
import type { Tool } from './tool';
import { summarizeEdit } from './unified-diff';

const schema = z.object({ path: z.string().min(1).describe('file to delete, relative to the workspace') });

async function findFile(asked: string, workspace: Workspace): Promise<Place> {
  const place = await workspace.resolve(asked, 'entry');
  if (place.type === 'none') throw new TidemarkError('tool-failed', `There is no file "${asked}".`);
  if (place.type === 'folder') {
    throw new TidemarkError('tool-failed', `"${asked}" is a folder. delete_file deletes single files.`);
  }
  if (place.type === 'other') {
    throw new TidemarkError(
      'tool-failed',
      `"${asked}" is a pipe, socket or device. No checkpoint could bring it back, so it was not deleted.`,
    );
  }
  return place;
}

/** What goes away with it, for the card; null when it is not text or too large to show. */
async function textOf(place: Place, workspace: Workspace): Promise<string | null> {
  if (place.type !== 'file') return null;
  try {
    return decodeText(await workspace.read(place, MAX_EDIT_BYTES))?.text ?? null;
  } catch (error) {
    // Too large or not readable is no reason to keep a file: the card then shows no content.
    if (error instanceof TidemarkError && error.code === 'tool-failed') return null;
    throw error;
  }
}

export const deleteFileTool: Tool<z.infer<typeof schema>> = {
  name: 'delete_file',
  description: 'Deletes one file. A symbolic link is deleted itself, not what it points to.',
  schema,
  category: 'edit',
  effect: 'edit',
  async preview(input, { workspace }) {
    const place = await findFile(input.path, workspace);
    return {
      title: `Delete ${place.text}`,
      detail: summarizeEdit(await textOf(place, workspace), null).patch,
      detailKind: 'diff',
      paths: [place.rel],
      guarded: await guardedOf(workspace, [place]),
    };
  },
  async run(input, { workspace }) {
    const place = await findFile(input.path, workspace);
    const before = await textOf(place, workspace);
    await workspace.remove(place);
    return editOutcome(`Deleted ${place.text}.`, place, before, null);
  },
};
