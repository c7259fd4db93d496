// replace_text: changes a part of a file, matched against what is on disk now (FAULTS 20).
import { z } from 'zod';
import { TidemarkError } from '../../shared/errors';
import { type DecodedText, encodeText } from '../workspace/text-file';
import type { Place, Workspace } from '../workspace/workspace';
import { editOutcome, previewEdit, readForEdit } from './edit';
import { replaceText } from './match';
import type { Tool } from './tool';

const schema = z.object({
  path: z.string().min(1).describe('file to change, relative to the workspace'),
  old_text: z.string().min(1).describe('the text to replace, exactly as it stands in the file'),
  new_text: z.string().describe('the text to put in its place'),
  replace_all: z.boolean().optional().describe('replace every occurrence; default false'),
});
type Input = z.infer<typeof schema>;

type Edit = {
  readonly place: Place;
  readonly before: DecodedText;
  readonly after: string;
  readonly count: number;
};

async function planEdit(input: Input, workspace: Workspace): Promise<Edit> {
  const place = await workspace.resolve(input.path, 'target');
  const before = await readForEdit(workspace, place);
  const fail = (why: string) => new TidemarkError('tool-failed', why);
  if (before === null) throw fail(`There is no file "${input.path}".`);
  if (before === 'binary') throw fail(`"${input.path}" is a binary file.`);
  if (input.old_text === input.new_text) throw fail('old_text and new_text are the same: nothing to change.');
  const result = replaceText(before.text, input.old_text, input.new_text, input.replace_all ?? false);
  if (result.kind === 'absent') {
    throw fail(
      `old_text does not occur in "${input.path}". Read the file: it may have changed, or differ in spaces.`,
    );
  }
  if (result.kind === 'several') {
    throw fail(
      `old_text occurs ${result.count} times in "${input.path}". Give more of the text around it, or set replace_all.`,
    );
  }
  return { place, before, after: result.text, count: result.count };
}

export const replaceTextTool: Tool<Input> = {
  name: 'replace_text',
  description:
    'Replaces old_text with new_text in a file. Fails when old_text does not occur, or occurs more than once without replace_all. Everything else in the file stays as it is.',
  schema,
  category: 'edit',
  effect: 'edit',
  async preview(input, { workspace }) {
    const edit = await planEdit(input, workspace);
    return previewEdit(`Edit ${edit.place.text}`, workspace, edit.place, edit.before.text, edit.after);
  },
  async run(input, { workspace }) {
    const edit = await planEdit(input, workspace);
    await workspace.write(edit.place, encodeText(edit.after, edit.before.encoding));
    const times = edit.count === 1 ? '' : ` (${edit.count} times)`;
    return editOutcome(
      `Replaced the text in ${edit.place.text}${times}.`,
      edit.place,
      edit.before.text,
      edit.after,
    );
  },
};
