// tidemark rewind ID: the same restore as in the window.
import type { ConflictChoice, RestoreOutcome, RestorePreview, Scope } from '../../shared/domain';
import { ERRORS, type ErrorCode, TidemarkError } from '../../shared/errors';
import { checkpointById } from '../../shared/fold';
import { placeKey } from '../../shared/place-key';
import { ask, type CliContext, canAsk, findCheckpoint, openFolderOf, settleFolder, tasksOf } from './context';
import { printable, printJson, type Streams } from './output';

export type RewindOptions = {
  readonly files?: boolean;
  readonly conversation?: boolean;
  readonly all?: boolean;
  readonly whole?: boolean;
  readonly dryRun?: boolean;
  readonly conflicts?: string;
};

export async function rewind(c: CliContext, typed: string, o: RewindOptions): Promise<number> {
  const scope = scopeOf(o);
  const conflicts = choiceOf(o.conflicts);
  const folder = await openFolderOf(c);
  const { task, id } = findCheckpoint(typed, await tasksOf(c, folder));
  const { workspace, roots } = task.view();
  const isHere = placeKey({ workspace, roots }) === folder.key;
  const home = isHere ? folder : await c.runtime.openFolder(roots.length > 1 ? roots : [workspace]);
  const request = { checkpointId: id, scope, whole: o.whole === true, conflicts };
  const row = checkpointById(task.view(), id);
  if (row?.failed != null) {
    throw new TidemarkError(
      'snapshot-missing',
      `The checkpoint ${id} failed when it was to be saved: ${row.failed.message}`,
      {
        hint: 'Choose another one. Nothing was changed.',
      },
    );
  }
  // A list made of a folder that is half restored, or of a run without its last snapshot, would be wrong.
  if (o.dryRun !== true && scope !== 'task' && row?.snapshotId != null)
    await settleFolder(c, home, { always: true });
  const preview = await home.service.plan(task, request);
  if (o.dryRun === true) {
    if (c.streams.json) printJson(c.streams, dryRunJson(preview));
    else showPreview(c.streams, preview);
    return 0;
  }
  if (preview.conflicts.length > 0) {
    if (c.streams.json) printJson(c.streams, dryRunJson(preview));
    else showPreview(c.streams, preview);
    c.streams.err.write(
      'tidemark: you have edited lines that the checkpoint would change; nothing was restored. Choose with --conflicts mine or --conflicts checkpoint.\n',
    );
    return ERRORS.conflicts.exit;
  }
  if (c.options.yes !== true) {
    if (!canAsk(c.streams)) {
      throw new TidemarkError(
        'decision-needed',
        'A restore needs your word: give --yes. Nothing was changed.',
        {
          hint: 'Look first with --dry-run.',
        },
      );
    }
    showPreview(c.streams, preview);
    const answer = (await ask('Restore? y = yes: ', c.signal)).toLowerCase();
    if (answer !== 'y' && answer !== 'yes') {
      throw new TidemarkError('decision-needed', 'Nothing was restored.');
    }
  }
  const outcome = await home.service.restore(task, {
    ...request,
    fingerprint: preview.fingerprint,
    signal: c.signal,
  });
  if (c.streams.json) {
    printJson(c.streams, {
      target: id,
      scope: preview.scope,
      whole: preview.whole,
      dryRun: false,
      ...outcome,
      prompt: outcome.prompt?.text ?? null,
    });
  } else {
    showOutcome(c.streams, outcome);
  }
  if (outcome.filesError !== null) {
    if (outcome.taskRestored) return ERRORS['files-not-restored'].exit;
    return ERRORS[outcome.filesError.code as ErrorCode]?.exit ?? ERRORS.failed.exit;
  }
  return 0;
}

/** @throws usage when more than one is given */
function scopeOf(o: RewindOptions): Scope | null {
  const given: Scope[] = [];
  if (o.files === true) given.push('files');
  if (o.conversation === true) given.push('task');
  if (o.all === true) given.push('all');
  if (given.length > 1) throw new TidemarkError('usage', 'Give one of --files, --conversation and --all.');
  if (o.whole === true && given[0] === 'task') {
    throw new TidemarkError('usage', '--whole is about files; it does not go with --conversation.');
  }
  return given[0] ?? null;
}

function choiceOf(text: string | undefined): ConflictChoice | null {
  if (text === undefined) return null;
  if (text === 'mine' || text === 'checkpoint') return text;
  throw new TidemarkError('usage', `--conflicts takes "mine" or "checkpoint", not "${text}".`);
}

const dryRunJson = (p: RestorePreview): object => ({
  target: p.target,
  scope: p.scope,
  whole: p.whole,
  dryRun: true,
  redoId: null,
  taskRestored: false,
  filesRestored: false,
  files: p.files,
  conflicts: p.conflicts,
  notCovered: p.notCovered,
  prompt: p.prompt,
  filesError: null,
});

const ACTIONS: Readonly<Record<RestorePreview['files'][number]['action'], string>> = {
  revert: 'reverted',
  'bring-back': 'brought back',
  remove: 'removed',
  merge: 'merged with your edits',
  mode: 'mode restored',
};

function showPreview(s: Streams, p: RestorePreview): void {
  const lines = [
    ...p.files.map(
      (f) =>
        `  ${printable(f.path)}  ${ACTIONS[f.action]}${f.by === 'other' ? ' (not changed by this task)' : ''}`,
    ),
    ...p.conflicts.map((f) => `  ${printable(f.path)}  conflict: ${f.reason}`),
    ...p.handEdits.map((f) => `  ${printable(f.path)}  your edits are kept`),
    ...p.notCovered.map((f) => `  ${printable(f.path)}  left alone: ${f.why}`),
  ];
  s.out.write(lines.length === 0 ? 'No file would change.\n' : `${lines.join('\n')}\n`);
  if (p.clears > 0) s.out.write(`${p.clears} messages would be cleared.\n`);
}

function showOutcome(s: Streams, o: RestoreOutcome): void {
  for (const f of o.files) s.out.write(`  ${printable(f.path)}  ${ACTIONS[f.action]}\n`);
  for (const f of o.notCovered) s.out.write(`  ${printable(f.path)}  left alone: ${f.why}\n`);
  if (o.filesError !== null) s.err.write(`tidemark: the files were not restored: ${o.filesError.message}\n`);
  if (o.prompt !== null) s.out.write(`The prompt that followed: ${printable(o.prompt.text)}\n`);
  s.out.write(`Undo with: tidemark rewind ${o.redoId}\n`);
}
