// Leaves pictures of the window in e2e/pictures/, always in both themes: what is seen in one only is half checked.
import path from 'node:path';
import { expect, type Page } from '@playwright/test';
import type { Theme } from './app';

const FOLDER = path.resolve(import.meta.dirname, '../pictures');
const HEIGHT = 900;

export interface PictureOptions {
  /** CSS pixels; without it the window as it is, and no width in the file's name. */
  readonly width?: number;
}

/** Writes `<screen>-<light|dark>[-<width>].png`; the app's theme must be "system". Leaves the window as it was. */
export async function picture(page: Page, screen: string, { width }: PictureOptions = {}): Promise<void> {
  const size =
    width === undefined ? null : await page.evaluate(() => ({ width: innerWidth, height: innerHeight }));
  if (width !== undefined) await page.setViewportSize({ width, height: HEIGHT });
  const before = await shownTheme(page);
  for (const theme of ['light', 'dark'] as const) {
    await showTheme(page, theme);
    const name = [screen, theme, ...(width === undefined ? [] : [width])].join('-');
    await page.screenshot({ path: path.join(FOLDER, `${name}.png`), animations: 'disabled', caret: 'hide' });
  }
  await showTheme(page, before);
  if (size) await page.setViewportSize(size);
}

/** Changes what the system says, and waits until the window has followed. */
export async function showTheme(page: Page, theme: Theme): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
}

async function shownTheme(page: Page): Promise<Theme> {
  return (await page.locator('html').getAttribute('data-theme')) === 'dark' ? 'dark' : 'light';
}
