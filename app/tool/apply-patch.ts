// apply_patch: several files changed, created, deleted and renamed by one unified diff, all of them or none.
// Owns: what a patch means for the files that are there. Does not own: its grammar (patch.ts), where a hunk fits
// (apply-hunks.ts), undoing what was begun (workspace/write-together).
import { z } from 'zod';
import { TidemarkError } from '../../shared/errors';
import { guardOfText } from '../workspace/guard';
import { isSecretFile } from '../workspace/secret-content';
import { type DecodedText, encodeText } from '../workspace/text-file';
import type { Place, Workspace } from '../workspace/workspace';
import { type Step, writeTogether } from '../workspace/write-together';
import { applyHunks } from './apply-hunks';
import { guardedOf, readForEdit } from './edit';
import { type FilePatch, parsePatch } from './patch';
import type { Tool, ToolPreview } from './tool';
import { summarizeEdit } from './unified-diff';

const schema = z.object({
  patch: z
    .string()
    .min(1)
    .describe('unified diff; /dev/null for a file that is created or deleted, "rename from/to" to rename'),
});

/** What a patch does to one file, decided before anything is written. */
type Edit = {
  readonly verb: 'Edit' | 'Create' | 'Delete' | 'Rename';
  /** where it is now, or will be created */
  readonly from: Place;
  /** where it will be; the same place unless it is renamed */
  readonly to: Place;
  readonly before: string | null;
  readonly after: string | null;
  readonly executable: boolean | null;
  readonly steps: readonly Step[];
};

const fail = (why: string): TidemarkError => new TidemarkError('tool-failed', `${why} Nothing was changed.`);

async function planPatch(text: string, workspace: Workspace): Promise<readonly Edit[]> {
  const edits: Edit[] = [];
  for (const file of joinSame(parsePatch(text))) edits.push(await planFile(file, workspace));
  const places = edits.flatMap((e) => [...new Set([e.from.text, e.to.text])]);
  const twice = places.find((place, index) => places.indexOf(place) !== index);
  if (twice !== undefined) throw fail(`The patch changes "${twice}" in several ways at once.`);
  return edits;
}

/** Models give the hunks of a file in several sections: they are one change. */
function joinSame(files: readonly FilePatch[]): readonly FilePatch[] {
  const joined: FilePatch[] = [];
  for (const file of files) {
    const last = joined.at(-1);
    const same =
      last !== undefined && last.from === file.from && last.to === file.to && file.from === file.to;
    if (same)
      joined[joined.length - 1] = {
        ...file,
        executable: file.executable ?? last.executable,
        hunks: [...last.hunks, ...file.hunks],
      };
    else joined.push(file);
  }
  return joined;
}

async function planFile(file: FilePatch, workspace: Workspace): Promise<Edit> {
  if (file.from === null) return planCreation(file, file.to ?? '', workspace);
  const isRename = file.to !== null && file.to !== file.from;
  const from = await workspace.resolve(file.from, isRename || file.to === null ? 'entry' : 'target');
  if (from.type === 'none') throw fail(`There is no file "${file.from}".`);
  if (from.type !== 'file') throw fail(`"${file.from}" is not a regular file.`);
  // A file that only moves, or only gets other permissions, need not be text.
  const before = file.hunks.length === 0 ? null : await textOf(from, workspace);
  const after = before === null ? null : applyHunks(before.text, file.hunks, from.text);
  if (file.to === null) return planDeletion(file, from, before ?? (await textOf(from, workspace)), after);
  const to = isRename ? await freePlace(file.to, from, workspace) : from;
  const steps: Step[] = isRename ? [{ kind: 'move', from, to }] : [];
  if (before !== null && after !== null)
    steps.push({ kind: 'write', place: { ...to, type: 'file' }, bytes: encodeText(after, before.encoding) });
  if (file.executable !== null) steps.push({ kind: 'executable', place: to, on: file.executable });
  const verb = isRename ? 'Rename' : 'Edit';
  return { verb, from, to, before: before?.text ?? null, after, executable: file.executable, steps };
}

async function textOf(place: Place, workspace: Workspace): Promise<DecodedText> {
  const before = await readForEdit(workspace, place);
  if (before === null || before === 'binary') throw fail(`"${place.text}" is a binary file.`);
  return before;
}

async function planCreation(file: FilePatch, name: string, workspace: Workspace): Promise<Edit> {
  const place = await workspace.resolve(name, 'entry');
  if (place.type !== 'none') throw fail(`"${name}" is there already, and the patch would create it.`);
  if (file.hunks.some((h) => h.lines.some((l) => l.kind !== 'new')))
    throw fail(`The patch creates "${name}", so all its lines have to begin with "+".`);
  const after = applyHunks('', file.hunks, name);
  const steps: Step[] = [{ kind: 'write', place, bytes: encodeText(after, 'utf8') }];
  if (file.executable === true) steps.push({ kind: 'executable', place, on: true });
  return { verb: 'Create', from: place, to: place, before: null, after, executable: file.executable, steps };
}

