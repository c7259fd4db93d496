// The main story of the product, step by step, for the tour and for the story that tests it.
import { test } from '@playwright/test';
import type { RunningApp } from './app';
import { picture } from './picture';

/** Each step waits for what the screen shows, then leaves a picture where there is something to see. */
export async function playMainStory({ page }: RunningApp): Promise<void> {
  await test.step('Tidemark opens', async () => {
    await page.waitForLoadState('domcontentloaded');
    await picture(page, 'tour-1-welcome');
  });
}
