// What the model says, and what stands between: the answer, a summary of the conversation, edits made by hand.
import { SquarePen } from 'lucide-react';
import { memo, useDeferredValue } from 'react';
import type { AnswerRow, CheckpointRow, CompactionRow } from '../../../shared/fold';
import { Button } from '../../components/button';
import { Counts } from '../../components/counts';
import { Markdown } from '../../components/markdown';
import { amountOf, timeOf } from '../../components/time';
import { showComparison } from '../../store/changes';
import { countOf } from '../../store/restore-words';
import styles from './messages.module.css';

export const Answer = memo(function Answer({ row }: { readonly row: AnswerRow }) {
  // While it streams, typing and scrolling go before the newest words.
  const text = useDeferredValue(row.text);
  return (
    <article aria-label="Agent" aria-busy={!row.final} className={styles.answer}>
      {row.reasoning.trim() === '' ? null : (
        <details className={styles.reasoning}>
          <summary>{row.final || row.text !== '' ? 'Thought about it' : 'Thinking…'}</summary>
          <p className={styles.text}>{row.reasoning}</p>
        </details>
      )}
      {text === '' ? null : <Markdown text={text} />}
      {row.finish === 'cut' ? (
        <p className={styles.cut}>This answer was cut off; nothing of it ran.</p>
      ) : null}
      {row.finish === 'length' ? (
        <p className={styles.cut}>This answer reached the model's length limit; nothing of it ran.</p>
      ) : null}
    </article>
  );
});

export const HandEdits = memo(function HandEdits({ row }: { readonly row: CheckpointRow }) {
  return (
    <div className={styles.hand}>
      <SquarePen size={13} aria-hidden />
      <span>
        You changed {countOf(row.files, 'file')} · {timeOf(row.at)}
      </span>
      <Counts added={row.added} removed={row.removed} />
      <Button
        look="quiet"
        size="sm"
        className={styles.show}
        aria-label={`Show the ${countOf(row.files, 'file')} you changed`}
        onClick={() => showComparison({ kind: 'turn', at: row.checkpointId })}
      >
        Show
      </Button>
    </div>
  );
});

/** What the model knows from here on instead of the messages above. */
export const Compacted = memo(function Compacted({ row }: { readonly row: CompactionRow }) {
  return (
    <details className={styles.reasoning}>
      <summary>
        Compacted: about {amountOf(row.tokensBefore)} → {amountOf(row.tokensAfter)} tokens
      </summary>
      <p>
        From here on the model knows this summary instead of the messages above. A rewind to the Compaction
        checkpoint brings them back for it.
      </p>
      <Markdown text={row.summary} />
    </details>
  );
});
