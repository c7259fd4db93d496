// write_file: the whole new text of a file, in the encoding and with the line endings that it has.
import { z } from 'zod';
import { type DecodedText, ENCODING_NAMES, encodeText, endingOf, withEnding } from '../workspace/text-file';
import { editOutcome, previewEdit, readForEdit } from './edit';
import type { Tool } from './tool';

const schema = z.object({
  path: z.string().min(1).describe('file to write, relative to the workspace'),
  content: z.string().describe('the whole new text of the file'),
});

/** The content as it will lie on disk: a file with one kind of line ending keeps it. */
function asOnDisk(content: string, before: DecodedText | 'binary' | null): string {
  if (before === null || before === 'binary') return content;
  const ending = endingOf(before.text);
  return ending === null || ending === 'mixed' ? content : withEnding(content, ending);
}

const textOf = (before: DecodedText | 'binary' | null): string | null =>
  before === null || before === 'binary' ? null : before.text;

export const writeFileTool: Tool<z.infer<typeof schema>> = {
  name: 'write_file',
  description:
    'Creates a file, or replaces all of its text. Encoding, line endings and mode of an existing file are kept. Missing folders are made. To change a part of a file, prefer replace_text.',
  schema,
  category: 'edit',
  effect: 'edit',
  async preview(input, { workspace }) {
    const place = await workspace.resolve(input.path, 'target');
    const before = await readForEdit(workspace, place);
    const title = before === null ? `Create ${place.text}` : `Write ${place.text}`;
    return previewEdit(title, workspace, place, textOf(before), asOnDisk(input.content, before));
  },
  async run(input, { workspace }) {
    const place = await workspace.resolve(input.path, 'target');
    const before = await readForEdit(workspace, place);
    const after = asOnDisk(input.content, before);
    const encoding = before === null || before === 'binary' ? 'utf8' : before.encoding;
    await workspace.write(place, encodeText(after, encoding));
    const note =
      before === 'binary'
        ? ' It was a binary file before.'
        : encoding === 'utf8'
          ? ''
          : ` It is still in ${ENCODING_NAMES[encoding]}.`;
    const did = before === null ? 'Created' : 'Wrote';
    return editOutcome(`${did} ${place.text}.${note}`, place, textOf(before), after);
  },
};
