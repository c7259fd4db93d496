// Several folders as one workspace: a path of tools begins with a folder's name, and the rest is that folder's matter.
// Owns: which folder a path means, what lies above them. Does not own: confinement, guards, reading and writing, which
// are each folder's own (workspace.ts).
// Invariants: nothing passes from one folder to another through a link; the `.agentignore` of a folder holds for all that
// lies in it, also when another folder around it is asked.
import { rename } from 'node:fs/promises';
import path from 'node:path';
import { TidemarkError } from '../../shared/errors';
import { relPathFromText } from '../../shared/rel-path';
import { AGENT_IGNORE, type AgentIgnore } from './ignore';
import { type Follow, isInside, type Place } from './resolve-inside';
import { namedRoots, type WorkspaceRoot } from './roots';
import { atPlace, openWorkspace, type Workspace } from './workspace';

type Member = { readonly root: WorkspaceRoot; readonly workspace: Workspace };
/** A place as its own folder knows it; only what is said of it keeps the whole path. */
type Inner = { readonly member: Member; readonly place: Place };

/** What lies above the folders. It is nowhere on the disk. */
const TOP: Place = { absolute: '', text: '', rel: relPathFromText(''), asked: '', type: 'folder' };

/** @param paths more than one. @throws workspace-missing, workspace-denied */
export async function openSeveral(paths: readonly string[]): Promise<Workspace> {
  const opened = await Promise.all(paths.map((p) => openWorkspace(p)));
  const roots = namedRoots(opened.map((w) => w.root));
  const members = opened.map((workspace, i): Member => ({ workspace, root: roots[i] as WorkspaceRoot }));
  const [first] = members;
  if (first === undefined) throw new TidemarkError('workspace-missing', 'No folder was named.');
  const innerOf = (place: Place): Inner => {
    const [name, ...rest] = place.text.split('/');
    const member = members.find((m) => m.root.name === name);
    if (member === undefined)
      throw new TidemarkError(
        'path-refused',
        'This lies above the folders of the workspace. Name one of them.',
      );
    const text = rest.join('/');
    return { member, place: { ...place, text, rel: relPathFromText(text) } };
  };

  const inIts = async <T>(place: Place, work: (w: Workspace, inner: Place) => Promise<T>): Promise<T> => {
    const inner = innerOf(place);
    return work(inner.member.workspace, inner.place);
  };

  async function ignoredBy(): Promise<(absolute: string, isFolder: boolean) => boolean> {
    const rules = await Promise.all(
      members.map(async (m) => [m.root.path, await m.workspace.agentIgnore()] as const),
    );
    return (absolute, isFolder) =>
      rules.some(
        ([root, ignored]) => isInside(root, absolute) && ignored(textBelow(root, absolute), isFolder),
      );
  }

  return {
    root: first.root.path,
    roots,
    home: first.root.name,
    parts(place) {
      const found =
        place.text === '' ? members.map((member) => ({ member, place: topOf(member) })) : [innerOf(place)];
      return found.map(({ member: { root }, place: { absolute, text } }) => ({
        root,
        prefix: `${root.name}/`,
        absolute,
        text,
      }));
    },
    async agentIgnore(): Promise<AgentIgnore> {
      const ignored = await ignoredBy();
      return (text, isFolder) => {
        const [name, ...rest] = text.split('/');
        const member = members.find((m) => m.root.name === name);
        return member !== undefined && ignored(path.join(member.root.path, ...rest), isFolder);
      };
    },
    async resolve(asked, follow) {
      const found = findMember(members, asked);
      if (found === null) return TOP;
      const inner = await resolveIn(found.member, found.rest, asked, follow);
      if (follow === 'entry' && members.some((m) => m.root.path === inner.absolute)) {
        const message = `"${asked}" is a folder of the workspace, which stays where it is.`;
        throw new TidemarkError('path-refused', message, { paths: [asked] });
      }
      const ignored = await ignoredBy();
      const { path: root } = found.member.root;
      const spellings = [inner.absolute, path.join(root, inner.asked)];
      if (spellings.some((absolute) => ignored(absolute, inner.type === 'folder'))) {
        throw new TidemarkError(
          'path-refused',
          `"${asked}" was refused: ${AGENT_IGNORE} keeps it from the agent.`,
          { paths: [asked] },
        );
      }
      return outer(found.member, inner);
    },
    async guard(place) {
      if (place.text === '') return null;
      const inner = innerOf(place);
      return inner.member.workspace.guard(inner.place);
    },
    read: (place, maxBytes) => inIts(place, (w, inner) => w.read(inner, maxBytes)),
    write: (place, bytes) => inIts(place, (w, inner) => w.write(inner, bytes)),
    remove: (place) => inIts(place, (w, inner) => w.remove(inner)),
    async move(from, to) {
      const [old, now] = [innerOf(from), innerOf(to)];
      if (old.member === now.member) await old.member.workspace.move(old.place, now.place);
      else await moveAcross(old, now);
    },
    permissions: (place) => inIts(place, (w, inner) => w.permissions(inner)),
    setPermissions: (place, bits) => inIts(place, (w, inner) => w.setPermissions(inner, bits)),
  };
}

