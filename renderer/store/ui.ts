// What is open in this window right now. Nothing here is a fact about tasks or files.
import { create } from 'zustand';
import type { CheckpointId } from '../../shared/ids';
import type { PathText } from '../../shared/rel-path';

export type SettingsSection = 'models' | 'features' | 'approval' | 'appearance' | 'about';
export type LeftTab = 'files' | 'tasks';
/** The right pane: changes (store/changes says which), one file to read, or closed. */
export type RightPane =
  | { readonly kind: 'changes' }
  | { readonly kind: 'file'; readonly file: PathText }
  | null;

/** What the palette asks for: an action, a name, or a checkpoint (compare-to: the other end of a comparison). */
export type PalettePage =
  | { readonly page: 'actions' | 'name' | 'restore' | 'compare' }
  | { readonly page: 'compare-to'; readonly from: CheckpointId };

type UiState = {
  readonly leftTab: LeftTab;
  readonly right: RightPane;
  readonly settings: SettingsSection | null;
  /** the user goes on without a folder */
  readonly withoutFolder: boolean;
  /** redo points and earlier lines of the task are listed */
  readonly lines: boolean;
  /** the page of the palette that is open */
  readonly palette: PalettePage | null;
  /** counts up when the composer should take the focus */
  readonly focusComposer: number;
};

export const useUi = create<UiState>()(() => ({
  leftTab: 'files',
  right: null,
  settings: null,
  withoutFolder: false,
  lines: false,
  palette: null,
  focusComposer: 0,
}));

export const openSettings = (section: SettingsSection = 'models'): void =>
  useUi.setState({ settings: section });
export const closeSettings = (): void => useUi.setState({ settings: null });
export const openFile = (file: PathText): void => useUi.setState({ right: { kind: 'file', file } });
export const closeRight = (): void => useUi.setState({ right: null });
export const focusComposer = (): void => useUi.setState((s) => ({ focusComposer: s.focusComposer + 1 }));
export const openLines = (): void => useUi.setState({ lines: true });
export const closeLines = (): void => useUi.setState({ lines: false });
export const openPalette = (page: PalettePage = { page: 'actions' }): void =>
  useUi.setState({ palette: page });
export const closePalette = (): void => useUi.setState({ palette: null });
