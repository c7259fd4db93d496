// The agent asks: answers to choose from, and a field for any other.
import { type KeyboardEvent, useId, useState } from 'react';
import type { Question } from '../../../shared/domain';
import { Button } from '../../components/button';
import { answerQuestion } from '../../store/task';
import { focusComposer } from '../../store/ui';
import styles from './approval-card.module.css';
import own from './question-card.module.css';

export function QuestionCard({ question }: { readonly question: Question }) {
  const [text, setText] = useState('');
  const [sent, setSent] = useState(false);
  const titleId = useId();
  const { choices, callId } = question;
  const answer = (given: string) => {
    if (given.trim() === '' || sent) return;
    setSent(true);
    // The buttons go with the card, and the focus must not go with them.
    focusComposer();
    void answerQuestion(callId, given.trim()).finally(() => setSent(false));
  };
  const onKeyDown = (e: KeyboardEvent) => {
    const choice = choices[Number(e.key) - 1];
    const typing = e.target instanceof HTMLInputElement;
    if (choice === undefined || typing || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    answer(choice);
  };
  return (
    <section className={styles.card} aria-labelledby={titleId} onKeyDown={onKeyDown}>
      <header className={styles.head}>
        <h2 id={titleId} className={styles.title}>
          {question.question}
        </h2>
      </header>
      {choices.length === 0 ? null : (
        <ul className={own.choices}>
          {choices.map((choice, i) => (
            <li key={choice}>
              <button
                type="button"
                className={own.choice}
                disabled={sent}
                aria-keyshortcuts={String(i + 1)}
                onClick={() => answer(choice)}
              >
                <kbd className={own.key} aria-hidden>
                  {i + 1}
                </kbd>
                {choice}
              </button>
            </li>
          ))}
        </ul>
      )}
      <form
        className={styles.foot}
        onSubmit={(e) => {
          e.preventDefault();
          answer(text);
        }}
      >
        <input
          value={text}
          onChange={(e) => setText(e.target.value)}
          className={styles.reason}
          aria-label="Answer"
          placeholder={choices.length === 0 ? 'Your answer' : 'Or another answer'}
        />
        <Button type="submit" look="primary" disabled={sent || text.trim() === ''}>
          Answer
        </Button>
      </form>
    </section>
  );
}
