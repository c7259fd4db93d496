// What runs wait for from a person in a window: approvals, answers, a word on a limit or on a failed checkpoint.
// Owns: joining each answer with its question. Does not own: the cards; they are drawn from the log.
// Invariant: a question ends with its answer or with its run, and is answered at most once.
import type { ApprovalDecision, ApprovalRequest, Limit, Question } from '../../shared/domain';
import { type ErrorInfo, TidemarkError } from '../../shared/errors';
import type { TaskId } from '../../shared/ids';

type Run = { readonly taskId: TaskId; readonly signal: AbortSignal };
type Choice = 'retry' | 'continue' | 'stop';

export type Questions = {
  approve(request: ApprovalRequest, run: Run): Promise<ApprovalDecision>;
  ask(question: Question, run: Run): Promise<string>;
  goOn(limit: Limit, run: Run): Promise<boolean>;
  failed(error: ErrorInfo, run: Run): Promise<Choice>;
  /** These four throw TidemarkError usage when nothing waits for them. */
  answerApproval(taskId: TaskId, callId: string, decision: ApprovalDecision): void;
  answer(taskId: TaskId, callId: string, answer: string): void;
  answerLimit(taskId: TaskId, goOn: boolean): void;
  answerFailed(taskId: TaskId, choice: Choice): void;
  /** the failed checkpoint that a task's run waits with */
  waiting(taskId: TaskId): ErrorInfo | null;
};

/** @param announce tells the windows that a failed checkpoint asks (or no longer) */
export function openQuestions(announce: (taskId: TaskId, error: ErrorInfo | null) => void): Questions {
  const approvals = openPending<ApprovalDecision>();
  const answers = openPending<string>();
  const limits = openPending<boolean>();
  const choices = openPending<Choice>();
  const failures = new Map<TaskId, ErrorInfo>();
  const key = (taskId: TaskId, callId: string): string => `${taskId} ${callId}`;

  return {
    approve: (request, run) => approvals.wait(key(run.taskId, request.callId), run.signal),
    ask: (question, run) => answers.wait(key(run.taskId, question.callId), run.signal),
    goOn: (_limit, run) => limits.wait(run.taskId, run.signal),
    async failed(error, { taskId, signal }) {
      failures.set(taskId, error);
      announce(taskId, error);
      try {
        return await choices.wait(taskId, signal);
      } finally {
        failures.delete(taskId);
        announce(taskId, null);
      }
    },
    answerApproval: (taskId, callId, decision) => approvals.answer(key(taskId, callId), decision),
    answer: (taskId, callId, answer) => answers.answer(key(taskId, callId), answer),
    answerLimit: (taskId, goOn) => limits.answer(taskId, goOn),
    answerFailed: (taskId, choice) => choices.answer(taskId, choice),
    waiting: (taskId) => failures.get(taskId) ?? null,
  };
}

function openPending<T>(): {
  /** @throws TidemarkError cancelled when the signal ends it */
  wait(key: string, signal: AbortSignal): Promise<T>;
  answer(key: string, value: T): void;
} {
  const waiting = new Map<string, (value: T) => void>();
  return {
    wait: (key, signal) =>
      new Promise((resolve, reject) => {
        const end = (): void => {
          waiting.delete(key);
          reject(new TidemarkError('cancelled', 'Stopped.'));
        };
        if (signal.aborted) return end();
        signal.addEventListener('abort', end, { once: true });
        waiting.set(key, (value) => {
          signal.removeEventListener('abort', end);
          waiting.delete(key);
          resolve(value);
        });
      }),
    answer(key, value) {
      const take = waiting.get(key);
      if (take === undefined) throw new TidemarkError('usage', 'This question has been answered already.');
      take(value);
    },
  };
}
