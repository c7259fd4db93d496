// The same loop against a local server that speaks the OpenAI protocol: streamed, parallel calls in small pieces.
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { startProviderServer } from '../app/testing/provider-server';
import { launchApp } from './support/app';
import { folderPicture, makeProject } from './support/folder';
import { picture } from './support/picture';
import { restoreAll } from './support/story';
import { composer, markers, onMarker, send, treeRow, trust, undo } from './support/window';

test('parallel calls from a server; auto-approved edits; restore and undo', async () => {
  const { temp, folder, home } = await makeProject({
    'src/invoice.ts': 'export const total = (net: number) => net * 1.2;\n',
    'src/old.ts': 'export const unused = 1;\n',
    'README.md': '# Orders\n',
  });
  const server = await startProviderServer([
    {
      text: "I'll put rounding into **one place** and drop what is unused.\n\n```ts\nconst total = round(net);\n```\n",
      calls: [
        {
          name: 'replace_text',
          args: { path: 'src/invoice.ts', old_text: 'net * 1.2', new_text: 'round(net * 1.2)' },
        },
        {
          name: 'write_file',
          args: {
            path: 'src/round.ts',
            content: 'export const round = (n: number) => Math.round(n * 100) / 100;\n',
          },
        },
        { name: 'delete_file', args: { path: 'src/old.ts' } },
      ],
    },
    {
      text: 'Now I look at the result.',
      calls: [{ name: 'run_command', args: { command: 'ls src && cat src/round.ts' } }],
    },
    { calls: [{ name: 'complete_task', args: { result: 'Rounding lives in `src/round.ts`.' } }] },
  ]);
  const running = await launchApp({
    folder,
    home,
    env: {
      OPENAI_BASE_URL: server.baseUrl,
      TIDEMARK_PROVIDER: 'openai-compatible',
      TIDEMARK_MODEL: 'test-model',
    },
  });
  const { page } = running;
  try {
    await expect(page.getByRole('dialog', { name: /Do you trust/ })).toBeVisible();
    await picture(page, 'trust');
    await trust(page);
    await expect(page.getByText(/Checkpoints on/)).toBeVisible();
    const before = folderPicture(folder);

    await send(page, 'Put the rounding into one place.');
    await expect(page.getByRole('button', { name: 'Always allow edits' })).toBeVisible();
    await page.getByRole('button', { name: 'Always allow edits' }).click();
    await expect(page.getByRole('heading', { name: /Run/ })).toBeVisible();
    await picture(page, 'approval-command');
    await page.getByRole('button', { name: 'Reject…' }).click();
    await page.getByRole('textbox', { name: 'Reason' }).fill('Not needed.');
    await page.getByRole('button', { name: 'Reject', exact: true }).click();
    await expect(page.getByRole('region', { name: 'Done', exact: true })).toBeVisible();
    expect(await readFile(path.join(folder, 'src/round.ts'), 'utf8')).toContain('Math.round');

    const told = server.requests[2]?.body.messages.findLast((m) => m.role === 'tool');
    expect(JSON.stringify(told?.content)).toContain('Not needed.');
    const after = folderPicture(folder);
    await page.getByRole('button', { name: 'View Changes' }).click();
    const pane = page.getByRole('region', { name: 'New changes' });
    await expect(pane.getByText('· 3 files')).toBeVisible();
    await picture(page, 'new-changes');
    await expect(pane.locator('.monaco-diff-editor').first()).toBeVisible();
    await picture(page, 'new-changes');

    await restoreAll(running);
    await expect(composer(page)).toHaveValue('Put the rounding into one place.');
    expect(folderPicture(folder)).toEqual(before);
    await undo(page).click();
    await expect(page.getByRole('region', { name: 'Done', exact: true })).toBeVisible();
    expect(folderPicture(folder)).toEqual(after);

    await onMarker(markers(page, /^Initial checkpoint/), 'Compare');
    await treeRow(page, 'src').click();
    await expect(treeRow(page, 'round.ts')).toBeVisible();
    expect(running.errors).toEqual([]);
  } finally {
    await running.close();
    await server.close();
    await rm(temp, { recursive: true, force: true });
  }
});

test('wrong key: said in the chat, with what to do; the prompt is not lost', async () => {
  const { temp, folder, home } = await makeProject({ 'a.txt': 'a\n' });
  const server = await startProviderServer([], { key: 'right' });
  const running = await launchApp({
    folder,
    home,
    env: {
      OPENAI_BASE_URL: server.baseUrl,
      OPENAI_API_KEY: 'wrong',
      TIDEMARK_PROVIDER: 'openai-compatible',
      TIDEMARK_MODEL: 'm',
    },
  });
  const { page } = running;
  try {
    await trust(page);
    await send(page, 'Hello there.');
    await expect(page.getByText(/key/i).last()).toBeVisible();
    await expect(page.getByRole('button', { name: 'Stop', exact: true })).toBeHidden();
    await expect(page.getByText('Hello there.').first()).toBeVisible();
    await picture(page, 'wrong-key');
  } finally {
    await running.close();
    await server.close();
    await rm(temp, { recursive: true, force: true });
  }
});
