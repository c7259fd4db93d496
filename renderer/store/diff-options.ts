// How comparisons are shown in this window, besides their layout (which is a setting).
import { create } from 'zustand';
import { recall, remember } from './remembered';

type DiffOptions = {
  /** changes of white space alone are not shown as changes */
  readonly ignoreSpace: boolean;
};

export const useDiffOptions = create<DiffOptions>()(() => ({
  ignoreSpace: recall('diff.space', (v) => v === true),
}));

export function toggleIgnoreSpace(): void {
  const ignoreSpace = !useDiffOptions.getState().ignoreSpace;
  useDiffOptions.setState({ ignoreSpace });
  remember('diff.space', ignoreSpace);
}
