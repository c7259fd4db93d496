// What a person meets because of the model: a server that is busy, a conversation that grows too long, its summary.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { type AnthropicServer, startAnthropicServer } from '../app/testing/anthropic-server';
import type { ScriptedAnswer } from '../app/testing/model-server';
import { launchApp, type RunningApp } from './support/app';
import { expectAccessible } from './support/axe';
import { makeProject } from './support/folder';
import { picture } from './support/picture';
import { chooseRestore, markers, send, trust } from './support/window';

type Story = RunningApp & { readonly server: AnthropicServer };

async function withAnthropic(
  answers: readonly ScriptedAnswer[],
  story: (r: Story) => Promise<void>,
): Promise<void> {
  const { temp, folder, home } = await makeProject({ 'garden.txt': 'Carrot\n' });
  await mkdir(home, { recursive: true });
  const approval = { auto: { edit: true } };
  await writeFile(path.join(home, 'settings.json'), JSON.stringify({ v: 1, approval }));
  const server = await startAnthropicServer(answers, { key: 'right' });
  const running = await launchApp({
    folder,
    home,
    env: {
      ANTHROPIC_API_KEY: 'right',
      ANTHROPIC_BASE_URL: server.baseUrl,
      TIDEMARK_PROVIDER: 'anthropic',
      TIDEMARK_MODEL: 'claude-sonnet-4-5',
    },
  });
  try {
    await trust(running.page);
    await expect(running.page.getByText(/Checkpoints on/)).toBeVisible();
    await story({ ...running, server });
    expect(server.faults).toEqual([]);
    expect(running.errors).toEqual([]);
  } finally {
    await running.close();
    await server.close();
    await rm(temp, { recursive: true, force: true });
  }
}

const ended = (page: Page) => expect(page.getByRole('button', { name: 'Stop', exact: true })).toBeHidden();
const lastMessages = (server: AnthropicServer) => JSON.stringify(server.requests.at(-1)?.body.messages);

test('a busy server is waited for with a countdown, which can be cut short or stopped', async () => {
  const busy = {
    status: 529,
    headers: { 'retry-after': '90' },
    body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
  };
  await withAnthropic([busy], async ({ page, server }) => {
    await send(page, 'Which plants are there?');
    const line = page.getByRole('status').filter({ hasText: 'Anthropic is busy (529): Overloaded.' });
    await expect(line).toContainText(/Trying again in \d\d s/);
    await expectAccessible(page, 'waiting for a retry');
    await picture(page, 'retry-countdown');
    server.script({
      reasoning: 'One line, one plant.',
      text: 'Only carrots so far.',
      usage: { input: 21_400, output: 300, cached: 18_000 },
    });
    await page.getByRole('button', { name: 'Try Now' }).press('Enter');
    await expect(page.getByText('Only carrots so far.')).toBeVisible();
    await ended(page);
    await expect(page.getByText('39.7k of 200.0k tokens · $0.07')).toBeVisible();
    await picture(page, 'answer-with-cost');

    server.script(busy);
    await send(page, 'And now?');
    await expect(line).toBeVisible();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await expect(page.getByText(/^Stopped ·/)).toBeVisible();
    expect(server.requests).toHaveLength(3);
  });
});

test('too long: compact, go on from the summary, and rewind to before it', async () => {
  const write = { name: 'write_file', args: { path: 'garden.txt', content: 'Carrot\nBeans\n' } };
  const answers: readonly ScriptedAnswer[] = [
    { text: 'Beans are in.', reasoning: 'beans', calls: [write], usage: { input: 90_000, output: 200 } },
    { text: 'The garden has carrots and beans now.', usage: { input: 150_000, output: 100 } },
    {
      status: 400,
      body: {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: 'prompt is too long: 210312 tokens > 200000 maximum',
        },
      },
    },
  ];
  await withAnthropic(answers, async ({ page, server }) => {
    await send(page, 'Add beans to the garden.');
    await expect(page.getByText('The garden has carrots and beans now.')).toBeVisible();
    await ended(page);
    await send(page, 'Describe every plant at length.');
    const failed = page.getByRole('alert').filter({ hasText: 'does not fit the model' });
    await expect(failed.getByRole('button', { name: 'Rewind…' })).toBeVisible();
    await expectAccessible(page, 'too long');
    await picture(page, 'context-too-long');

    server.script({ text: '**Goal:** a garden with carrots and beans. `garden.txt` has both.' });
    await failed.getByRole('button', { name: 'Compact', exact: true }).press('Enter');
    const summary = page.getByText(/^Compacted: about/);
    await expect(summary).toBeVisible();
    await ended(page);
    await summary.click();
    await expect(page.getByText('a garden with carrots and beans.')).toBeVisible();
    await expectAccessible(page, 'compacted');
    await picture(page, 'compacted');

    server.script({ text: 'Short and good.', usage: { input: 900, output: 50 } });
    await send(page, 'Describe them in one line.');
    await expect(page.getByText('Short and good.')).toBeVisible();
    await ended(page);
    expect(lastMessages(server)).toContain('garden.txt` has both');
    expect(lastMessages(server)).not.toContain('Beans are in.');

    await chooseRestore(page, markers(page, /^Compaction checkpoint/), 'Restore Task Only');
    const dialog = page.getByRole('dialog');
    await expect(dialog.getByText(/clear/i).first()).toBeVisible();
    await picture(page, 'restore-compaction');
    await dialog.getByRole('button', { name: /^(Restore|Clear)/ }).click();
    await expect(page.getByText('Short and good.')).toBeHidden();
    await expect(page.getByText('The garden has carrots and beans now.')).toBeVisible();
    await picture(page, 'after-compaction-undone');
    server.script({ text: 'All of it is here again.' });
    await send(page, 'Do you remember?');
    await expect(page.getByText('All of it is here again.')).toBeVisible();
    await ended(page);
    expect(lastMessages(server)).toContain('Beans are in.');
    expect(lastMessages(server)).not.toContain('garden.txt` has both');
  });
});
