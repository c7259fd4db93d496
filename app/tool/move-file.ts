// move_file: gives a file or folder another name inside the workspace, never over something that is there.
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { TidemarkError } from '../../shared/errors';
import { type RelPath, relPathToText } from '../../shared/rel-path';
import { guardOf } from '../workspace/guard';
import { isSecretFile } from '../workspace/secret-content';
import type { Place, Workspace } from '../workspace/workspace';
import type { Tool, ToolPreview } from './tool';

const schema = z.object({
  from: z.string().min(1).describe('present path, relative to the workspace'),
  to: z.string().min(1).describe('new path, relative to the workspace'),
});

/** A folder with more files is moved by a command: each of them has to be recorded. */
const MOST_FILES = 5000;

type Below = {
  readonly files: readonly RelPath[];
  readonly folders: readonly RelPath[];
  /** files that hold secrets, by their names or by what is in them */
  readonly secrets: readonly RelPath[];
};
type Move = {
  readonly from: Place;
  readonly to: Place;
  readonly moved: readonly RelPath[];
  readonly below: Below;
};

const fail = (message: string, cause?: unknown): TidemarkError =>
  new TidemarkError('tool-failed', message, { cause });

async function planMove(input: z.infer<typeof schema>, workspace: Workspace): Promise<Move> {
  const from = await workspace.resolve(input.from, 'entry');
  const to = await workspace.resolve(input.to, 'entry');
  if (from.type === 'none') throw fail(`There is no file "${input.from}".`);
  if (from.text === '') throw fail('The workspace itself cannot be moved.');
  if (to.type !== 'none' && !(await isSameEntry(from, to))) {
    throw fail(`"${input.to}" is there already. move_file never overwrites.`);
  }
  if (`${to.text}/`.startsWith(`${from.text}/`) && to.text !== from.text) {
    throw fail('A folder cannot be moved into itself.');
  }
  if (from.type === 'folder') {
    const below = await allBelow(from, workspace);
    return { from, to, moved: below.files, below };
  }
  const isSecret = await isSecretFile(from.absolute, from.text);
  // A checkpoint would hold the secret under its new name.
  if (isSecret && !(await isSecretFile(from.absolute, to.text))) {
    throw fail(
      `"${from.text}" may hold a secret, which no checkpoint keeps, and "${to.text}" would be kept. Move it to a name that is still kept out of checkpoints, such as "${path.posix.basename(to.text)}.env".`,
    );
  }
  const below = { files: [from.rel], folders: [], secrets: isSecret ? [from.rel] : [] };
  return { from, to, moved: below.files, below };
}

/** Only the spelling differs, on a file system that ignores case. */
async function isSameEntry(from: Place, to: Place): Promise<boolean> {
  if (from.absolute === to.absolute || from.text.toLowerCase() !== to.text.toLowerCase()) return false;
  const [a, b] = await Promise.all([lstat(from.absolute), lstat(to.absolute)]);
  return a.ino === b.ino && a.dev === b.dev;
}

async function allBelow(folder: Place, workspace: Workspace): Promise<Below> {
  const ignored = await workspace.agentIgnore();
  const files: RelPath[] = [];
  const folders: RelPath[] = [];
  const secrets: RelPath[] = [];
  const walk = async (absolute: Buffer, rel: string): Promise<void> => {
    for (const entry of await readdir(absolute, { withFileTypes: true, encoding: 'buffer' })) {
      const below = `${rel}/${entry.name.toString('latin1')}` as RelPath;
      const text = relPathToText(below).path;
      if (ignored(text, entry.isDirectory())) {
        throw new TidemarkError('path-refused', `The folder holds "${text}", which is kept from the agent.`);
      }
      const entryPath = Buffer.concat([absolute, Buffer.from(path.sep), entry.name]);
      if (entry.isDirectory()) {
        folders.push(below);
        await walk(entryPath, below);
      } else {
        files.push(below);
        if (entry.isFile() && (await isSecretFile(entryPath, text))) secrets.push(below);
      }
      if (files.length > MOST_FILES) throw fail(`The folder holds more than ${MOST_FILES} files.`);
    }
  };
  await walk(Buffer.from(folder.absolute), folder.rel);
  return { files, folders, secrets };
}

const targetOf = ({ from, to }: Move, rel: RelPath): RelPath =>
  (to.rel + rel.slice(from.rel.length)) as RelPath;

const movedTo = (move: Move): readonly RelPath[] => move.moved.map((rel) => targetOf(move, rel));

/** Also the folders, empty ones too: git reads a missing "refs", or a folder named "index.lock". */
function guardedOfMove(move: Move): ToolPreview['guarded'] {
  const { from, to, below } = move;
  const secrets = new Set<RelPath>(below.secrets.flatMap((rel) => [rel, targetOf(move, rel)]));
  const sources = [...new Set([from.rel, ...below.folders, ...below.files])];
  const named = [...sources, ...sources.map((rel) => targetOf(move, rel))].flatMap((rel) => {
    const text = relPathToText(rel).path;
    const guard = guardOf(text) ?? (secrets.has(rel) ? 'secret' : null);
    return guard === null ? [] : [{ path: text, guard }];
  });
  if (named.length > 0) return named;
  return [from, to].flatMap((place) => {
    const guard = guardOf(place.asked);
    return guard === null ? [] : [{ path: place.asked, guard }];
  });
}

export const moveFileTool: Tool<z.infer<typeof schema>> = {
  name: 'move_file',
  description:
    'Moves or renames a file or folder inside the workspace. Never overwrites. Missing folders are made.',
  schema,
  category: 'edit',
  effect: 'edit',
  async preview(input, { workspace }) {
    const move = await planMove(input, workspace);
    return {
      title: `Move ${move.from.text} to ${move.to.text}`,
      detail: `${move.from.text} → ${move.to.text}`,
      detailKind: 'text',
      paths: [...move.moved, ...movedTo(move)],
      guarded: guardedOfMove(move),
    };
  },
  async run(input, { workspace }) {
    const move = await planMove(input, workspace);
    const { from, to } = move;
    await workspace.move(from, to);
    const text = `Moved ${from.text} to ${to.text}.`;
    return {
      text,
      display: { kind: 'lines', label: `${from.text} → ${to.text}` },
      touched: [...move.moved, ...movedTo(move)],
      ok: true,
    };
  },
};
