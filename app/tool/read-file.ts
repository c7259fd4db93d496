// read_file: the text of a file, whole or by lines.
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { TidemarkError } from '../../shared/errors';
import { decodeText, ENCODING_NAMES, withEnding } from '../workspace/text-file';
import { guardedOf, MAX_EDIT_BYTES } from './edit';
import { plainText } from './plain-text';
import type { Tool } from './tool';

const schema = z.object({
  path: z.string().min(1).describe('file to read, relative to the workspace'),
  start_line: z.number().int().min(1).optional().describe('first line, counted from 1'),
  end_line: z.number().int().min(1).optional().describe('last line, included'),
});
type Input = z.infer<typeof schema>;

const MOST_LINES = 2000;
const MOST_CHARACTERS = 60_000;

export const readFileTool: Tool<Input> = {
  name: 'read_file',
  description: `Reads a text file, at most ${MOST_LINES} lines at a time. Give start_line and end_line for a part. Also reads the kept output of a command, by the path that run_command names.`,
  schema,
  category: 'read',
  effect: 'read',
  async preview(input, { workspace, outputsFolder }) {
    const own = outputFile(input.path, outputsFolder);
    if (own !== null)
      return {
        title: 'Read the output of a command',
        detail: own,
        detailKind: 'text',
        paths: [],
        guarded: [],
      };
    const place = await workspace.resolve(input.path, 'target');
    return {
      title: `Read ${place.text}`,
      detail: place.text,
      detailKind: 'text',
      paths: [],
      guarded: await guardedOf(workspace, [place]),
    };
  },
  async run(input, { workspace, outputsFolder }) {
    const own = outputFile(input.path, outputsFolder);
    const bytes =
      own === null
        ? await workspace.read(await workspace.resolve(input.path, 'target'), MAX_EDIT_BYTES)
        : await readOutput(own);
    const decoded = decodeText(
      own === null ? bytes : Buffer.from(plainText(Buffer.from(bytes).toString('utf8'))),
    );
    if (decoded === null) throw new TidemarkError('tool-failed', `"${input.path}" is a binary file.`);
    const { text, first, last, total } = cutLines(decoded.text, input);
    const notes: string[] = [];
    if (decoded.encoding !== 'utf8') notes.push(`Encoding: ${ENCODING_NAMES[decoded.encoding]}.`);
    if (last < total || first > 1) notes.push(`Lines ${first} to ${last} of ${total}.`);
    const body = total === 0 ? '(The file is empty.)' : text;
    return {
      text: notes.length === 0 ? body : `(${notes.join(' ')})\n${body}`,
      display: { kind: 'lines', label: `${Math.max(0, last - first + 1)} lines` },
      touched: [],
      ok: true,
    };
  },
};

/** The kept output of a command of this task is the one thing outside the workspace that may be read; null: no such. */
function outputFile(asked: string, outputsFolder: string): string | null {
  const { dir, base } = path.parse(path.resolve(asked));
  return dir === outputsFolder && path.isAbsolute(asked) && /^command-[0-9a-f]+\.txt$/.test(base)
    ? path.join(dir, base)
    : null;
}

/** Of a very long one the end, which says most. @throws TidemarkError tool-failed */
async function readOutput(file: string): Promise<Uint8Array> {
  const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch(
    (cause: unknown) => {
      throw new TidemarkError('tool-failed', `There is no output in ${file}.`, { cause });
    },
  );
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, MAX_EDIT_BYTES);
    const bytes = Buffer.alloc(length);
    await handle.read(bytes, 0, length, size - length);
    return bytes;
  } finally {
    await handle.close();
  }
}

type Cut = { readonly text: string; readonly first: number; readonly last: number; readonly total: number };

/** @throws TidemarkError tool-failed when the lines that were asked for are not there */
function cutLines(whole: string, input: Input): Cut {
  // The model sees plain line breaks; replace_text finds them again whatever they are on disk.
  const plain = whole.includes('\n') ? whole.replace(/\r\n/g, '\n') : withEnding(whole, '\n');
  const lines = plain.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const total = lines.length;
  const first = input.start_line ?? 1;
  if (first > Math.max(total, 1))
    throw new TidemarkError('tool-failed', `The file has ${total} lines, so none from ${first} on.`);
  if (input.end_line !== undefined && input.end_line < first)
    throw new TidemarkError('tool-failed', 'end_line comes before start_line.');
  const wanted = lines.slice(first - 1, Math.min(input.end_line ?? total, first - 1 + MOST_LINES));
  let size = 0;
  const fits = wanted.findIndex((line) => {
    size += line.length + 1;
    return size > MOST_CHARACTERS;
  });
  const shown = fits < 0 ? wanted : wanted.slice(0, Math.max(fits, 1));
  const text = shown.join('\n').slice(0, MOST_CHARACTERS);
  return { text, first, last: first - 1 + shown.length, total };
}
