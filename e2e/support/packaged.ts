// `npm run test:packaged`: the main story in the app as people get it, from its archive.
import { expect, test } from '@playwright/test';
import { launchApp } from './app';
import { playMainStory } from './story';

test('the packaged app plays the main story', async () => {
  const running = await launchApp();
  try {
    expect(await running.app.evaluate(({ app }) => app.isPackaged)).toBe(true);
    await playMainStory(running);
    expect(running.errors).toEqual([]);
  } finally {
    await running.close();
  }
});
