// Where the focus goes when a dialog closes: back to what had it last in the window itself. Menus and dialogs lie
// outside the root element, so what opened them is still known when they have passed the focus on to one another.
import { focusComposer } from '../store/ui';

let last: HTMLElement | null = null;

/** Begins to keep track. @returns a function that ends it */
export function trackFocus(root: HTMLElement): () => void {
  const take = (e: FocusEvent) => {
    if (e.target instanceof HTMLElement) last = e.target;
  };
  root.addEventListener('focusin', take);
  return () => root.removeEventListener('focusin', take);
}

/** For the closing of a dialog. What is no longer there cannot have the focus back; then the composer has it. */
export function returnFocus(event: Event): void {
  event.preventDefault();
  if (last?.isConnected === true) last.focus();
  else focusComposer();
}
