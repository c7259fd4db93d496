// How the command line answers what a run asks: --yes, a person at the terminal, or nobody.
// Invariant: --yes never approves what a checkpoint cannot take back, and never overrides a rule.
import type { ApprovalDecision, ApprovalRequest, Limit, Question } from '../../shared/domain';
import { type ErrorInfo, TidemarkError, toErrorInfo } from '../../shared/errors';
import type { RunHost } from '../runtime';
import { ask, canAsk } from './context';
import { oneLine, printable, type Streams } from './output';

export type CliHost = RunHost & {
  /** The first question that nobody could answer, which decides the exit code; null when there was none. */
  unanswered(): ErrorInfo | null;
};

export type CliHostOptions = {
  readonly streams: Streams;
  readonly yes: boolean;
  /** goes on when a checkpoint fails */
  readonly unprotected: boolean;
  readonly waitMs: number;
};

export function openCliHost(o: CliHostOptions): CliHost {
  let unanswered: ErrorInfo | null = null;

  async function approve(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalDecision> {
    if (o.yes && !request.irreversible) return { decision: 'approve', reason: null };
    if (!canAsk(o.streams) || o.yes) {
      const why = request.irreversible
        ? `${request.title}: a checkpoint cannot take this back, so --yes does not approve it.`
        : `${request.title}: this needs your approval, and nobody can be asked.`;
      unanswered ??= {
        code: 'decision-needed',
        message: why,
        hint: request.irreversible
          ? 'Run it on a terminal or in the app, where you are asked.'
          : 'Run it on a terminal or in the app, or allow it with --yes or in Settings.',
      };
      return { decision: 'reject', reason: 'Nobody could be asked to approve this.' };
    }
    o.streams.err.write(
      `\n${printable(request.title)}${request.flag === null ? '' : `  [${request.flag}]`}\n${request.detail}\n`,
    );
    const always = request.always === null ? '' : `, a = always allow ${request.always}`;
    const answer = (await ask(`Approve? y = yes, n = no${always}: `, signal)).toLowerCase();
    if (answer === 'y' || answer === 'yes') return { decision: 'approve', reason: null };
    if (answer === 'a' && request.always !== null) return { decision: 'always', reason: null };
    unanswered ??= { code: 'decision-needed', message: `You did not approve: ${request.title}.` };
    return { decision: 'reject', reason: answer === 'n' || answer === '' ? null : answer };
  }

  /** Not even --yes knows the answer. */
  async function answer({ question, choices }: Question, signal: AbortSignal): Promise<string> {
    if (!canAsk(o.streams)) {
      unanswered ??= {
        code: 'decision-needed',
        message: `The agent asked, and nobody could answer: ${question}`,
        hint: 'Run it on a terminal or in the app, or say it in the prompt.',
      };
      throw new TidemarkError(
        'decision-needed',
        'Nobody can be asked. Decide by what you know, or end here.',
      );
    }
    const list = choices.map((choice, i) => `  ${i + 1}  ${printable(choice)}\n`).join('');
    o.streams.err.write(`\n${question}\n${list}`);
    const hint = choices.length === 0 ? 'Answer' : `Answer, or 1-${choices.length}`;
    for (;;) {
      const typed = await ask(`${hint}: `, signal);
      if (typed !== '') return choices[Number(typed) - 1] ?? typed;
    }
  }

  /** A limit is the user's own word, so --yes is none against it. */
  async function goOn(limit: Limit, signal: AbortSignal): Promise<boolean> {
    const words = limitWords(limit);
    if (!canAsk(o.streams)) {
      throw new TidemarkError('decision-needed', words, {
        hint: 'Send a message to the task to go on, or raise the limit in settings.json.',
      });
    }
    o.streams.err.write(`\n${words}\n`);
    return /^y(es)?$/i.test(await ask('Continue? y = yes: ', signal));
  }

  return {
    approve: (request, run) => approve(request, run.signal),
    ask: (question, run) => answer(question, run.signal),
    goOn: (limit, run) => goOn(limit, run.signal),
    async onFailedCheckpoint(error, thrown, run) {
      if (o.unprotected) return 'continue';
      if (!canAsk(o.streams)) throw failedCheckpoint(error, thrown);
      o.streams.err.write(`\nThe checkpoint could not be saved: ${oneLine(error)}\n`);
      const answer = await ask('r = retry, c = continue without checkpoints, s = stop: ', run.signal);
      if (answer === 'r') return 'retry';
      if (answer === 'c') return 'continue';
      throw failedCheckpoint(error, thrown);
    },
    onSettled: ({ outcome }) =>
      o.streams.err.write(
        outcome === 'finished'
          ? 'tidemark: a restore that had been cut off was finished\n'
          : 'tidemark: a restore that had been cut off was taken back; the files are as they were before it\n',
      ),
    waitMs: o.waitMs,
    unanswered: () => unanswered,
  };
}

const limitWords = ({ kind, spent, most }: Limit): string =>
  kind === 'turns'
    ? `The run has reached its limit of ${most} ${most === 1 ? 'turn' : 'turns'}.`
    : `The run has cost ${spent.toFixed(2)}, which is at or above its limit of ${most.toFixed(2)}.`;

/** What the machine lacks, or a busy workspace, keeps its own code; all else is a checkpoint that failed. */
function failedCheckpoint(error: ErrorInfo, thrown: unknown): TidemarkError {
  const own: readonly ErrorInfo['code'][] = [
    'git-missing',
    'git-too-old',
    'workspace-busy',
    'store-damaged',
    'too-new',
  ];
  if (thrown instanceof TidemarkError && own.includes(thrown.code)) return thrown;
  return new TidemarkError(
    'checkpoint-failed',
    `The checkpoint could not be saved, so nothing was changed. ${error.message}`,
    {
      cause: thrown,
      hint: toErrorInfo(thrown).hint ?? 'Put that right, or use --unprotected to go on without.',
    },
  );
}
