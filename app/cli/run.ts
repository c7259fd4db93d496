// tidemark run "PROMPT": one run without a window.
import type { Mode } from '../../shared/domain';
import { ERRORS, type ErrorCode, type ErrorInfo, TidemarkError } from '../../shared/errors';
import { type FactOf, isDelta } from '../../shared/events';
import { checkpointRows } from '../../shared/fold';
import { placeKey } from '../../shared/place-key';
import type { OpenFolder, RunEnd, Task } from '../runtime';
import { ask, type CliContext, canAsk, findTask, openFolderOf, settleFolder } from './context';
import type { CliHost } from './host';
import { changeLine, markerWords } from './list';
import { printable, printJson } from './output';

export type RunOptions = {
  readonly mode: string;
  readonly provider?: string;
  readonly model?: string;
  readonly deltas?: boolean;
  readonly unprotected?: boolean;
};

export async function run(c: CliContext, host: CliHost, words: string, o: RunOptions): Promise<number> {
  const mode = modeOf(o.mode);
  const text = words === '-' ? await readStdin() : words;
  if (text.trim() === '') throw new TidemarkError('usage', 'The prompt is empty.');
  const folder = await openFolderOf(c);
  const known = c.options.task === undefined ? null : await findTask(c, c.options.task);
  if (known !== null && placeKey(known.view()) !== folder.key) throw elsewhere(known);
  await needTrust(c, folder);
  await settleFolder(c, folder, { unprotected: o.unprotected === true });
  const named = /^\/checkpoint\s+(.+)$/.exec(text.trim())?.[1];
  if (named !== undefined) return saveNamed(c, folder, known, named);
  const provider = c.runtime.provider({ provider: o.provider, model: o.model }, known);
  const task = known ?? (await c.runtime.createTask(titleOf(text), folder.place));
  const stopListening = c.streams.json ? streamJson(c, task, o.deltas === true) : streamText(c, task);
  const before = new Set(checkpointRows(task.view()).map((r) => r.checkpointId));
  // What was in the log before this run is not part of its output, but a new task's first fact is.
  if (c.streams.json && known === null)
    for (const e of task.events()) c.streams.out.write(`${JSON.stringify(e)}\n`);
  const { runId, ended } = await folder.service.start({
    task,
    prompt: { text, attachments: [] },
    mode,
    provider,
  });
  const stop = (): void => void folder.service.stop(task.id);
  c.signal.addEventListener('abort', stop, { once: true });
  if (c.signal.aborted) stop();
  const end = await ended;
  stopListening();
  const checkpoints = checkpointRows(task.view()).filter(
    (r) => !before.has(r.checkpointId) && r.failed === null,
  );
  const unanswered = host.unanswered();
  // What nobody could answer is why an instruction of Practice did not work.
  const error = end.error?.code === 'tool-failed' ? (unanswered ?? end.error) : (end.error ?? unanswered);
  const changes = await netChanges(
    folder,
    task,
    checkpoints.map((r) => r.checkpointId),
  );
  const usage = usageOf(task, runId);
  if (c.streams.json) {
    printJson(c.streams, {
      type: 'result',
      taskId: task.id,
      runId,
      outcome: unanswered !== null && end.outcome === 'completed' ? 'failed' : end.outcome,
      text: end.text,
      checkpoints: checkpoints.map((r) => r.checkpointId),
      files: changes.length,
      added: changes.reduce((n, x) => n + (x.added ?? 0), 0),
      removed: changes.reduce((n, x) => n + (x.removed ?? 0), 0),
      usage,
      error,
    });
  } else {
    for (const change of changes) c.streams.out.write(`${changeLine(change)}\n`);
    if (error !== null)
      c.streams.err.write(
        `tidemark: ${printable(error.message)}${error.hint === undefined ? '' : ` ${error.hint}`}\n`,
      );
  }
  return exitOf(end, error);
}

function elsewhere(task: Task): TidemarkError {
  const { workspace, roots } = task.view();
  return roots.length > 1
    ? new TidemarkError('usage', `That task belongs to ${roots.length} folders at once.`, {
        hint: 'Go on with it in the app.',
        paths: roots,
      })
    : new TidemarkError('usage', `That task belongs to ${workspace}.`, {
        hint: 'Give that folder with --workspace.',
      });
}

function exitOf(end: RunEnd, error: ErrorInfo | null): number {
  if (error !== null) return ERRORS[error.code as ErrorCode]?.exit ?? ERRORS.failed.exit;
  if (end.outcome === 'stopped') return ERRORS.cancelled.exit;
  return end.outcome === 'completed' ? 0 : ERRORS.failed.exit;
}

async function saveNamed(
  c: CliContext,
  folder: OpenFolder,
  known: Task | null,
  name: string,
): Promise<number> {
  const task = known ?? (await c.runtime.createTask(`Checkpoint ${name}`, folder.place));
  const id = await folder.service.saveNamed(task, name);
  if (c.streams.json) {
    printJson(c.streams, {
      type: 'result',
      taskId: task.id,
      runId: null,
      outcome: 'completed',
      text: '',
      checkpoints: id === null ? [] : [id],
      files: 0,
      added: 0,
      removed: 0,
      usage: { inputTokens: 0, outputTokens: 0, cost: null },
      error: null,
    });
  } else c.streams.out.write(`Checkpoint · ${printable(name)} ${id ?? ''}\n`);
  return 0;
}