/** What the patch takes a file for has to be all that is in it. */
function planDeletion(file: FilePatch, from: Place, before: DecodedText, after: string | null): Edit {
  if ((after ?? before.text) !== '')
    throw fail(`The patch deletes "${from.text}" and does not remove all of its lines.`);
  const steps: Step[] = [{ kind: 'remove', place: from }];
  const { executable } = file;
  return { verb: 'Delete', from, to: from, before: before.text, after: null, executable, steps };
}

/** @throws TidemarkError tool-failed when something is there, or a secret would get a name that checkpoints keep */
async function freePlace(name: string, from: Place, workspace: Workspace): Promise<Place> {
  const to = await workspace.resolve(name, 'entry');
  if (to.type !== 'none')
    throw fail(`"${name}" is there already, and nothing is ever overwritten by a rename.`);
  if ((await isSecretFile(from.absolute, from.text)) && !(await isSecretFile(from.absolute, to.text)))
    throw fail(
      `"${from.text}" may hold a secret, which no checkpoint keeps, and "${to.text}" would be kept.`,
    );
  return to;
}

const pathsOf = (edit: Edit): readonly Place[] => (edit.from === edit.to ? [edit.to] : [edit.from, edit.to]);

async function guardedBy(edit: Edit, workspace: Workspace): Promise<ToolPreview['guarded']> {
  const now = await guardedOf(workspace, pathsOf(edit));
  // A file may become a secret by its new name or by what is written into it: no checkpoint keeps it from here on.
  const then = now.length > 0 ? null : guardOfText(edit.to.text, edit.after ?? edit.before ?? '');
  return then === null ? now : [{ path: edit.to.text, guard: then }];
}

const nameOf = (edit: Edit): string =>
  edit.verb === 'Rename' ? `${edit.from.text} to ${edit.to.text}` : edit.to.text;

function titleOf(edits: readonly Edit[]): string {
  const [only, ...more] = edits;
  return only !== undefined && more.length === 0
    ? `${only.verb} ${nameOf(only)}`
    : `Patch ${edits.length} files`;
}

const NOTES: Readonly<Record<Edit['verb'], string>> = {
  Create: ' (new)',
  Delete: ' (deleted)',
  Edit: '',
  Rename: '',
};

function modeNote(edit: Edit): string {
  if (edit.executable === null || edit.verb === 'Delete') return '';
  return edit.executable ? ' (executable)' : ' (not executable)';
}

/** One difference for the card, with a head for each file. */
function differenceOf(edits: readonly Edit[]): { added: number; removed: number; patch: string } {
  const all = edits.map((edit) => {
    const found = summarizeEdit(edit.before, edit.verb === 'Delete' ? null : (edit.after ?? edit.before));
    const name = edit.verb === 'Rename' ? `${edit.from.text} → ${edit.to.text}` : edit.to.text;
    const head = `+++ b/${name}${NOTES[edit.verb]}${modeNote(edit)}`;
    return { ...found, patch: found.patch === '' ? head : `${head}\n${found.patch}` };
  });
  const sum = (side: 'added' | 'removed') => all.reduce((n, d) => n + d[side], 0);
  return { added: sum('added'), removed: sum('removed'), patch: all.map((d) => d.patch).join('\n') };
}

const DONE: Readonly<Record<Edit['verb'], string>> = {
  Create: 'Created',
  Delete: 'Deleted',
  Edit: 'Changed',
  Rename: 'Renamed',
};

export const applyPatchTool: Tool<z.infer<typeof schema>> = {
  name: 'apply_patch',
  description:
    'Applies a unified diff: changes, creates, deletes and renames several files, all of them or none. Old lines have to stand in the files as they are in the patch; line numbers may be missing or wrong where the lines occur once.',
  schema,
  category: 'edit',
  effect: 'edit',
  async preview(input, { workspace }) {
    const edits = await planPatch(input.patch, workspace);
    const guarded = await Promise.all(edits.map((edit) => guardedBy(edit, workspace)));
    return {
      title: titleOf(edits),
      detail: differenceOf(edits).patch,
      detailKind: 'diff',
      paths: edits.flatMap(pathsOf).map((place) => place.rel),
      guarded: guarded.flat(),
    };
  },
  async run(input, { workspace }) {
    const edits = await planPatch(input.patch, workspace);
    await writeTogether(
      workspace,
      edits.flatMap((edit) => edit.steps),
    );
    const [only, ...more] = edits;
    const path = only !== undefined && more.length === 0 ? only.to.text : `${edits.length} files`;
    return {
      text: edits.map((edit) => `${DONE[edit.verb]} ${nameOf(edit)}.`).join('\n'),
      display: { kind: 'edit', path, ...differenceOf(edits) },
      touched: edits.flatMap(pathsOf).map((place) => place.rel),
      ok: true,
    };
  },
};
