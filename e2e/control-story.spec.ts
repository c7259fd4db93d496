// What a person says while the agent works: rejects with a reason, allows for good, answers, lets it go on.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import {
  type ProviderServer,
  type ScriptedAnswer,
  startProviderServer,
} from '../app/testing/provider-server';
import { launchApp, type RunningApp } from './support/app';
import { expectAccessible } from './support/axe';
import { makeProject } from './support/folder';
import { picture } from './support/picture';
import { composer, send, trust } from './support/window';

type Story = RunningApp & { readonly server: ProviderServer; readonly folder: string };

/** Starts the app on a folder with one file, beside a server with these answers. */
async function withServer(
  answers: readonly ScriptedAnswer[],
  story: (r: Story) => Promise<void>,
  settings: object = {},
): Promise<void> {
  const { temp, folder, home } = await makeProject({ 'a.txt': 'one\n', 'src/b.ts': 'export const b = 1;\n' });
  await mkdir(home, { recursive: true });
  await writeFile(path.join(home, 'settings.json'), JSON.stringify({ v: 1, ...settings }));
  const server = await startProviderServer(answers);
  const running = await launchApp({
    folder,
    home,
    env: {
      OPENAI_BASE_URL: server.baseUrl,
      TIDEMARK_PROVIDER: 'openai-compatible',
      TIDEMARK_MODEL: 'test-model',
    },
  });
  try {
    await trust(running.page);
    await expect(running.page.getByText(/Checkpoints on/)).toBeVisible();
    await story({ ...running, server, folder });
    expect(running.errors).toEqual([]);
  } finally {
    await running.close();
    await server.close();
    await rm(temp, { recursive: true, force: true });
  }
}

const call = (name: string, args: Record<string, unknown>, text = ''): ScriptedAnswer => ({
  text,
  calls: [{ name, args }],
});
const done = call('complete_task', { result: 'Done as you said.' });
const ended = (page: Page) => expect(page.getByRole('button', { name: 'Stop', exact: true })).toBeHidden();
const lastResult = (server: ProviderServer) =>
  JSON.stringify(server.requests.at(-1)?.body.messages.findLast((m) => m.role === 'tool')?.content);

test('a patch is shown whole, rejected with a reason, and the agent reads it', async () => {
  const patch = [
    '--- a/a.txt',
    '+++ b/a.txt',
    '@@ -1 +1 @@',
    '-one',
    '+two',
    '--- /dev/null',
    '+++ b/src/c.ts',
    '@@ -0,0 +1,2 @@',
    '+export const c = 2;',
    '+export const d = 3;',
    '',
  ].join('\n');
  const answers = [call('apply_patch', { patch }), call('apply_patch', { patch }), done];
  await withServer(answers, async ({ page, server }) => {
    await send(page, 'Change it.');
    const card = page.getByRole('region', { name: 'Patch 2 files' });
    await expect(card.getByText('+export const c = 2;')).toBeVisible();
    await expectAccessible(page, 'patch card');
    await picture(page, 'patch-card');
    await card.getByRole('button', { name: 'Reject…' }).press('Enter');
    await page.getByRole('textbox', { name: 'Reason' }).fill('Keep a.txt as it is.');
    await picture(page, 'reject-reason');
    await page.keyboard.press('Enter');
    await expect(page.getByText('“Keep a.txt as it is.”')).toBeVisible();
    await expect.poll(() => server.requests.length).toBe(2);
    expect(lastResult(server)).toContain('Keep a.txt as it is.');
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await expect(page.getByRole('region', { name: 'Done', exact: true })).toBeVisible();
    await expect(page.getByText('· 2 files')).toBeVisible();
    await picture(page, 'patch-done');
  });
});

test('always allow shows the exact prefix; the same command asks no more, another does', async () => {
  const answers = [
    call('run_command', { command: 'git status --short' }),
    call('run_command', { command: 'git status' }),
    call('run_command', { command: 'git log' }),
    done,
  ];
  await withServer(answers, async ({ page }) => {
    await send(page, 'Look around.');
    const always = page.getByRole('button', { name: 'Always allow “git status”, in every folder' });
    await expect(always).toBeVisible();
    await picture(page, 'always-allow');
    await always.click();
    await expect(page.getByRole('button', { name: 'Always allow “git log”, in every folder' })).toBeVisible();
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await expect(page.getByRole('region', { name: 'Done', exact: true })).toBeVisible();
    await page.keyboard.press('Control+,');
    await page.getByRole('tab', { name: 'Approval', exact: true }).click();
    await expect(
      page.getByRole('region', { name: 'Commands that never ask' }).getByText('git status'),
    ).toBeVisible();
    await expectAccessible(page, 'settings Approval');
    await picture(page, 'settings-approval');
  });
});

