// The main story of the product, step by step, for the tour and for the story that tests it.
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { RunningApp } from './app';
import { folderPicture } from './folder';
import { picture } from './picture';
import { chooseRestore, composer, markers, onMarker, send, treeRow, undo } from './window';

/** Two files edited, one added, one deleted, one command. */
export const MAIN_PROMPT = [
  'replace "Carrot" with "Beetroot" in src/plants.js',
  'replace "April" with "May" in README.md',
  'create ideas.md with "Grow beans up the fence."',
  'delete notes.txt',
  'run `node src/main.js`',
].join('\n');

/** Each step waits for what the screen shows, then leaves a picture where there is something to see. */
export async function playMainStory({ page, home }: RunningApp): Promise<void> {
  const folder = path.join(home, 'sample');
  let before: Record<string, string> = {};
  let after: Record<string, string> = {};

  await test.step('Tidemark opens with three ways to begin', async () => {
    await expect(page.getByRole('button', { name: 'Try the sample project' })).toBeVisible();
    await picture(page, 'welcome');
  });

  await test.step('The sample project opens', async () => {
    await page.getByRole('button', { name: 'Try the sample project' }).click();
    await expect(treeRow(page, 'README.md')).toBeVisible();
    await expect(page.getByText(/Checkpoints on/)).toBeVisible();
    before = folderPicture(folder);
    await picture(page, 'empty-task');
  });

  await test.step('A prompt asks for five things; the first card asks before anything is written', async () => {
    await send(page, MAIN_PROMPT);
    await expect(page.getByRole('button', { name: 'Approve', exact: true }).first()).toBeVisible();
    expect(folderPicture(folder)).toEqual(before);
    await picture(page, 'approval');
  });

  await test.step('Each card is approved; edits and command run; the agent is done', async () => {
    const done = page.getByRole('region', { name: 'Done', exact: true });
    const approve = page.getByRole('button', { name: 'Approve', exact: true });
    for (let cards = 0; cards < 5; cards++) {
      const card = page.getByRole('region').filter({ has: approve }).last();
      const title = await card.getByRole('heading').textContent();
      await approve.click();
      await expect(page.getByRole('heading', { name: title ?? '' })).toBeHidden();
    }
    await expect(done).toBeVisible();
    await expect(page.getByRole('button', { name: 'Stop', exact: true })).toBeHidden();
    after = folderPicture(folder);
    expect(Object.keys(after)).toContain('ideas.md');
    expect(Object.keys(after)).not.toContain('notes.txt');
  });

  await test.step('The marks show what each turn changed', async () => {
    await expect(markers(page, /^Initial checkpoint/)).toBeVisible();
    await expect(page.getByText('· 4 files')).toBeVisible();
    await expect(treeRow(page, 'ideas.md')).toContainText('A');
    await picture(page, 'task-done');
  });

  await test.step('Compare shows the four files', async () => {
    await onMarker(markers(page, /^Initial checkpoint/), 'Compare');
    const pane = page.getByRole('region', { name: 'Changes since snapshot' });
    await expect(pane.getByText('· 4 files')).toBeVisible();
    for (const name of ['README.md', 'ideas.md', 'notes.txt', 'src/plants.js']) {
      await expect(pane.getByText(name, { exact: true }).first()).toBeAttached();
    }
    await expect(pane.locator('.monaco-diff-editor').first()).toBeVisible();
    await expect(pane.getByText('Beetroot').first()).toBeVisible();
    await markers(page, /^Initial checkpoint/).hover();
    await picture(page, 'window');
    await pane.getByRole('radio', { name: 'Unified' }).click();
    await picture(page, 'window-unified');
    await pane.getByRole('radio', { name: 'Split' }).click();
  });

  await test.step('Restore Files & Task asks first, with the list of what would happen', async () => {
    await onMarker(markers(page, /^Initial checkpoint/), 'Restore');
    await expect(page.getByRole('menuitem', { name: 'Restore Files & Task' })).toBeVisible();
    await picture(page, 'menu');
    await page.getByRole('menuitem', { name: 'Restore Files & Task' }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog.getByText('ideas.md')).toBeVisible();
    await expect(dialog.getByText('brought back')).toBeVisible();
    expect(folderPicture(folder)).toEqual(after);
    await picture(page, 'restore');
    await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
    await expect(dialog).toBeHidden();
  });

  await test.step('Every byte is back, the tree shows it, the prompt is in the composer', async () => {
    await expect(composer(page)).toHaveValue(MAIN_PROMPT);
    expect(folderPicture(folder)).toEqual(before);
    await expect(treeRow(page, 'notes.txt')).toBeVisible();
    await expect(treeRow(page, 'ideas.md')).toBeHidden();
    await expect(markers(page, /^Checkpoint \(restored\)/)).toBeVisible();
    await expect(page.getByText('No differences.')).toBeVisible();
    await expect(treeRow(page, 'notes.txt')).not.toContainText('D');
    await picture(page, 'restored');
  });

  await test.step('Undo brings everything back, files and messages', async () => {
    await undo(page).click();
    await expect(page.getByRole('region', { name: 'Done', exact: true })).toBeVisible();
    await expect(treeRow(page, 'ideas.md')).toBeVisible();
    expect(folderPicture(folder)).toEqual(after);
    await picture(page, 'undone');
  });
}

/** For other stories: back to the first state without further looks. */
export async function restoreAll({ page }: RunningApp): Promise<void> {
  await chooseRestore(
    page,
    markers(page, /^(Initial checkpoint|Checkpoint \(restored\))/).first(),
    'Restore Files & Task',
  );
  await page.getByRole('dialog').getByRole('button', { name: 'Restore', exact: true }).click();
}
