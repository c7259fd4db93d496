// The state of the checkpoints in words for the header (SPEC 7). Pure.
import type { CheckpointsState } from '../../../shared/domain';

export type Tone = 'good' | 'busy' | 'off' | 'bad';

export function chipWords(state: CheckpointsState): { readonly tone: Tone; readonly words: string } {
  switch (state.state) {
    case 'ready':
      return {
        tone: 'good',
        words: state.lastMs === null ? 'Checkpoints on' : `Checkpoints on · ${Math.round(state.lastMs)} ms`,
      };
    case 'starting':
      return { tone: 'busy', words: 'Checkpoints starting…' };
    case 'off':
      return { tone: 'off', words: 'Checkpoints off' };
    case 'failed':
      return { tone: 'bad', words: 'Checkpoints failed' };
  }
}

export const SLOW_START =
  'Checkpoints take long to start: the repository may be large. Ignoring build results and data in .gitignore helps, and so does opening a smaller folder.';

/** What must be read without being asked for; null: the chip says enough. */
export function noticeOf(state: CheckpointsState): 'failed' | 'slow' | 'no-workspace' | 'reason' | null {
  if (state.state === 'failed') return 'failed';
  if (state.state === 'starting') return state.slow ? 'slow' : null;
  if (state.state !== 'off') return null;
  if (state.why === 'no-workspace') return 'no-workspace';
  return state.why === 'protected' || state.why === 'multi-root' ? 'reason' : null;
}

/** Switched off by the user, here or everywhere: said in the chip's panel. */
export const explanationOf = (state: CheckpointsState): string => {
  switch (state.state) {
    case 'ready':
      return 'A checkpoint is saved before and after everything the agent does.';
    case 'starting':
      return state.slow ? SLOW_START : 'The first checkpoint of this folder is being prepared.';
    case 'off':
      return state.message;
    case 'failed':
      return state.error.message;
  }
};
