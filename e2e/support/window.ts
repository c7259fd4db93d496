// What a person does in the window, by the names that they see.
import { expect, type Locator, type Page } from '@playwright/test';

export const composer = (page: Page): Locator => page.getByRole('textbox', { name: 'Message' });

export async function send(page: Page, prompt: string): Promise<void> {
  await composer(page).fill(prompt);
  await page.getByRole('button', { name: 'Send' }).click();
}

/** The marks of the tide line with these words, in reading order. */
export const markers = (page: Page, words: RegExp): Locator => page.getByRole('group', { name: words });

/** The feed holds only what is in sight: an early mark has to be scrolled to, as a person would. */
async function findMarker(marker: Locator): Promise<void> {
  const page = marker.page();
  await expect(async () => {
    if ((await marker.count()) > 0) {
      await marker.scrollIntoViewIfNeeded();
    } else {
      await page.getByRole('log').hover();
      await page.mouse.wheel(0, -600);
    }
    await expect(marker).toBeInViewport({ timeout: 300 });
  }).toPass();
}

/** Points at a mark and presses one of its two buttons. */
export async function onMarker(marker: Locator, button: 'Compare' | 'Restore' | 'Undo'): Promise<void> {
  await findMarker(marker);
  await marker.hover();
  await marker.getByRole('button', { name: button, exact: true }).click();
}

/** Opens a mark's menu and chooses an entry. */
export async function chooseRestore(page: Page, marker: Locator, entry: string): Promise<void> {
  await onMarker(marker, 'Restore');
  await page.getByRole('menuitem', { name: entry, exact: true }).click();
}

/** Approves cards until the run has ended with its completion. */
export async function approveUntilDone(page: Page): Promise<number> {
  let approved = 0;
  const approve = page.getByRole('button', { name: 'Approve', exact: true });
  const done = page.getByRole('region', { name: 'Done', exact: true }).last();
  const stop = page.getByRole('button', { name: 'Stop', exact: true });
  for (;;) {
    await expect(approve.or(done).first()).toBeVisible();
    if (!(await approve.isVisible())) break;
    await approve.click();
    approved += 1;
    await expect(approve.and(page.locator(':enabled')).or(done).or(stop).first()).toBeVisible();
  }
  await expect(stop).toBeHidden();
  return approved;
}

/** A row of the file tree. */
export const treeRow = (page: Page, name: string): Locator =>
  page.getByRole('treeitem', { name: new RegExp(`^${name.replace(/\./g, '\\.')}`) });

/** Answers the question about a folder that is new. */
export async function trust(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Trust This Folder' }).click();
}

/** The way back that a toast offers. */
export const undo = (page: Page): Locator =>
  page.getByRole('region', { name: 'Notifications' }).getByRole('button', { name: 'Undo', exact: true });
