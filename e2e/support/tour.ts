// `npm run tour`: the main story on the sample project, in the real app, with the Practice provider.
import { expect, test } from '@playwright/test';
import { launchApp } from './app';
import { playMainStory } from './story';

test('tour', async () => {
  const running = await launchApp();
  try {
    await playMainStory(running);
    expect(running.errors).toEqual([]);
  } finally {
    await running.close();
  }
});
