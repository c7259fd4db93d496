// A run: from one prompt until the agent stops. Asks the model, runs its calls, asks again.
// Owns: the loop, its limits and its outcome. Does not own: run.started and run.ended (the task service), the log,
// checkpoints and people: they come as RunPorts.
import type { ContextSize, Limit, Mode } from '../../shared/domain';
import { type ErrorInfo, isAbort, TidemarkError, toErrorInfo } from '../../shared/errors';
import { contextFill, type TaskView } from '../../shared/fold';
import type { ModelMessage } from '../provider/provider';
import { type Answer, type Fragment, isEmpty } from './answer';
import { type Asker, openAsker, stopped } from './ask';
import { compact, compactCommand, isNearlyFull, tokensIn } from './compaction';
import { messagesAfter, messagesOf, messagesOfAnswer } from './context';
import { openLimits } from './limits';
import type { RunPorts } from './ports';
import { systemPrompt } from './prompt';
import type { Patience } from './retry';
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
  private messages: ModelMessage[];
  private readonly system: string;
  private readonly asker: Asker;
  private readonly prompt: string;
  private readonly size: Promise<ContextSize>;
  private unusable = 0;
  /** about how much the next request will carry */
  private used: number;
  /** something was said since the conversation was compacted */
  private grown = false;

  constructor(
    private readonly input: RunInput,
    private readonly ports: RunPorts,
  ) {
    this.messages = [...messagesOf(input.view, ports.provider)];
    this.asker = openAsker(ports, input.patience);
    this.prompt = input.view.runs.at(-1)?.prompt.text ?? '';
    this.size = ports.provider.contextSize();
    this.system = systemPrompt({
      mode: input.mode,
      roots: ports.toolContext.workspace.roots,
      platform: process.platform,
      instructions: input.instructions ?? [],
    });
    const known = contextFill(input.view).tokens;
    this.used = known === 0 ? this.estimate() : known + tokensIn(this.prompt);
    this.grown = this.messages.some((m) => m.role === 'assistant');
  }

  async play(): Promise<void> {
    const focus = compactCommand(this.prompt);
    if (focus !== null) return this.compactOnly(focus);
    const limits = openLimits(this.input.limits);
    for (let turn = 1; ; turn++) {
      const reached = limits.reached();
      if (reached !== null && !(await this.mayGoOn(reached))) throw stopped();
      if (this.grown && isNearlyFull(this.used, await this.size)) await this.compact('full', '');
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

  private async compactOnly(focus: string): Promise<void> {
    const before = this.used;
    if (!this.grown) {
      this.text = 'There is nothing to compact yet.';
      return;
    }
    await this.compact('asked', focus);
    this.text = `The conversation was compacted, from about ${before} tokens to ${this.used}.`;
  }

  private async compact(why: 'full' | 'asked', focus: string): Promise<void> {
    const { messages, used } = this;
    const size = await this.size;
    const o = { messages, size, why, focus, tokensBefore: used, tokensBeside: tokensIn(this.system) };
    const summary = await compact(o, this.asker, this.ports);
    this.messages = [...messagesAfter(summary, this.prompt)];
    this.used = this.estimate();
    this.grown = false;
  }

  private ask(turn: number): Promise<Answer> {
    const question = { system: this.system, messages: this.messages, tools: this.ports.tools };
    return this.asker.ask(question, (fragment) => this.show(fragment, turn));
  }

  private async answerIsLast(answer: Answer, turn: number): Promise<boolean> {
    if (isEmpty(answer) && answer.finish === 'stopped') throw stopped();
    const { ports } = this;
    await ports.emit({
      type: 'message.completed',
      runId: ports.runId,
      turn,
      text: answer.text,
      reasoning: answer.reasoning,
      ...(answer.thinking.length === 0 ? {} : { thinking: [...answer.thinking] }),
      calls: answer.calls.map(({ callId, tool, input }) => ({ callId, tool, input })),
      usage: answer.usage,
      // Stop waits for no server.
      ...(ports.signal.aborted ? {} : { context: await this.size }),
      finish: answer.finish,
    });
    if (answer.text !== '') this.text = answer.text;
    const played = await playTurn(answer, ports);
    this.take(answer, messagesOfAnswer(played.answer));
    if (ports.signal.aborted) throw stopped();
    if (played.declared !== null) {
      this.text = played.declared;
      await ports.completed();
      return true;
    }
    if (answer.failure !== null) await this.asker.waitAfter(answer.failure);
    this.countUnusable(played.unusable || answer.finish === 'length');
    return answer.failure === null && answer.calls.length === 0 && answer.finish !== 'length';
  }

  private take({ usage }: Answer, [said, ...more]: readonly ModelMessage[]): void {
    if (said === undefined) return;
    this.messages.push(said, ...more);
    this.grown = true;
    const told = usage.inputTokens + usage.outputTokens;
    this.used = told === 0 ? this.estimate() : told + tokensIn(JSON.stringify(more));
  }

  /** For servers that do not tell what a request took. */
  private estimate(): number {
    return tokensIn(this.system + JSON.stringify(this.messages));
  }

  private countUnusable(unusable: boolean): void {
    this.unusable = unusable ? this.unusable + 1 : 0;
    if (this.unusable < MOST_UNUSABLE) return;
    throw new TidemarkError(
      'provider-failed',
      `The model gave ${MOST_UNUSABLE} answers in a row that were not whole or not valid. Nothing of them was carried out.`,
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
