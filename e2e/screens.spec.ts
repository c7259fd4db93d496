// Every screen once, in both themes and small, with axe on each; and what goes wrong at the start.
import { chmod, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { startProviderServer } from '../app/testing/provider-server';
import { launchApp, type RunningApp } from './support/app';
import { expectAccessible } from './support/axe';
import { makeProject } from './support/folder';
import { picture } from './support/picture';
import { chooseRestore, composer, markers, onMarker, send, treeRow, trust } from './support/window';

async function withApp(
  o: Parameters<typeof launchApp>[0],
  story: (r: RunningApp) => Promise<void>,
): Promise<void> {
  const running = await launchApp(o);
  try {
    await story(running);
    expect(running.errors).toEqual([]);
  } finally {
    await running.close();
  }
}

test('each screen is accessible and holds together when small', async () => {
  const { temp, folder, home } = await makeProject({ 'a.txt': 'one\n', 'src/b.ts': 'export const b = 1;\n' });
  await withApp({ home }, async ({ page }) => {
    await expect(page.getByRole('button', { name: 'Try the sample project' })).toBeVisible();
    await expectAccessible(page, 'welcome');
    await picture(page, 'welcome', { width: 1024 });
  });
  await withApp({ home, folder }, async ({ page }) => {
    await expect(page.getByRole('dialog', { name: /Do you trust/ })).toBeVisible();
    await expectAccessible(page, 'trust');
    await trust(page);
    await expect(page.getByText(/Checkpoints on/)).toBeVisible();
    await expectAccessible(page, 'empty task');
    await send(page, 'replace "one" with "two" in a.txt\ncreate src/c.ts with "export const c = 2;"');
    await expect(page.getByRole('button', { name: 'Approve', exact: true })).toBeVisible();
    await expectAccessible(page, 'approval');
    await page.getByRole('button', { name: 'Always allow edits' }).click();
    await expect(page.getByRole('region', { name: 'Done', exact: true })).toBeVisible();
    await onMarker(markers(page, /^Initial checkpoint/), 'Compare');
    await expect(page.locator('.monaco-diff-editor').first()).toBeVisible();
    await expectAccessible(page, 'window');
    await picture(page, 'window', { width: 1024 });

    await chooseRestore(page, markers(page, /^Initial checkpoint/), 'Restore Files & Task');
    await expect(page.getByRole('dialog').getByText('src/c.ts')).toBeVisible();
    await expectAccessible(page, 'restore dialog');
    await picture(page, 'restore', { width: 1024 });
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toBeHidden();

    await treeRow(page, 'a.txt').click();
    await expect(
      page.getByRole('region', { name: 'a.txt' }).or(page.getByText('two').first()).first(),
    ).toBeVisible();
    await picture(page, 'file');
    await page.getByRole('tab', { name: 'Tasks' }).click();
    await picture(page, 'tasks');
    await expectAccessible(page, 'tasks');

    await page.keyboard.press('Control+,');
    for (const section of ['Models', 'Features', 'Approval', 'Appearance', 'About']) {
      await page.getByRole('tab', { name: section, exact: true }).click();
      await expectAccessible(page, `settings ${section}`);
      await picture(page, `settings-${section.toLowerCase()}`);
    }
  });
  await rm(temp, { recursive: true, force: true });
});

test('hand edits: named in the chat; a conflict asks and changes nothing before the answer', async () => {
  const { temp, folder, home } = await makeProject({ 'a.txt': 'one\n' });
  await withApp({ home, folder }, async ({ page }) => {
    await trust(page);
    await send(page, 'replace "one" with "two" in a.txt');
    await page.getByRole('button', { name: 'Always allow edits' }).click();
    await expect(page.getByRole('region', { name: 'Done', exact: true })).toBeVisible();
    await writeFile(path.join(folder, 'a.txt'), 'mine\n');
    await chooseRestore(page, markers(page, /^Initial checkpoint/), 'Restore Files & Task');
    const dialog = page.getByRole('dialog');
    await expect(dialog.getByText('a.txt').first()).toBeVisible();
    await expect(dialog.getByRole('button', { name: 'Restore', exact: true })).toBeDisabled();
    await expectAccessible(page, 'conflict');
    await picture(page, 'conflict');
    await dialog.getByText('Keep mine').click();
    await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
    await expect(dialog).toBeHidden();
    expect(await readFile(path.join(folder, 'a.txt'), 'utf8')).toBe('mine\n');
    await expect(composer(page)).toHaveValue('replace "one" with "two" in a.txt');
    await composer(page).fill('create b.txt with "b"');
    await page.getByRole('button', { name: 'Send' }).click();
    await expect(page.getByRole('region', { name: 'Done', exact: true })).toBeVisible();
    await writeFile(path.join(folder, 'a.txt'), 'mine again\n');
    await send(page, 'create c.txt with "c"');
    await expect(page.getByText('You changed 1 file')).toBeVisible();
    await picture(page, 'hand-edits');
  });
  await rm(temp, { recursive: true, force: true });
});

test('a provider, its address and its check in the settings', async () => {
  const { temp, folder, home } = await makeProject({ 'a.txt': 'one\n' });
  const server = await startProviderServer([{ text: 'Hello from the server.' }], { models: [{ id: 'm-1' }] });
  await withApp({ home, folder }, async ({ page }) => {
    await trust(page);
    await page.getByRole('button', { name: /^Model:/ }).click();
    await page.getByLabel('Provider').selectOption('openai-compatible');
    await page.getByLabel('Base URL').fill(server.baseUrl);
    await page.getByLabel('Base URL').press('Enter');
    await page.getByLabel('Model', { exact: true }).fill('m-1');
    await page.getByLabel('Model', { exact: true }).press('Enter');
    await page.getByRole('button', { name: /^Check/ }).click();
    await expect(page.getByText(/answers/)).toBeVisible();
    await picture(page, 'settings-provider');
    await page.getByRole('button', { name: 'Close settings' }).click();
    await expect(page.getByRole('button', { name: 'Model: m-1' })).toBeVisible();
    await send(page, 'Say hello.');
    await expect(page.getByText('Hello from the server.')).toBeVisible();
    await picture(page, 'answer');
  });
  await server.close();
  await rm(temp, { recursive: true, force: true });
});

test('fault 48: no git: the header says so and how to get it; nothing is written before the user decides', async () => {
  const { temp, folder, home } = await makeProject({ 'a.txt': 'one\n' });
  const bin = path.join(temp, 'bin');
  await mkdir(bin);
  await symlink('/bin/sh', path.join(bin, 'sh'));
  await withApp({ home, folder, env: { PATH: bin } }, async ({ page }) => {
    await trust(page);
    await expect(page.getByText('Git must be installed to use checkpoints.').first()).toBeVisible();
    await expect(page.getByRole('button', { name: 'Retry Checkpoints' }).first()).toBeVisible();
    await expectAccessible(page, 'no git');
    await send(page, 'create b.txt with "two"');
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await expect(page.getByRole('alert', { name: 'Checkpoint failed' })).toBeVisible();
    await expect(treeRow(page, 'b.txt')).toBeHidden();
    await picture(page, 'no-git');
    await page.getByRole('button', { name: 'Continue without checkpoints' }).click();
    await expect(treeRow(page, 'b.txt')).toBeVisible();
  });
  await rm(temp, { recursive: true, force: true });
});

test('a folder that is gone, damaged settings: said at the start, with the settings set aside', async () => {
  const { temp, folder, home } = await makeProject({ 'a.txt': 'one\n' });
  await mkdir(home, { recursive: true });
  await writeFile(path.join(home, 'settings.json'), 'not json');
  await withApp({ home, folder: path.join(folder, 'gone') }, async ({ page }) => {
    await expect(page.getByText(/is not there/)).toBeVisible();
    await expect(page.getByText(/settings\.json/).first()).toBeVisible();
    await expect(page.getByRole('button', { name: 'Try the sample project' })).toBeVisible();
    await picture(page, 'start-notices');
  });
  await rm(temp, { recursive: true, force: true });
});

test('fault 62: a protected folder: the agent works, the header says why there are no checkpoints', async () => {
  const { temp, folder, home } = await makeProject({ 'a.txt': 'one\n' });
  await chmod(folder, 0o755);
  await withApp({ home, folder, env: { HOME: folder } }, async ({ page }) => {
    await trust(page);
    await expect(page.getByText(/Cannot use checkpoints in home directory/).first()).toBeVisible();
    await picture(page, 'protected');
    await send(page, 'create b.txt with "two"');
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await expect(treeRow(page, 'b.txt')).toBeVisible();
    await expect(markers(page, /checkpoint/i)).toHaveCount(0);
  });
  await rm(temp, { recursive: true, force: true });
});
