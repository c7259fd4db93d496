// Ways back that lead to one another, two tasks at once, and a server that is checked as it is typed.
import { rm } from 'node:fs/promises';
import { expect, test } from '@playwright/test';
import { startProviderServer } from '../app/testing/provider-server';
import { launchApp, type RunningApp } from './support/app';
import { makeProject } from './support/folder';
import { chooseRestore, composer, markers, onMarker, send, trust, undo } from './support/window';

async function withProject(story: (running: RunningApp) => Promise<void>): Promise<void> {
  const { temp, folder, home } = await makeProject({ 'a.txt': 'one\n' });
  const running = await launchApp({ folder, home });
  try {
    await trust(running.page);
    await expect(running.page.getByText(/Checkpoints on/)).toBeVisible();
    await story(running);
    expect(running.errors).toEqual([]);
  } finally {
    await running.close();
    await rm(temp, { recursive: true, force: true });
  }
}

test('a restore closes the comparison that it clears; its redo point says what it brings back', () =>
  withProject(async ({ page }) => {
    await send(page, 'replace "one" with "two" in a.txt');
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await expect(page.getByRole('button', { name: 'View Changes' })).toBeVisible();
    await page.getByRole('button', { name: 'View Changes' }).click();
    await expect(page.getByRole('region', { name: 'New changes' })).toBeVisible();

    await chooseRestore(page, markers(page, /^Initial checkpoint/), 'Restore Files & Task');
    await page.getByRole('dialog').getByRole('button', { name: 'Restore', exact: true }).click();
    await expect(composer(page)).toHaveValue('replace "one" with "two" in a.txt');
    await expect(page.getByRole('region', { name: 'New changes' })).toBeHidden();

    const redo = markers(page, /^Redo point .* · 1 file and the task$/);
    await onMarker(redo, 'Undo');
    const dialog = page.getByRole('dialog', { name: /^Take back the restore of/ });
    await expect(dialog.getByText(/Brings back 1 file and the task/)).toBeVisible();
    await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
    await expect(page.getByRole('region', { name: 'Done', exact: true })).toBeVisible();
    await expect(composer(page)).toHaveValue('');
    await expect(undo(page)).toHaveCount(1);

    await send(page, 'hello');
    await expect(page.getByRole('article', { name: 'Agent' }).last()).toBeVisible();
  }));

test('a task that asks says so in the list, and the one that waits for it leads there', () =>
  withProject(async ({ page }) => {
    await send(page, 'delete a.txt');
    await expect(page.getByRole('button', { name: 'Approve', exact: true })).toBeVisible();
    await page.getByRole('tab', { name: 'Tasks' }).click();
    await page.getByRole('button', { name: 'New task' }).click();
    await send(page, 'create b.txt with "b"');
    const other = page.getByRole('status').getByRole('button', { name: /^Waiting for “delete a\.txt”/ });
    await expect(other).toBeVisible();
    await expect(page.getByRole('list', { name: 'Tasks' }).getByText('needs your answer')).toHaveCount(1);
    await other.click();
    await expect(page.getByRole('button', { name: 'Approve', exact: true })).toBeVisible();
    await page.getByRole('button', { name: /^create b\.txt/ }).click();
    await page.reload();
    await page.getByRole('tab', { name: 'Tasks' }).click();
    await expect(page.getByRole('list', { name: 'Tasks' }).getByText('needs your answer')).toHaveCount(1);
    await page.getByRole('button', { name: /^delete a\.txt/ }).click();
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await expect(page.getByRole('list', { name: 'Tasks' }).getByText('needs your answer')).toHaveCount(1);
  }));

test('Check asks the server whose address was just typed', async () => {
  const server = await startProviderServer([]);
  try {
    await withProject(async ({ page }) => {
      await page.keyboard.press('Control+,');
      await page.getByRole('combobox', { name: 'Provider' }).selectOption('openai-compatible');
      await page.getByRole('textbox', { name: 'Base URL' }).fill(server.baseUrl);
      await page.getByRole('button', { name: 'Check' }).click();
      await expect(page.getByRole('dialog').getByRole('status')).toHaveText(/answers/);
    });
  } finally {
    await server.close();
  }
});
