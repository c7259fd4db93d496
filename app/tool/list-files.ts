// list_files: the names in a folder, or all files below it that the project does not ignore.
import { readdir } from 'node:fs/promises';
import { z } from 'zod';
import { TidemarkError } from '../../shared/errors';
import type { Place, Workspace } from '../workspace/workspace';
import { ripgrep, toolPath } from './ripgrep';
import type { Tool } from './tool';

const schema = z.object({
  path: z.string().optional().describe('folder; default: the workspace'),
  recursive: z.boolean().optional().describe('all files below it; default false'),
});

const MOST_NAMES = 1000;

type Listing = { readonly names: readonly string[]; readonly more: boolean };

export const listFilesTool: Tool<z.infer<typeof schema>> = {
  name: 'list_files',
  description:
    'Lists a folder; folders end with "/". With recursive: all files below it, without what .gitignore names.',
  schema,
  category: 'read',
  effect: 'read',
  async preview(input, { workspace }) {
    const place = await findFolder(input.path, workspace);
    const title = `List ${place.text === '' ? 'the workspace' : place.text}`;
    return { title, detail: place.text, detailKind: 'text', paths: [], guarded: [] };
  },
  async run(input, { workspace, signal }) {
    const place = await findFolder(input.path, workspace);
    const { names, more } = input.recursive
      ? await listBelow(place, workspace, signal)
      : await listFolder(place, workspace);
    const note = more ? `\n(There are more than ${MOST_NAMES}: list a folder further down.)` : '';
    return {
      text: names.length === 0 ? 'The folder is empty.' : names.join('\n') + note,
      display: {
        kind: 'lines',
        label: `${names.length}${more ? '+' : ''} ${names.length === 1 ? 'name' : 'names'}`,
      },
      touched: [],
      ok: true,
    };
  },
};

async function findFolder(asked: string | undefined, workspace: Workspace): Promise<Place> {
  const place = await workspace.resolve(asked ?? '.', 'target');
  if (place.type === 'none') throw new TidemarkError('tool-failed', `There is no folder "${asked}".`);
  if (place.type !== 'folder') throw new TidemarkError('tool-failed', `"${asked}" is not a folder.`);
  return place;
}

async function listFolder(place: Place, workspace: Workspace): Promise<Listing> {
  // Above several folders there is nothing but these.
  const parts = workspace.parts(place);
  if (parts.length > 1) return { names: parts.map((part) => part.prefix).sort(), more: false };
  const ignored = await workspace.agentIgnore();
  const entries = await readdir(place.absolute, { withFileTypes: true });
  const prefix = place.text === '' ? '' : `${place.text}/`;
  const names = entries
    .filter((e) => !ignored(prefix + e.name, e.isDirectory()))
    .map((e) => (e.isDirectory() ? `${e.name}/` : e.name))
    .sort();
  return { names: names.slice(0, MOST_NAMES), more: names.length > MOST_NAMES };
}

async function listBelow(place: Place, workspace: Workspace, signal: AbortSignal): Promise<Listing> {
  const ignored = await workspace.agentIgnore();
  const names: string[] = [];
  let more = false;
  await ripgrep(['--files'], workspace, place, signal, (line, prefix) => {
    const text = toolPath(line, prefix);
    if (ignored(text, false)) return true;
    more = names.length === MOST_NAMES;
    if (!more) names.push(text);
    return !more;
  });
  return { names: names.sort(), more };
}
