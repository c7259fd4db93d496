// What stands at the end of the feed while a run goes on: what it waits for, or the checkpoint that could not be saved.
import { RotateCw } from 'lucide-react';
import type { Limit } from '../../../shared/domain';
import type { Waiting } from '../../../shared/fold';
import type { ErrorInfo } from '../../bridge';
import { Button } from '../../components/button';
import { Limited } from '../../components/limited';
import { Markdown } from '../../components/markdown';
import { ErrorText } from '../../components/notice';
import { showComparison } from '../../store/changes';
import { answerAgain, answerLimit, answerUnprotected, retryNow, selectTask } from '../../store/task';
import { focusComposer, openSettings } from '../../store/ui';
import type { FeedItem } from './items';
import styles from './tail.module.css';

export function WaitingLine({ waiting }: { readonly waiting: Waiting }) {
  return (
    <div className={styles.pause}>
      <WaitingWords waiting={waiting} />
      {waiting.retry ? (
        <Button size="sm" onClick={() => void retryNow()}>
          Try Now
        </Button>
      ) : null}
    </div>
  );
}

function WaitingWords({ waiting: { words, taskId } }: { readonly waiting: Waiting }) {
  return (
    <p role="status" className={styles.waiting}>
      <span className={styles.pulse} aria-hidden />
      {taskId === null ? (
        words
      ) : (
        <button
          type="button"
          className={styles.other}
          title="Show that task"
          onClick={() => selectTask(taskId)}
        >
          {words}
        </button>
      )}
    </p>
  );
}

const decide = (choice: Parameters<typeof answerUnprotected>[0]): void => {
  focusComposer();
  void answerUnprotected(choice);
};

/** No checkpoint, no write: the run waits until the user has decided. */
export function UnprotectedCard({ error }: { readonly error: ErrorInfo }) {
  return (
    <section role="alert" aria-label="Checkpoint failed" className={styles.unprotected}>
      <h2 className={styles.title}>
        The checkpoint could not be saved, so the agent waits. Nothing was lost.
      </h2>
      <ErrorText error={error} />
      <div className={styles.actions}>
        <Button onClick={() => decide('retry')}>Retry</Button>
        <Button look="quiet" onClick={() => decide('continue')}>
          Continue without checkpoints
        </Button>
        <Button look="quiet" onClick={() => decide('stop')}>
          Stop
        </Button>
      </div>
    </section>
  );
}

const LIMIT_WORDS: Readonly<Record<Limit['kind'], (limit: Limit) => string>> = {
  turns: ({ spent }) => `This run has taken ${spent} turns.`,
  cost: ({ spent, most }) => `This run has cost ${spent.toFixed(2)}; its limit is ${most.toFixed(2)}.`,
};

/** A run that has used up what it may waits for a word. */
export function LimitCard({ limit }: { readonly limit: Limit }) {
  const answer = (goOn: boolean) => {
    focusComposer();
    void answerLimit(goOn);
  };
  return (
    <section role="alert" aria-label="Limit reached" className={styles.limit}>
      <h2 className={styles.title}>Continue?</h2>
      <p>{LIMIT_WORDS[limit.kind](limit)} What it has done is kept either way.</p>
      <div className={styles.actions}>
        <Button look="primary" onClick={() => answer(true)}>
          Continue
        </Button>
        <Button onClick={() => answer(false)}>Stop here</Button>
        <Button look="quiet" onClick={() => openSettings('approval')}>
          Limits…
        </Button>
      </div>
    </section>
  );
}

/** Under the last answer, once nothing runs: another try, with the files as they are or as they were. */
export function Again({ changed }: { readonly changed: boolean }) {
  const again = (files: boolean) => {
    focusComposer();
    void answerAgain(files);
  };
  return (
    <div className={styles.again}>
      <Button size="sm" look="quiet" onClick={() => again(false)}>
        <RotateCw size={12} aria-hidden /> Answer again
      </Button>
      {changed ? (
        <Button size="sm" look="quiet" onClick={() => again(true)}>
          Take back its files and answer again
        </Button>
      ) : null}
    </div>
  );
}

export function CompletionCard({ item }: { readonly item: Extract<FeedItem, { kind: 'completion' }> }) {
  const { checkpointId } = item;
  const result = item.row.display.kind === 'completion' ? item.row.display.result : '';
  return (
    <section aria-label="Done" className={styles.done}>
      <p className={styles.doneTitle}>Done.</p>
      <Limited>
        <Markdown text={result} />
      </Limited>
      {checkpointId === null ? null : (
        <div className={styles.actions}>
          <Button onClick={() => showComparison({ kind: 'completion', at: checkpointId })}>
            View Changes
          </Button>
        </div>
      )}
    </section>
  );
}
