// Where a prompt is written. What is typed stays with its task; what was sent can be had back with the arrow keys.
import { CornerDownLeft, Square } from 'lucide-react';
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Mode } from '../../../shared/domain';
import type { ErrorInfo } from '../../bridge';
import { Button } from '../../components/button';
import { ErrorText, Notice } from '../../components/notice';
import { Segmented } from '../../components/segmented';
import { addToHistory, draftKey, setDraft, useDrafts } from '../../store/drafts';
import { recall, remember } from '../../store/remembered';
import { useSettings } from '../../store/settings';
import { queuePrompt, sendPrompt, stopRun, useTask } from '../../store/task';
import { openSettings, useUi } from '../../store/ui';
import { AutoApprove } from './auto-approve';
import styles from './composer.module.css';
import { usePromptHistory } from './prompt-history';
import { Queue } from './queue';

const MODES = [
  { value: 'ask', label: 'Ask', hint: 'Reads and answers; changes nothing' },
  { value: 'apply', label: 'Apply', hint: 'May change files and run commands' },
] as const satisfies readonly { value: Mode; label: string; hint: string }[];
type OfferedMode = (typeof MODES)[number]['value'];

const MOST_HEIGHT = 260;

export function Composer() {
  const taskId = useTask((s) => s.taskId);
  const running = useTask((s) => s.view.running !== null);
  const key = draftKey(taskId);
  const text = useDrafts((s) => s.drafts[key] ?? '');
  const [mode, setMode] = useState<OfferedMode>(() => recall('mode', (v) => (v === 'ask' ? 'ask' : 'apply')));
  const [sending, setSending] = useState(false);
  const [error, setError] = useState<ErrorInfo | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const focusRequest = useUi((s) => s.focusComposer);
  const history = usePromptHistory(key);
  useGrowing(field, text);
  useEffect(() => {
    if (focusRequest > 0) field.current?.focus();
  }, [focusRequest]);

  const send = async () => {
    const prompt = text.trim();
    if (prompt === '' || sending) return;
    setSending(true);
    setError(null);
    const message = { text: prompt, attachments: [] };
    const failed = await (running ? queuePrompt(message, mode) : sendPrompt(message, mode));
    setSending(false);
    setError(failed);
    if (failed !== null) return;
    addToHistory(prompt);
    // The task that was just made takes the draft's place; what was typed meanwhile is kept.
    if ((useDrafts.getState().drafts[key] ?? '').trim() === prompt) setDraft(key, '');
    history.reset();
  };
  const onKeyDown = (e: KeyboardEvent<HTMLTextAreaElement>) => {
    if (e.nativeEvent.isComposing) return;
    if (e.key === 'Enter' && !e.shiftKey) {
      e.preventDefault();
      void send();
      return;
    }
    history.onKeyDown(e);
  };
  return (
    <div className={styles.place}>
      {error === null ? null : (
        <div className={styles.error}>
          <Notice
            tone="error"
            actions={
              <Button look="quiet" size="sm" onClick={() => setError(null)}>
                Dismiss
              </Button>
            }
          >
            <ErrorText error={error} />
          </Notice>
        </div>
      )}
      <Queue />
      <form
        className={styles.composer}
        onSubmit={(e) => {
          e.preventDefault();
          void send();
        }}
      >
        <textarea
          ref={field}
          value={text}
          rows={1}
          className={styles.field}
          aria-label="Message"
          placeholder={
            running ? 'Write the next message; it is sent when this run is done' : 'Ask for a change'
          }
          onChange={(e) => {
            history.reset();
            setDraft(key, e.target.value);
          }}
          onKeyDown={onKeyDown}
        />
        <footer className={styles.foot}>
          <Segmented
            label="Mode"
            value={mode}
            options={MODES}
            onChange={(next) => {
              setMode(next);
              remember('mode', next);
            }}
          />
          <ModelChip />
          <AutoApprove />
          <span className={styles.grow} />
          {running ? (
            <>
              {text.trim() === '' ? null : (
                <Button type="submit" disabled={sending}>
                  Queue <CornerDownLeft size={13} aria-hidden />
                </Button>
              )}
              <Button onClick={() => void stopRun()}>
                <Square size={10} fill="currentColor" aria-hidden /> Stop
              </Button>
            </>
          ) : (
            <Button type="submit" look="primary" disabled={text.trim() === '' || sending}>
              Send <CornerDownLeft size={13} aria-hidden />
            </Button>
          )}
        </footer>
      </form>
    </div>
  );
}

function ModelChip() {
  const model = useSettings((s) => s.model);
  if (model === null) return null;
  const name = model.id === 'practice' || model.model === '' ? model.name : model.model;
  const fixed = model.fixedBy === null ? '' : `, set by ${model.fixedBy}`;
  return (
    <button
      type="button"
      className={styles.chip}
      title={`${model.name}: ${model.model}${fixed}`}
      aria-label={`Model: ${name}`}
      onClick={() => openSettings('models')}
    >
      <span className={styles.chipText}>{name}</span>
    </button>
  );
}

/** As high as its text, up to a limit. (`field-sizing` is not in the oldest Chromium that we run on.) */
function useGrowing(field: { readonly current: HTMLTextAreaElement | null }, text: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text decides the height
  useLayoutEffect(() => {
    const el = field.current;
    if (el === null) return;
    el.style.height = 'auto';
    el.style.height = `${Math.min(el.scrollHeight, MOST_HEIGHT)}px`;
  }, [field, text]);
}
