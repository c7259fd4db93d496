// The first true loop in the window: sample project, Practice, prompt, approval, Compare, Restore, Undo.
import { expect, test } from '@playwright/test';
import { launchApp } from './support/app';
import { playMainStory } from './support/story';

test('from a prompt to a rewind and back, on the sample project', async () => {
  const running = await launchApp();
  try {
    await playMainStory(running);
    expect(running.errors).toEqual([]);
  } finally {
    await running.close();
  }
});
