// What people and the model say: the user's message, the answer, the end of a run, edits made by hand.
import { Paperclip, SquarePen } from 'lucide-react';
import { memo, useDeferredValue } from 'react';
import type { AnswerRow, CheckpointRow, EndRow, PromptRow } from '../../../shared/fold';
import { Button } from '../../components/button';
import { Counts } from '../../components/counts';
import { Markdown } from '../../components/markdown';
import { ErrorText, Notice } from '../../components/notice';
import { timeOf } from '../../components/time';
import { showComparison } from '../../store/changes';
import { countOf } from '../../store/restore-words';
import { openSettings } from '../../store/ui';
import styles from './messages.module.css';

export const UserMessage = memo(function UserMessage({ row }: { readonly row: PromptRow }) {
  return (
    <article className={styles.user} aria-label="You">
      <p className={styles.text}>{row.prompt.text}</p>
      {row.prompt.attachments.length === 0 ? null : (
        <ul className={styles.attachments}>
          {row.prompt.attachments.map((a) => (
            <li key={`${a.name} ${a.stored ?? ''}`}>
              <Paperclip size={12} aria-hidden /> {a.name}
            </li>
          ))}
        </ul>
      )}
    </article>
  );
});

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

const OPENS_SETTINGS: readonly string[] = [
  'key-missing',
  'key-wrong',
  'provider-missing',
  'provider-unknown',
  'provider-unreachable',
];

export const RunEnd = memo(function RunEnd({ row }: { readonly row: EndRow }) {
  const { error } = row;
  if (row.outcome === 'stopped') return <p className={styles.ended}>Stopped · {timeOf(row.at)}</p>;
  if (row.outcome === 'interrupted')
    return (
      <Notice tone="plain">
        <p>The app ended during this run, so it was interrupted. What it had done by then is kept.</p>
        {error === null ? null : <ErrorText error={error} />}
      </Notice>
    );
  return (
    <Notice
      tone="error"
      actions={
        error !== null && OPENS_SETTINGS.includes(error.code) ? (
          <Button onClick={() => openSettings('models')}>Open Settings</Button>
        ) : undefined
      }
    >
      {error === null ? <p>The run failed.</p> : <ErrorText error={error} />}
    </Notice>
  );
});