/** @throws tool-failed when the folders lie on different drives */
async function moveAcross(from: Inner, to: Inner): Promise<void> {
  try {
    await atPlace(from.member.root.path, from.place, false, (old) =>
      atPlace(to.member.root.path, to.place, true, (now) => rename(old, now)),
    );
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EXDEV') throw cause;
    throw new TidemarkError(
      'tool-failed',
      `${from.member.root.name} and ${to.member.root.name} lie on different drives. Nothing was moved; copy with a command.`,
      { cause },
    );
  }
}

const textBelow = (root: string, absolute: string): string =>
  path.relative(root, absolute).split(path.sep).join('/');

/** The place as tools know it. */
function outer({ root: { name } }: Member, inner: Place): Place {
  const text = inner.text === '' ? name : `${name}/${inner.text}`;
  const asked = inner.asked === '' ? name : `${name}/${inner.asked}`;
  return { ...inner, text, asked, rel: relPathFromText(text) };
}

const topOf = ({ root }: Member): Place => ({ ...TOP, absolute: root.path });

type Found = { readonly member: Member /** relative to the folder */; readonly rest: string };

/** null: what lies above the folders is meant. @throws path-refused */
function findMember(members: readonly Member[], asked: string): Found | null {
  if (path.isAbsolute(asked)) {
    const absolute = path.resolve(asked);
    const inside = members.filter((m) => isInside(m.root.path, absolute));
    const member = inside.sort((a, b) => b.root.path.length - a.root.path.length)[0];
    if (member === undefined) throw refuse(asked, 'it is outside the folders of this workspace', members);
    return { member, rest: path.relative(member.root.path, absolute) };
  }
  const parts = path
    .normalize(asked)
    .split(path.sep)
    .filter((part) => part !== '' && part !== '.');
  const [name, ...rest] = parts;
  if (name === undefined) return null;
  const member = members.find((m) => m.root.name === name);
  if (member === undefined) throw refuse(asked, 'a path begins with the name of a folder here', members);
  return { member, rest: rest.join('/') };
}

const refuse = (asked: string, why: string, members: readonly Member[]): TidemarkError =>
  new TidemarkError(
    'path-refused',
    `"${asked}" was refused: ${why} (${members.map((m) => m.root.name).join(', ')}).`,
    { paths: [asked] },
  );

/** @throws path-refused, in words about what was asked */
async function resolveIn(member: Member, rest: string, asked: string, follow: Follow): Promise<Place> {
  try {
    return await member.workspace.resolve(rest === '' ? '.' : rest, follow);
  } catch (error) {
    if (!(error instanceof TidemarkError) || !error.message.startsWith(`"${rest}"`)) throw error;
    const said = `"${asked}"${error.message.slice(rest.length + 2)}`;
    throw new TidemarkError(error.code, said, { cause: error, paths: [asked] });
  }
}
