// tidemark checkpoints, tasks, diff: reading only.
import type { Change, TaskSummary } from '../../shared/domain';
import { TidemarkError } from '../../shared/errors';
import {
  type CheckpointRow,
  checkpointRows,
  isActiveCheckpoint,
  RELEASED_WORDS,
  type TaskView,
} from '../../shared/fold';
import { resolveId } from '../../shared/ids';
import { placeKey } from '../../shared/place-key';
import { foldersOf } from '../workspace/workspace-file';
import { type CliContext, findCheckpoint, openFolderOf, tasksOf } from './context';
import { printable, printJson, shortTime, table } from './output';

/** The words of the tide line (SPEC 3). */
export function markerWords(row: CheckpointRow): string {
  if (row.failed !== null) return 'Checkpoint failed';
  switch (row.kind) {
    case 'initial':
      return 'Initial checkpoint';
    case 'manual':
      return `Checkpoint · ${row.name ?? ''}`;
    case 'redo':
      return 'Redo point';
    case 'compaction':
      return 'Compaction checkpoint';
    default:
      return 'Checkpoint';
  }
}

function checkpointJson(view: TaskView, row: CheckpointRow): object {
  return {
    id: row.checkpointId,
    taskId: view.taskId,
    runId: row.runId,
    kind: row.kind,
    name: row.name,
    at: row.at,
    seq: row.seq,
    snapshotId: row.snapshotId,
    status: row.failed === null ? 'saved' : 'failed',
    reason: row.failed?.message ?? (row.released === null ? null : RELEASED_WORDS[row.released]),
    files: row.failed === null ? row.files : null,
    added: row.added,
    removed: row.removed,
    skipped: row.skipped.length,
    active: isActiveCheckpoint(view, row),
    undoes: row.undoes?.to ?? null,
  };
}

export async function listCheckpoints(c: CliContext, details: string | undefined): Promise<number> {
  const folder = await openFolderOf(c);
  const tasks = await tasksOf(c, folder);
  const found = tasks.flatMap((task) =>
    checkpointRows(task.view()).map((row) => ({ task, view: task.view(), row })),
  );
  found.sort((a, b) => (a.row.at < b.row.at ? -1 : a.row.at > b.row.at ? 1 : a.row.seq - b.row.seq));
  if (details !== undefined) {
    const id = resolveId(
      details,
      found.map((f) => f.row.checkpointId),
      'checkpoint-unknown',
    );
    const one = found.find((f) => f.row.checkpointId === id);
    if (one === undefined)
      throw new TidemarkError('checkpoint-unknown', `There is no checkpoint "${details}".`);
    const left = one.row.snapshotId === null ? [] : await folder.leftOut(one.task, id);
    if (c.streams.json) {
      printJson(c.streams, {
        workspace: folder.root,
        checkpoints: [{ ...checkpointJson(one.view, one.row), left }],
      });
      return 0;
    }
    c.streams.out.write(`${markerWords(one.row)} ${id} · ${shortTime(one.row.at)}\n`);
    c.streams.out.write(
      left.length === 0
        ? 'Nothing was left out.\n'
        : `${table(
            ['left out', 'why'],
            left.map((l) => [l.path, l.why]),
          )}\n`,
    );
    return 0;
  }
  if (c.streams.json) {
    printJson(c.streams, {
      workspace: folder.root,
      checkpoints: found.map((f) => checkpointJson(f.view, f.row)),
    });
    return 0;
  }
  if (found.length === 0) {
    c.streams.out.write(`No checkpoints yet in ${printable(folder.root)}.\n`);
    return 0;
  }
  const rows = found.map(({ view, row }) => [
    row.checkpointId,
    shortTime(row.at),
    markerWords(row),
    row.failed?.message ?? (row.released === null ? counts(row) : RELEASED_WORDS[row.released]),
    isActiveCheckpoint(view, row) ? '' : '(not on the active line)',
    view.title,
  ]);
  c.streams.out.write(`${table(['id', 'saved', 'what', 'changed', '', 'task'], rows)}\n`);
  return 0;
}

const counts = (row: { files: number; added: number | null; removed: number | null }): string =>
  row.files === 0
    ? '-'
    : `${row.files} ${row.files === 1 ? 'file' : 'files'} +${row.added ?? 0} -${row.removed ?? 0}`;