test('a question with choices is answered by key, another in words; the plan shows how far it is', async () => {
  const plan = (...statuses: string[]) => {
    const titles = ['Look at the files', 'Ask what is open', 'Write it down'];
    return {
      name: 'update_plan',
      args: { steps: titles.map((title, i) => ({ title, status: statuses[i] })) },
    };
  };
  const ask = (args: Record<string, unknown>) => ({ name: 'ask_question', args });
  const answers: ScriptedAnswer[] = [
    {
      text: 'Two things are open.',
      calls: [
        plan('done', 'active', 'pending'),
        ask({
          question: 'Which database should the orders go to?',
          choices: ['PostgreSQL, as the invoices', 'SQLite in a file', 'Keep them in memory'],
        }),
      ],
    },
    { calls: [ask({ question: 'What should the table be called?' })] },
    { calls: [plan('done', 'done', 'done')] },
    done,
  ];
  await withServer(answers, async ({ page, server }) => {
    await send(page, 'Store the orders.');
    const card = page.getByRole('region', { name: 'Which database should the orders go to?' });
    await expect(card.getByRole('button', { name: 'SQLite in a file' })).toBeVisible();
    await expect(page.getByRole('region', { name: 'Plan' })).toContainText('1 of 3');
    await expectAccessible(page, 'question');
    await picture(page, 'question');
    await card.getByRole('button', { name: 'PostgreSQL' }).focus();
    await page.keyboard.press('2');
    await expect(page.getByRole('region', { name: 'What should the table be called?' })).toBeVisible();
    expect(lastResult(server)).toContain('SQLite in a file');
    await page.getByRole('textbox', { name: 'Answer' }).fill('purchase_order');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('region', { name: 'Done', exact: true })).toBeVisible();
    await expect(page.getByRole('region', { name: 'Plan' })).toHaveCount(1);
    await expect(page.getByRole('region', { name: 'Plan' })).toContainText('3 of 3');
    await expect(page.getByText('purchase_order')).toBeVisible();
    await picture(page, 'question-answered');
  });
});

test('a limit that is reached asks; Continue goes on, Stop here ends it', async () => {
  const look = call('list_files', {}, 'I look around.');
  await withServer(
    [look, look, look, look],
    async ({ page, server }) => {
      await send(page, 'Look around twice.');
      const card = page.getByRole('alert', { name: 'Limit reached' });
      await expect(card).toContainText('2 turns');
      await expectAccessible(page, 'limit');
      await picture(page, 'limit');
      expect(server.requests).toHaveLength(2);
      await card.getByRole('button', { name: 'Continue' }).click();
      await expect(card).toContainText('4 turns');
      await card.getByRole('button', { name: 'Stop here' }).press('Enter');
      await ended(page);
      await expect(page.getByText(/^Stopped/)).toBeVisible();
      await expect(composer(page)).toBeFocused();
      expect(server.requests).toHaveLength(4);
    },
    { limits: { turns: 2 } },
  );
});

test('a command in the background: listed with what it prints, in colour, after the run; then stopped', async () => {
  const serve = "printf '\\033[32mready\\033[0m on port \\033[1m8080\\033[0m\\n'; sleep 600";
  const answers = [
    call('run_command', { command: serve, background: true }, 'I start the server.'),
    call('run_command', { command: "printf '\\033[31mFAIL\\033[0m 1 of 3\\n'; exit 1" }, 'And the tests.'),
    done,
  ];
  await withServer(answers, async ({ page, server }) => {
    await send(page, 'Start it.');
    await expect(page.getByRole('heading', { name: 'Run in the background' })).toBeVisible();
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await expect(page.getByRole('region', { name: 'Done', exact: true })).toBeVisible();
    expect(JSON.stringify(server.requests[2]?.body.messages)).not.toContain('\\u001b');
    const strip = page.getByRole('region', { name: 'Background commands' });
    await strip.getByRole('button', { expanded: false }).click();
    await expect(strip.getByRole('log')).toContainText('ready on port 8080');
    await expect(page.getByText('runs in the background')).toBeVisible();
    await expectAccessible(page, 'background');
    await picture(page, 'background');
    await strip.getByRole('button', { name: /^Stop/ }).press('Enter');
    await expect(strip).toBeHidden();
    await expect(page.getByText(/^stopped ·/)).toBeVisible();
  });
});
