// A run: from one prompt until the agent stops. Asks the model, runs its calls, asks again.
// Owns: the loop, its limits and its outcome. Does not own: run.started and run.ended (the task service), the log,
// checkpoints and people: they come as RunPorts.
import type { Limit, Mode } from '../../shared/domain';
import { type ErrorInfo, isAbort, TidemarkError, toErrorInfo } from '../../shared/errors';
import type { TaskView } from '../../shared/fold';
import type { ModelMessage } from '../provider/provider';
import { type Answer, type Fragment, isEmpty, receiveAnswer } from './answer';
import { messagesOf, messagesOfAnswer } from './context';
import { openLimits } from './limits';
import type { RunPorts } from './ports';
import { systemPrompt } from './prompt';
import { countDown, PATIENCE, type Patience, waitBeforeRetry } from './retry';
import { playTurn } from './turn';

export type RunInput = {
  readonly mode: Mode;
  /** the task with this run's run.started in it */
  readonly view: TaskView;
  /** the project's own instructions, in order */
  readonly instructions?: readonly string[];
  /** how far it goes before it asks; `cost` null: as far as it likes */
  readonly limits: { readonly turns: number; readonly cost: number | null };
  readonly patience?: Partial<Patience>;
};

export type RunOutcome = {
  readonly outcome: 'completed' | 'stopped' | 'failed';
  readonly error: ErrorInfo | null;
  /** the declared result, else the last answer's text */
  readonly text: string;
};

/** So many answers in a row of which nothing could run end the run. */
const MOST_UNUSABLE = 5;

/** Never rejects: whatever a port throws is the outcome `failed`. */
export async function runAgent(input: RunInput, ports: RunPorts): Promise<RunOutcome> {
  const run = new Run(input, ports);
  try {
    await run.play();
    return { outcome: 'completed', error: null, text: run.text };
  } catch (error) {
    if (ports.signal.aborted || isAbort(error)) return { outcome: 'stopped', error: null, text: run.text };
    return { outcome: 'failed', error: toErrorInfo(error), text: run.text };
  }
}

class Run {
  text = '';
  private readonly messages: ModelMessage[];
  private readonly system: string;
  private readonly patience: Patience;
  /** requests that failed in a row */
  private failures = 0;
  private answered = false;
  private unusable = 0;

  constructor(
    private readonly input: RunInput,
    private readonly ports: RunPorts,
  ) {
    this.messages = [...messagesOf(input.view, ports.provider)];
    this.patience = { ...PATIENCE, ...input.patience };
    this.system = systemPrompt({
      mode: input.mode,
      roots: ports.toolContext.workspace.roots,
      platform: process.platform,
      instructions: input.instructions ?? [],
    });
  }

  async play(): Promise<void> {
    const limits = openLimits(this.input.limits);
    for (let turn = 1; ; turn++) {
      const reached = limits.reached();
      if (reached !== null && !(await this.mayGoOn(reached))) throw stopped();
      const answer = await this.ask(turn);
      limits.count(answer.usage);
      if (await this.answerIsLast(answer, turn)) return;
    }
  }

  private async mayGoOn(limit: Limit): Promise<boolean> {
    const { ports } = this;
    await ports.emit({ type: 'limit.reached', runId: ports.runId, limit });
    const goOn = await ports.goOn(limit);
    await ports.emit({ type: 'limit.answered', runId: ports.runId, goOn });
    return goOn;
  }

  /** The next answer. A request of which nothing came back is sent again. */
  private async ask(turn: number): Promise<Answer> {
    for (;;) {
      const answer = await receiveAnswer(
        this.ports.provider,
        { system: this.system, messages: this.messages, tools: this.ports.tools, signal: this.ports.signal },
        this.patience.silenceMs,
        (fragment) => this.show(fragment, turn),
      );
      if (answer.failure === null) {
        this.failures = 0;
        this.answered = true;
        return answer;
      }
      if (!isEmpty(answer)) return answer;
      await this.waitAfter(answer.failure);
    }
  }

  private async answerIsLast(answer: Answer, turn: number): Promise<boolean> {
    if (isEmpty(answer) && answer.finish === 'stopped') throw stopped();
    await this.ports.emit({
      type: 'message.completed',
      runId: this.ports.runId,
      turn,
      text: answer.text,
      reasoning: answer.reasoning,
      ...(answer.thinking.length === 0 ? {} : { thinking: [...answer.thinking] }),
      calls: answer.calls.map(({ callId, tool, input }) => ({ callId, tool, input })),
      usage: answer.usage,
      finish: answer.finish,
    });
    if (answer.text !== '') this.text = answer.text;
    const played = await playTurn(answer, this.ports);
    this.messages.push(...messagesOfAnswer(played.answer));
    if (this.ports.signal.aborted) throw stopped();
    if (played.declared !== null) {
      this.text = played.declared;
      await this.ports.completed();
      return true;
    }
    if (answer.failure !== null) await this.waitAfter(answer.failure);
    this.countUnusable(played.unusable || answer.finish === 'length');
    return answer.failure === null && answer.calls.length === 0 && answer.finish !== 'length';
  }

  private countUnusable(unusable: boolean): void {
    this.unusable = unusable ? this.unusable + 1 : 0;
    if (this.unusable < MOST_UNUSABLE) return;
    throw new TidemarkError(
      'provider-failed',
      `The model gave ${MOST_UNUSABLE} answers in a row that were not whole or not valid. Nothing of them was carried out.`,
    );
  }

  /** Waits before the next try. @throws the failure when there is none */
  private async waitAfter(failure: TidemarkError): Promise<void> {
    this.failures++;
    const ms = waitBeforeRetry(failure, this.failures, this.answered, this.patience, Math.random);
    if (ms === null) throw failure;
    const { taskId, runId, signal } = this.ports;
    await countDown(ms, failure.message, signal, (waiting) =>
      this.ports.delta({ type: 'delta.waiting', taskId, runId, waiting }),
    );
  }

  private show(fragment: Fragment, turn: number): void {
    const { taskId, runId } = this.ports;
    const head = { taskId, runId, turn };
    if (fragment.type === 'call')
      this.ports.delta({ type: 'delta.call', ...head, callId: fragment.callId, tool: fragment.tool });
    else this.ports.delta({ type: `delta.${fragment.type}`, ...head, text: fragment.text });
  }
}

const stopped = (): TidemarkError => new TidemarkError('cancelled', 'Stopped.');
