// What stands at the end of the feed while a run goes on: what it waits for, or the checkpoint that could not be saved.
import type { ErrorInfo } from '../../bridge';
import { Button } from '../../components/button';
import { Markdown } from '../../components/markdown';
import { ErrorText } from '../../components/notice';
import { showComparison } from '../../store/changes';
import { answerUnprotected } from '../../store/task';
import type { FeedItem } from './items';
import styles from './tail.module.css';

export function WaitingLine({ words }: { readonly words: string }) {
  return (
    <p role="status" className={styles.waiting}>
      <span className={styles.pulse} aria-hidden />
      {words}
    </p>
  );
}

/** No checkpoint, no write: the run waits until the user has decided. */
export function UnprotectedCard({ error }: { readonly error: ErrorInfo }) {
  return (
    <section role="alert" aria-label="Checkpoint failed" className={styles.unprotected}>
      <h2 className={styles.title}>
        The checkpoint could not be saved, so the agent waits. Nothing was lost.
      </h2>
      <ErrorText error={error} />
      <div className={styles.actions}>
        <Button onClick={() => void answerUnprotected('retry')}>Retry</Button>
        <Button look="quiet" onClick={() => void answerUnprotected('continue')}>
          Continue without checkpoints
        </Button>
        <Button look="quiet" onClick={() => void answerUnprotected('stop')}>
          Stop
        </Button>
      </div>
    </section>
  );
}

export function CompletionCard({ item }: { readonly item: Extract<FeedItem, { kind: 'completion' }> }) {
  const { checkpointId } = item;
  const result = item.row.display.kind === 'completion' ? item.row.display.result : '';
  return (
    <section aria-label="Done" className={styles.done}>
      <p className={styles.doneTitle}>Done.</p>
      <Markdown text={result} />
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
