// What is asked to be opened, as folders: a `.code-workspace` file stands for the folders that it names.
// Owns: reading such a file, the words for one that cannot be used. Does not own: opening the folders.
import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { z } from 'zod';
import { TidemarkError } from '../../shared/errors';

const ENDING = '.code-workspace';
/** Such files are written by hand and by editors; anything larger is another kind of file. */
const MOST_BYTES = 1_000_000;

const fileSchema = z.object({
  folders: z.array(z.union([z.object({ path: z.string().min(1) }), z.object({ uri: z.string() })])),
});

/**
 * The real paths of all folders that these paths name, each once, in their order.
 * @throws workspace-missing, workspace-denied: then none of them is to be opened
 */
export async function foldersOf(asked: readonly string[]): Promise<string[]> {
  const folders: string[] = [];
  for (const one of asked) {
    const named = one.toLowerCase().endsWith(ENDING) && (await isFile(one)) ? await namedIn(one) : [one];
    for (const folder of named) {
      const real = await realFolder(folder, one);
      if (!folders.includes(real)) folders.push(real);
    }
  }
  return folders;
}

const isFile = (file: string): Promise<boolean> =>
  stat(file).then(
    (s) => s.isFile(),
    () => false,
  );

async function namedIn(file: string): Promise<string[]> {
  const text = await readWhole(file);
  const errors: ParseError[] = [];
  const json: unknown = parse(text.replace(/^\ufeff/, ''), errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) {
    const line = text.slice(0, error.offset).split('\n').length;
    throw damaged(file, `line ${line}: ${printParseErrorCode(error.error)}`);
  }
  const parsed = fileSchema.safeParse(json);
  if (!parsed.success) throw damaged(file, 'it has no list of folders');
  const { folders } = parsed.data;
  if (folders.length === 0) {
    throw new TidemarkError('workspace-missing', `${file} names no folder.`, {
      hint: 'Add one to its "folders", or open a folder instead.',
    });
  }
  return folders.map((f) => path.resolve(path.dirname(file), 'path' in f ? f.path : fileOf(f.uri, file)));
}

async function readWhole(file: string): Promise<string> {
  try {
    if ((await stat(file)).size > MOST_BYTES) throw damaged(file, 'it is too large');
    return await readFile(file, 'utf8');
  } catch (cause) {
    if (cause instanceof TidemarkError) throw cause;
    throw new TidemarkError('workspace-denied', `The workspace file ${file} cannot be read.`, {
      cause,
      hint: 'Check its permissions. Nothing was opened or changed.',
    });
  }
}

const damaged = (file: string, why: string): TidemarkError =>
  new TidemarkError('workspace-denied', `The workspace file ${file} is damaged (${why}).`, {
    hint: 'Put it right in an editor, or open its folders together. Nothing was opened or changed.',
  });

/** @throws workspace-denied for a folder on another machine */
function fileOf(uri: string, file: string): string {
  try {
    return fileURLToPath(uri);
  } catch (cause) {
    throw new TidemarkError('workspace-denied', `${file} names ${uri}, which is no folder on this machine.`, {
      cause,
      hint: 'Open the folders that are on this machine.',
    });
  }
}

/** @param file what was asked for: the folder itself, or the workspace file that names it */
async function realFolder(folder: string, file: string): Promise<string> {
  const named = file === folder ? '' : ` It is named in ${file}.`;
  try {
    const real = await realpath(folder);
    if ((await stat(real)).isDirectory()) return real;
  } catch (error) {
    const code = (error as { code?: string }).code;
    if (code === 'EACCES' || code === 'EPERM') {
      throw new TidemarkError('workspace-denied', `The folder ${folder} cannot be read.${named}`, {
        cause: error,
        hint: 'Check its permissions. Nothing was changed.',
      });
    }
    throw new TidemarkError('workspace-missing', `The folder ${folder} is not there.${named}`, {
      cause: error,
      hint: 'It may have been moved, renamed or deleted, or a drive is not connected. Checkpoints of it are kept.',
    });
  }
  throw new TidemarkError('workspace-missing', `${folder} is not a folder.${named}`, {
    hint: 'Open the folder that it lies in.',
  });
}