export async function listTasksOf(c: CliContext): Promise<number> {
  const all = await c.runtime.tasks();
  const tasks = c.options.workspace === undefined ? all : all.filter(await isOfFolder(c));
  if (c.streams.json) {
    printJson(c.streams, { tasks });
    return 0;
  }
  if (tasks.length === 0) {
    c.streams.out.write('No tasks yet.\n');
    return 0;
  }
  const rows = tasks.map((t) => [
    t.id,
    shortTime(t.updatedAt),
    t.state,
    `${t.messages} messages`,
    (t.roots ?? [t.workspace]).join(', '),
    t.title,
  ]);
  c.streams.out.write(`${table(['id', 'changed', 'state', '', 'folder', 'task'], rows)}\n`);
  return 0;
}

/** A folder that is gone has tasks too, and a workspace file those of its folders together. */
async function isOfFolder(c: CliContext): Promise<(t: TaskSummary) => boolean> {
  const roots = await foldersOf([c.folderPath]).catch(() => [c.folderPath]);
  const key = placeKey({ workspace: roots[0] ?? c.folderPath, roots });
  return (t) => placeKey(t) === key;
}

export async function diff(
  c: CliContext,
  from: string,
  to: string | undefined,
  patch: boolean,
): Promise<number> {
  const folder = await openFolderOf(c);
  const tasks = await tasksOf(c, folder);
  const a = findCheckpoint(from, tasks);
  const b = to === undefined || to === 'workspace' ? null : findCheckpoint(to, tasks);
  if (b !== null && b.task !== a.task) {
    throw new TidemarkError('usage', 'These checkpoints belong to different tasks; compare two of one task.');
  }
  const comparison =
    b === null ? { kind: 'since' as const, from: a.id } : { kind: 'between' as const, from: a.id, to: b.id };
  const { changes } = await folder.changes(a.task, comparison);
  if (patch) {
    for (const change of changes) {
      const { before, after } = await folder.change(a.task, comparison, change, true);
      c.streams.out.write(await patchOf(change, before?.text ?? null, after?.text ?? null));
    }
    return 0;
  }
  if (c.streams.json) {
    printJson(c.streams, { from: a.id, to: b?.id ?? 'workspace', changes });
    return 0;
  }
  if (changes.length === 0) c.streams.out.write('No changes.\n');
  else c.streams.out.write(`${changes.map(changeLine).join('\n')}\n`);
  return 0;
}

const LETTERS: Readonly<Record<Change['kind'], string>> = {
  added: 'A',
  modified: 'M',
  deleted: 'D',
  renamed: 'R',
  type: 'T',
  mode: 'm',
};

export function changeLine(change: Change): string {
  const name = change.oldPath === undefined ? change.path : `${change.oldPath} → ${change.path}`;
  const size = change.binary
    ? 'binary'
    : change.added === null
      ? ''
      : `+${change.added} -${change.removed ?? 0}`;
  const mode = change.kind === 'mode' ? `mode ${change.oldMode ?? ''} → ${change.newMode ?? ''}` : '';
  return [LETTERS[change.kind], printable(name), size, mode].filter((x) => x !== '').join('  ');
}

/** One file of a unified diff, in git's form. */
async function patchOf(change: Change, before: string | null, after: string | null): Promise<string> {
  const { createTwoFilesPatch } = await import('diff');
  const old = change.oldPath ?? change.path;
  const head = [
    `diff --git a/${old} b/${change.path}`,
    ...(change.kind === 'added' ? [`new file mode ${change.newMode ?? '100644'}`] : []),
    ...(change.kind === 'deleted' ? [`deleted file mode ${change.oldMode ?? '100644'}`] : []),
    ...(change.oldMode !== undefined && change.newMode !== undefined && change.oldMode !== change.newMode
      ? [`old mode ${change.oldMode}`, `new mode ${change.newMode}`]
      : []),
    ...(change.oldPath === undefined ? [] : [`rename from ${old}`, `rename to ${change.path}`]),
  ];
  if (change.binary) return `${[...head, `Binary files a/${old} and b/${change.path} differ`].join('\n')}\n`;
  if ((before ?? '') === (after ?? '')) return `${head.join('\n')}\n`;
  const text = createTwoFilesPatch(
    change.kind === 'added' ? '/dev/null' : `a/${old}`,
    change.kind === 'deleted' ? '/dev/null' : `b/${change.path}`,
    before ?? '',
    after ?? '',
  );
  return `${head.join('\n')}\n${text.replace(/^=+\n/, '')}`;
}
