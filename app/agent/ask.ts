// Asks the model until there is an answer: what failed and may pass is tried again, after a visible pause.
// Owns: the number of tries, the pause, showing fragments. Does not own: what an answer is worth (run.ts).
import { TidemarkError } from '../../shared/errors';
import { ProviderError, type StepRequest } from '../provider/provider';
import { type Answer, type Fragment, isEmpty, receiveAnswer } from './answer';
import type { RunPorts } from './ports';
import { countDown, PATIENCE, type Patience, waitBeforeRetry } from './retry';

export type Question = Omit<StepRequest, 'signal'>;

export interface Asker {
  /** The next answer, whole or broken off; one of which nothing came is asked for again. @throws when that is no use */
  ask(question: Question, show: (fragment: Fragment) => void): Promise<Answer>;
  /** Waits before the next try. @throws the failure when there is none */
  waitAfter(failure: TidemarkError): Promise<void>;
}

export function openAsker(ports: RunPorts, given: Partial<Patience> | undefined): Asker {
  const patience = { ...PATIENCE, ...given };
  /** requests that failed in a row */
  let failures = 0;
  let answered = false;

  async function waitAfter(failure: TidemarkError): Promise<void> {
    failures++;
    const ms = waitBeforeRetry(failure, failures, answered, patience, Math.random);
    if (ms === null) throw failure;
    const { taskId, runId } = ports;
    await countDown(ms, failure.message, ports, (waiting) =>
      ports.delta({ type: 'delta.waiting', taskId, runId, waiting, retry: true }),
    );
  }

  return {
    waitAfter,
    async ask(question, show) {
      for (;;) {
        const request = { ...question, signal: ports.signal };
        const answer = await receiveAnswer(ports.provider, request, patience.silenceMs, show);
        if (answer.failure === null && !saysNothing(answer)) {
          failures = 0;
          answered = true;
          return answer;
        }
        if (answer.failure !== null && !isEmpty(answer)) return answer;
        await waitAfter(answer.failure ?? saidNothing());
      }
    },
  };
}

/** Stopped is no answer, but the user's will; a length limit has words of its own. */
const saysNothing = ({ finish, text, calls }: Answer): boolean =>
  (finish === 'stop' || finish === 'tools') && text.trim() === '' && calls.length === 0;

const saidNothing = (): ProviderError =>
  new ProviderError('provider-failed', 'The model gave an empty answer.', { retryable: true });

export const stopped = (): TidemarkError => new TidemarkError('cancelled', 'Stopped.');
