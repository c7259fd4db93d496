// What is typed and not sent, a draft a task, and the prompts to go back to with the arrow keys.
import { create } from 'zustand';
import { recall, remember } from './remembered';

type DraftState = {
  readonly drafts: Readonly<Record<string, string>>;
  /** newest last */
  readonly history: readonly string[];
};

const MOST = 100;
const isText = (v: unknown): v is string => typeof v === 'string';
const texts = (v: unknown): Record<string, string> =>
  typeof v === 'object' && v !== null
    ? Object.fromEntries(Object.entries(v).filter((e): e is [string, string] => isText(e[1])))
    : {};

export const useDrafts = create<DraftState>()(() => ({
  drafts: recall('drafts', texts),
  history: recall('prompts', (v) => (Array.isArray(v) ? v.filter(isText) : [])),
}));

/** The key of a task's draft; a task that is not made yet has one too. */
export const draftKey = (taskId: string | null): string => taskId ?? 'new';

export function setDraft(key: string, text: string): void {
  useDrafts.setState((s) => {
    const { [key]: _old, ...others } = s.drafts;
    return { drafts: text === '' ? others : { ...others, [key]: text } };
  });
  remember('drafts', useDrafts.getState().drafts);
}

export function addToHistory(text: string): void {
  if (text.trim() === '') return;
  useDrafts.setState((s) => ({ history: [...s.history.filter((h) => h !== text), text].slice(-MOST) }));
  remember('prompts', useDrafts.getState().history);
}

/** Puts a prompt that a restore cleared into the composer; a draft that was there goes to the history. */
export function fillDraft(key: string, text: string): void {
  const old = useDrafts.getState().drafts[key] ?? '';
  if (old !== text) addToHistory(old);
  setDraft(key, text);
}
