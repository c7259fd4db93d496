// Messages that wait for the end of the run, above the field: each can be changed, taken out or sent now.
import { ArrowUp, Pencil, X } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { QueuedPrompt } from '../../../shared/fold';
import { Button, IconButton } from '../../components/button';
import { addToHistory } from '../../store/drafts';
import { changeQueued, removeQueued, sendQueued, useTask } from '../../store/task';
import { focusComposer } from '../../store/ui';
import styles from './queue.module.css';

export function Queue() {
  const queue = useTask((s) => s.view.queue);
  const running = useTask((s) => s.view.running !== null);
  if (queue.length === 0) return null;
  return (
    <section aria-label="Waiting messages" className={styles.queue}>
      <p className={styles.lead}>
        {running ? 'Sent when this run is done' : 'Not sent: the run before was stopped or failed'}
      </p>
      <ol>
        {queue.map((q) => (
          <Waiting key={q.queueId} message={q} />
        ))}
      </ol>
    </section>
  );
}

function Waiting({ message }: { readonly message: QueuedPrompt }) {
  const [editing, setEditing] = useState(false);
  const { queueId, prompt } = message;
  const leave = (work: Promise<void>) => {
    focusComposer();
    void work;
  };
  if (editing)
    return (
      <li className={styles.item}>
        <Editor
          text={prompt.text}
          onEnd={(text) => {
            setEditing(false);
            focusComposer();
            if (text !== null && text !== prompt.text) void changeQueued(queueId, text);
          }}
        />
      </li>
    );
  return (
    <li className={styles.item}>
      <span className={styles.text} title={prompt.text}>
        {prompt.text}
      </span>
      <Button size="sm" look="quiet" onClick={() => leave(sendQueued(queueId))}>
        <ArrowUp size={12} aria-hidden /> Send now
      </Button>
      <IconButton label="Change this message" onClick={() => setEditing(true)}>
        <Pencil size={12} />
      </IconButton>
      <IconButton
        label="Remove this message"
        onClick={() => {
          addToHistory(prompt.text);
          leave(removeQueued(queueId));
        }}
      >
        <X size={13} />
      </IconButton>
    </li>
  );
}

type EditorProps = { readonly text: string; readonly onEnd: (text: string | null) => void };

/** Enter keeps the change, Escape does not. */
function Editor({ text, onEnd }: EditorProps) {
  const [now, setNow] = useState(text);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const keep = () => onEnd(now.trim() === '' ? null : now.trim());
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.nativeEvent.isComposing) return;
    if (e.key === 'Escape') onEnd(null);
    else if (e.key === 'Enter' && !e.shiftKey) {
      e.preventDefault();
      keep();
    }
  };
  return (
    <>
      <textarea
        ref={field}
        value={now}
        rows={Math.min(6, now.split('\n').length)}
        className={styles.editor}
        aria-label="Waiting message"
        onChange={(e) => setNow(e.target.value)}
        onKeyDown={onKeyDown}
      />
      <Button size="sm" onClick={keep}>
        Keep
      </Button>
    </>
  );
}