/** A folder is asked about once; --yes answers. @throws decision-needed */
async function needTrust(c: CliContext, folder: OpenFolder): Promise<void> {
  if (folder.trusted()) return;
  if (c.options.yes !== true) {
    if (!canAsk(c.streams)) {
      throw new TidemarkError('decision-needed', `The folder ${folder.root} is not trusted yet.`, {
        hint: 'Give --yes, or open it in the app once.',
      });
    }
    const answer = await ask(`Let the agent work in ${printable(folder.root)}? y = yes: `, c.signal);
    if (!/^y(es)?$/i.test(answer))
      throw new TidemarkError('decision-needed', 'The folder was not trusted; nothing ran.');
  }
  await folder.trust();
}

function streamJson(c: CliContext, task: Task, deltas: boolean): () => void {
  return task.listen((e) => {
    if (!isDelta(e)) c.streams.out.write(`${JSON.stringify(e)}\n`);
    else if (deltas) c.streams.out.write(`${JSON.stringify({ v: 1, ...e })}\n`);
  });
}

/** Words as they come; marks and results on lines of their own, never in the middle of a sentence. */
function streamText(c: CliContext, task: Task): () => void {
  let open = false;
  let talking = false;
  const later: string[] = [];
  const endLine = (): void => {
    if (open) c.streams.out.write('\n');
    open = false;
  };
  const line = (text: string): void => {
    if (talking) {
      later.push(text);
      return;
    }
    endLine();
    c.streams.out.write(`${text}\n`);
  };
  return task.listen((e) => {
    if (e.type === 'delta.text' || e.type === 'delta.output') {
      if (e.type === 'delta.text') talking = true;
      c.streams.out.write(e.text);
      open = !e.text.endsWith('\n');
    } else if (e.type === 'message.completed') {
      talking = false;
      endLine();
      for (const text of later.splice(0)) line(text);
    } else if (e.type === 'delta.waiting' && e.waiting !== null) {
      c.streams.err.write(`${printable(e.waiting)}\n`);
    } else if (e.type === 'context.compacted') {
      line(`· compacted: about ${e.tokensBefore} → ${e.tokensAfter} tokens`);
    } else if (e.type === 'tool.finished') line(toolLine(task, e));
    else if (e.type === 'checkpoint.created' || e.type === 'checkpoint.failed') {
      const row = checkpointRows(task.view()).find((r) => r.checkpointId === e.checkpointId);
      if (row !== undefined)
        line(
          `○ ${markerWords(row)} ${row.checkpointId}${row.failed === null ? '' : `: ${row.failed.message}`}`,
        );
    } else if (e.type === 'run.ended') {
      talking = false;
      endLine();
      for (const text of later.splice(0)) line(text);
    }
  });
}

function toolLine(task: Task, e: FactOf<'tool.finished'>): string {
  const row = task.view().rows.findLast((r) => r.type === 'tool' && r.callId === e.callId);
  const name = row?.type === 'tool' ? row.tool : 'tool';
  const { display } = e;
  if (e.outcome !== 'ok') return `· ${name} ${e.outcome}: ${printable(e.text.split('\n')[0] ?? '')}`;
  if (display.kind === 'edit')
    return `· ${name} ${printable(display.path)} +${display.added} -${display.removed}`;
  if (display.kind === 'command') return `· ${name} exit ${display.exitCode ?? '?'}`;
  return `· ${name} ${display.kind === 'lines' ? printable(display.label) : 'done'}`;
}

/** What the run changed on the whole: its first against its last snapshot. */
async function netChanges(
  folder: OpenFolder,
  task: Task,
  ids: readonly string[],
): ReturnType<typeof changesOf> {
  const rows = checkpointRows(task.view()).filter(
    (r) => ids.includes(r.checkpointId) && r.snapshotId !== null,
  );
  const [first, last] = [rows.at(0), rows.at(-1)];
  if (first === undefined || last === undefined || first === last) return [];
  return changesOf(folder, task, first.checkpointId, last.checkpointId);
}

async function changesOf(
  folder: OpenFolder,
  task: Task,
  from: Parameters<OpenFolder['leftOut']>[1],
  to: typeof from,
): Promise<Awaited<ReturnType<OpenFolder['changes']>>['changes']> {
  return (await folder.changes(task, { kind: 'between', from, to })).changes;
}

function usageOf(
  task: Task,
  runId: string,
): { inputTokens: number; outputTokens: number; cost: number | null } {
  const usage = { inputTokens: 0, outputTokens: 0, cost: null as number | null };
  for (const row of task.view().rows) {
    if (row.type !== 'answer' || row.runId !== runId || row.usage === null) continue;
    usage.inputTokens += row.usage.inputTokens;
    usage.outputTokens += row.usage.outputTokens;
    if (row.usage.cost !== null) usage.cost = (usage.cost ?? 0) + row.usage.cost;
  }
  return usage;
}

function modeOf(text: string): Mode {
  if (text === 'ask' || text === 'apply') return text;
  throw new TidemarkError('usage', `--mode takes "ask" or "apply", not "${text}".`);
}

const titleOf = (text: string): string => text.trim().split('\n')[0]?.slice(0, 80) ?? 'New task';

async function readStdin(): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString('utf8');
}
