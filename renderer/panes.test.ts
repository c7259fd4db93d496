import { describe, expect, it } from 'vitest';
import { fitPanes, LEFT, RIGHT } from './panes';

describe('the three panes', () => {
  it('keep what was chosen when there is room', () => {
    expect(fitPanes({ left: 240, right: 600 }, 1440, true)).toEqual({ left: 240, right: 600 });
  });
  it('give way to the chat in a narrow window, the right one first', () => {
    const { left, right } = fitPanes({ left: 236, right: 640 }, 1024, true);
    expect(1024 - left - right).toBeGreaterThanOrEqual(380);
  });
  it('never get smaller than they may', () => {
    expect(fitPanes({ left: 0, right: 0 }, 600, true)).toEqual({ left: LEFT.min, right: RIGHT.min });
  });
});
