// Receives one answer of the model: its parts become fragments at once, and an Answer at the end.
// Owns: the silence limit, call ids that are unique within the answer. Does not own: retries, the log.
// Invariant: never throws for what a provider does; `failure` says what went wrong, `finish` how far it came.
import type { Thinking, Usage } from '../../shared/domain';
import { TidemarkError } from '../../shared/errors';
import { type Provider, ProviderError, type StepPart, type StepRequest } from '../provider/provider';

export type AnsweredCall = {
  readonly callId: string;
  readonly tool: string;
  readonly input: unknown;
  /** why the arguments cannot be read, or null */
  readonly error: string | null;
};

export type Answer = {
  readonly text: string;
  readonly reasoning: string;
  readonly thinking: readonly Thinking[];
  readonly calls: readonly AnsweredCall[];
  readonly usage: Usage;
  readonly finish: 'stop' | 'tools' | 'length' | 'cut' | 'stopped';
  /** why it was cut */
  readonly failure: TidemarkError | null;
};

export type Fragment =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | { readonly type: 'call'; readonly callId: string; readonly tool: string };

const NOTHING_USED: Usage = { inputTokens: 0, outputTokens: 0, cost: null };

export const isEmpty = (answer: Answer): boolean =>
  answer.text === '' && answer.reasoning === '' && answer.calls.length === 0;

export async function receiveAnswer(
  provider: Provider,
  request: StepRequest,
  silenceMs: number,
  show: (fragment: Fragment) => void,
): Promise<Answer> {
  const watch = watchSilence(request.signal, silenceMs);
  const draft = new AnswerDraft(show);
  try {
    for await (const part of provider.step({ ...request, signal: watch.signal })) {
      watch.heard(part.type === 'alive' && part.idle);
      if (part.type !== 'alive') draft.add(part);
    }
    if (request.signal.aborted) return draft.done('stopped', null);
    return (
      draft.finish ??
      draft.done('cut', new ProviderError('stream-cut', 'The answer was cut off.', { retryable: true }))
    );
  } catch (error) {
    if (request.signal.aborted) return draft.done('stopped', null);
    if (watch.isSilent()) {
      const seconds = Math.round(silenceMs / 1000);
      const message = `The model has said nothing for ${seconds} s.`;
      return draft.done('cut', new ProviderError('stream-cut', message, { cause: error, retryable: true }));
    }
    const failure = asFailure(error);
    // What was refused is no broken piece to go on from, and nothing of it may run.
    if (failure.code === 'refused') return { ...draft.done('stop', failure), calls: [] };
    return draft.done('cut', failure);
  } finally {
    watch.end();
  }
}

function asFailure(error: unknown): TidemarkError {
  if (error instanceof TidemarkError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ProviderError('provider-failed', `The provider failed: ${message}`, { cause: error });
}

class AnswerDraft {
  finish: Answer | null = null;
  private text = '';
  private reasoning = '';
  private readonly thinking: Thinking[] = [];
  private readonly calls: AnsweredCall[] = [];
  /** calls that began and are not complete, by the provider's id */
  private readonly begun = new Map<string, { callId: string; tool: string }>();
  private readonly taken = new Set<string>();

  constructor(private readonly show: (fragment: Fragment) => void) {}

  add(part: Exclude<StepPart, { type: 'alive' }>): void {
    switch (part.type) {
      case 'text':
      case 'reasoning':
        this[part.type] += part.text;
        this.show(part);
        break;
      case 'thinking':
        this.thinking.push(part.block);
        break;
      case 'call-started':
        this.begin(part.callId, part.tool);
        break;
      case 'call': {
        const begun = this.begun.get(part.callId) ?? this.begin(part.callId, part.tool);
        this.begun.delete(part.callId);
        this.calls.push({ callId: begun.callId, tool: part.tool, input: part.input, error: part.error });
        break;
      }
      case 'finish':
        this.finish = this.done(part.reason, null, part.usage);
        break;
    }
  }

  /** A call that began and never came to its end is part of a cut answer too: it gets its error result. */
  done(finish: Answer['finish'], failure: TidemarkError | null, usage = NOTHING_USED): Answer {
    const { text, reasoning, thinking } = this;
    const broken = [...this.begun.values()].map((b) => ({
      ...b,
      input: null,
      error: 'The call was cut off.',
    }));
    return { text, reasoning, thinking, calls: [...this.calls, ...broken], usage, finish, failure };
  }

  /** Some servers give no id, or the same one twice. */
  private begin(id: string, tool: string): { callId: string; tool: string } {
    let callId = id === '' ? 'call' : id;
    for (let n = 2; this.taken.has(callId); n++) callId = `${id === '' ? 'call' : id}_${n}`;
    this.taken.add(callId);
    const begun = { callId, tool };
    this.begun.set(id, begun);
    this.show({ type: 'call', callId, tool });
    return begun;
  }
}

/** A sign of life counts as long as there was something of the answer within so many times the limit. */
const SIGNS_COUNT = 5;

/** A signal that is aborted with `outer`, or when nothing was heard for `ms`. */
function watchSilence(outer: AbortSignal, ms: number) {
  const controller = new AbortController();
  let silent = false;
  const stop = () => controller.abort();
  const fallSilent = () => {
    silent = true;
    controller.abort();
  };
  outer.addEventListener('abort', stop, { once: true });
  if (outer.aborted) stop();
  let timer = setTimeout(fallSilent, ms);
  let said = Date.now();
  return {
    signal: controller.signal,
    isSilent: () => silent,
    heard(idle: boolean) {
      if (!idle) said = Date.now();
      else if (Date.now() - said > SIGNS_COUNT * ms) return;
      clearTimeout(timer);
      timer = setTimeout(fallSilent, ms);
    },
    end() {
      clearTimeout(timer);
      outer.removeEventListener('abort', stop);
    },
  };
}
