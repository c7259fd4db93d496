// Going back through earlier prompts with ArrowUp and ArrowDown, from the first and the last line of the field.
import { type KeyboardEvent, useRef } from 'react';
import { setDraft, useDrafts } from '../../store/drafts';

type History = {
  readonly onKeyDown: (e: KeyboardEvent<HTMLTextAreaElement>) => void;
  /** forgets the place: something was typed or sent */
  readonly reset: () => void;
};

export function usePromptHistory(key: string): History {
  const place = useRef<{ readonly index: number; readonly own: string } | null>(null);
  const show = (index: number, own: string) => {
    const { history } = useDrafts.getState();
    place.current = index >= history.length ? null : { index, own };
    setDraft(key, history[index] ?? own);
  };
  const onKeyDown = (e: KeyboardEvent<HTMLTextAreaElement>) => {
    const { value, selectionStart, selectionEnd } = e.currentTarget;
    if (selectionStart !== selectionEnd || e.shiftKey || e.altKey || e.ctrlKey || e.metaKey) return;
    const { history } = useDrafts.getState();
    const own = place.current?.own ?? value;
    const index = place.current?.index ?? history.length;
    const up = e.key === 'ArrowUp' && !value.slice(0, selectionStart).includes('\n') && index > 0;
    const down = e.key === 'ArrowDown' && place.current !== null && !value.slice(selectionEnd).includes('\n');
    if (!up && !down) return;
    e.preventDefault();
    show(up ? index - 1 : index + 1, own);
  };
  return {
    onKeyDown,
    reset: () => {
      place.current = null;
    },
  };
}
