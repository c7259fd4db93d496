// tidemark rewind ID: the same restore as in the window.
import type {
  Chosen,
  ConflictAnswers,
  ConflictChoice,
  RestoreOutcome,
  RestorePreview,
  Scope,
} from '../../shared/domain';
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
  /** `mine:PATH` or `checkpoint:PATH`, as often as there are files */
  readonly conflict?: readonly string[];
  readonly without?: readonly string[];
};

export async function rewind(c: CliContext, typed: string, o: RewindOptions): Promise<number> {
  const scope = scopeOf(o);
  const conflicts = answersOf(o);
  const without = o.without?.map((path) => ({ path }));
  const folder = await openFolderOf(c);
  const { task, id } = findCheckpoint(typed, await tasksOf(c, folder));
  const { workspace, roots } = task.view();
  const isHere = placeKey({ workspace, roots }) === folder.key;
  const home = isHere ? folder : await c.runtime.openFolder(roots.length > 1 ? roots : [workspace]);
  const request = { checkpointId: id, scope, whole: o.whole === true, conflicts, without };
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
      'tidemark: you have edited lines that the checkpoint would change; nothing was restored. Choose with --conflicts mine or --conflicts checkpoint, or file by file with --conflict mine:PATH and --conflict checkpoint:PATH.\n',
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
  const outcome = await home.service
    .restore(task, { ...request, fingerprint: preview.fingerprint, signal: c.signal })
    .catch(sayHowToGoOn);
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

const retryHint = (paths: readonly string[]): string =>
  `Retry, or leave them alone: --files ${paths.map((p) => `--without ${JSON.stringify(printable(p))}`).join(' ')}`;

/** Files that could not be written can be left alone the next time. */
function sayHowToGoOn(thrown: unknown): never {
  if (!(thrown instanceof TidemarkError) || thrown.code !== 'restore-failed') throw thrown;
  const { paths = [], message, hint } = thrown;
  if (hint !== undefined || paths.length === 0) throw thrown;
  throw new TidemarkError(thrown.code, message, { cause: thrown, hint: retryHint(paths), paths });
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

/** @throws usage for words that are no choice, and for both ways of choosing at once */
function answersOf(o: RewindOptions): ConflictAnswers | null {
  if (o.conflict === undefined) return o.conflicts === undefined ? null : choiceOf(o.conflicts);
  if (o.conflicts !== undefined) {
    throw new TidemarkError('usage', '--conflicts is about all files; it does not go with --conflict.');
  }
  return o.conflict.map(chosenOf);
}

function choiceOf(text: string): ConflictChoice {
  if (text === 'mine' || text === 'checkpoint') return text;
  throw new TidemarkError('usage', `--conflicts takes "mine" or "checkpoint", not "${text}".`);
}

function chosenOf(text: string): Chosen {
  const [, choice, path] = /^(mine|checkpoint):(.+)$/s.exec(text) ?? [];
  if (path !== undefined && (choice === 'mine' || choice === 'checkpoint')) return { choice, path };
  throw new TidemarkError('usage', `--conflict takes "mine:PATH" or "checkpoint:PATH", not "${text}".`);
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
  if (o.filesError !== null) {
    s.err.write(`tidemark: the files were not restored: ${o.filesError.message}\n`);
    const paths = o.filesError.paths ?? [];
    for (const path of paths) s.err.write(`  ${printable(path)}\n`);
    if (paths.length > 0) s.err.write(`${retryHint(paths)}\n`);
  }
  if (o.prompt !== null) s.out.write(`The prompt that followed: ${printable(o.prompt.text)}\n`);
  s.out.write(`Undo with: tidemark rewind ${o.redoId}\n`);
}
