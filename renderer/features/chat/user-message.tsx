// A sent message. Clicked, it can be changed: what came after it is then cleared, and the new text is sent in its place.
import { Paperclip, Pencil } from 'lucide-react';
import { type KeyboardEvent, memo, useEffect, useRef, useState } from 'react';
import type { PromptRow } from '../../../shared/fold';
import { Button } from '../../components/button';
import { addToHistory } from '../../store/drafts';
import { editMessage } from '../../store/edit-message';
import { useWorkspace } from '../../store/workspace';
import styles from './messages.module.css';

export const UserMessage = memo(function UserMessage({ row }: { readonly row: PromptRow }) {
  const [editing, setEditing] = useState(false);
  const open = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(false);
  useEffect(() => {
    if (wasEditing.current && !editing) open.current?.focus();
    wasEditing.current = editing;
  }, [editing]);
  return (
    <article className={styles.user} aria-label="You">
      {editing ? (
        <Editor row={row} onClose={() => setEditing(false)} />
      ) : (
        <>
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: the button beside it does the same by keyboard */}
          <p
            className={styles.text}
            onClick={() => {
              // marking a part of it to copy is no click
              if (window.getSelection()?.isCollapsed !== false) setEditing(true);
            }}
          >
            {row.prompt.text}
          </p>
          <button
            ref={open}
            type="button"
            className={styles.edit}
            aria-label="Edit message"
            title="Edit message"
            onClick={() => setEditing(true)}
          >
            <Pencil size={13} />
          </button>
        </>
      )}
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

function Editor({ row, onClose }: { readonly row: PromptRow; readonly onClose: () => void }) {
  const sent = row.prompt.text;
  const [text, setText] = useState(sent);
  const field = useRef<HTMLTextAreaElement>(null);
  const files = useWorkspace((s) => s.info?.checkpoints.state === 'ready');
  useEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(sent.length, sent.length);
  }, [sent]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text decides the height
  useEffect(() => {
    const el = field.current;
    if (el === null) return;
    el.style.height = 'auto';
    el.style.height = `${el.scrollHeight + 2}px`;
  }, [text]);
  const differs = text.trim() !== '' && text.trim() !== sent.trim();
  const restore = (withFiles: boolean) => {
    if (!differs) return;
    onClose();
    void editMessage(row, text.trim(), withFiles);
  };
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.nativeEvent.isComposing) return;
    if (e.key === 'Enter' && !e.shiftKey && e.target === field.current) {
      e.preventDefault();
      restore(false);
    } else if (e.key === 'Escape') {
      e.preventDefault();
      if (differs) addToHistory(text);
      onClose();
    }
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the field and the buttons in it
    <div onKeyDown={onKeyDown}>
      <textarea
        ref={field}
        value={text}
        rows={1}
        className={styles.field}
        aria-label="Edit message"
        onChange={(e) => setText(e.target.value)}
      />
      <div className={styles.foot}>
        {differs ? (
          <>
            <Button
              size="sm"
              look="primary"
              title="Clears what came after and sends this"
              onClick={() => restore(false)}
            >
              Restore Chat
            </Button>
            {files ? (
              <Button size="sm" title="Reverts the files too" onClick={() => restore(true)}>
                Restore All
              </Button>
            ) : null}
          </>
        ) : null}
        <span className={styles.hint}>Esc leaves it as it is</span>
      </div>
    </div>
  );
}
