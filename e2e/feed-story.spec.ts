// The conversation on screen: its end stays in sight while it grows, a place that was scrolled to stays.
import { rm } from 'node:fs/promises';
import { expect, type Page, test } from '@playwright/test';
import { launchApp } from './support/app';
import { makeProject } from './support/folder';
import { picture } from './support/picture';
import { composer, send, trust } from './support/window';

const stop = (page: Page) => page.getByRole('button', { name: 'Stop', exact: true });

/** Pixels between what is seen of the conversation and its end. */
const toEnd = (page: Page): Promise<number> =>
  page.getByRole('log').evaluate((el) => Math.round(el.scrollHeight - el.scrollTop - el.clientHeight));
/** The row in the middle of what is seen, and where it stands on screen. */
const middleRow = (page: Page): Promise<{ row: string; top: number }> =>
  page.getByRole('log').evaluate((el) => {
    const { top, height } = el.getBoundingClientRect();
    const rows = [...el.querySelectorAll<HTMLElement>('[data-index]')];
    const boxes = rows.map((row) => ({ row: row.dataset.index ?? '', box: row.getBoundingClientRect() }));
    const middle = boxes.find(({ box }) => box.bottom > top + height / 2);
    return { row: middle?.row ?? '', top: Math.round(middle?.box.top ?? 0) };
  });

const topOfRow = (page: Page, row: string): Promise<number> =>
  page.locator(`[data-index="${row}"]`).evaluate((el) => Math.round(el.getBoundingClientRect().top));

/** The middle row once a wheel's glide is over and it stays where it is. */
async function restingRow(page: Page): Promise<{ row: string; top: number }> {
  let before = '';
  await expect
    .poll(async () => {
      const now = JSON.stringify(await middleRow(page));
      const rests = now === before;
      before = now;
      return rests;
    })
    .toBe(true);
  return JSON.parse(before) as { row: string; top: number };
}

async function autoApproveEdits(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Auto-approve/ }).click();
  await page.getByRole('menuitemcheckbox', { name: /Edit files/ }).click();
  await page.keyboard.press('Escape');
}

/** Sends, waits for the end of the run, and for the conversation to come to rest. */
async function sendAndWait(page: Page, prompt: string): Promise<void> {
  await send(page, prompt);
  await expect(composer(page)).toHaveValue('');
  await expect(page.getByRole('article', { name: 'You' }).last()).toContainText(prompt.split('\n')[0] ?? '');
  await expect(stop(page)).toBeHidden();
}

test('the end stays in sight over many runs; a place that was scrolled to stays', async () => {
  const { temp, folder, home } = await makeProject({ 'f0.txt': 'zero\n', 'notes.txt': 'one\n' });
  const running = await launchApp({ folder, home });
  const { page } = running;
  const end = () => expect.poll(() => toEnd(page), { timeout: 3000 }).toBeLessThanOrEqual(2);
  const latest = page.getByRole('button', { name: 'Latest' });
  try {
    await trust(page);
    await expect(page.getByText(/Checkpoints on/)).toBeVisible();
    await page.setViewportSize({ width: 1200, height: 620 });
    await autoApproveEdits(page);

    const prompts = [
      'rename f0.txt to zz0.txt',
      'hello',
      'rename zz0.txt to docs/zz0.txt',
      'replace "one" with "two" in notes.txt\ncreate a.md with "a"\ncreate b.md with "b"',
      'hello again',
      'replace "two" with "three" in notes.txt\ndelete a.md\ndelete b.md',
    ];
    for (const prompt of prompts) {
      await sendAndWait(page, prompt);
      await end();
      await expect(latest).toBeHidden();
    }

    await test.step('less room for the conversation does not hide its end', async () => {
      await composer(page).fill('one\ntwo\nthree\nfour\nfive\nsix');
      await end();
      await composer(page).fill('');
      await end();
    });

    await test.step('scrolled up, it stays where it is while a command puts out more and more', async () => {
      await send(page, 'run `for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo line $i; sleep 0.4; done`');
      await page.getByRole('button', { name: 'Approve', exact: true }).click();
      await expect(page.getByText('line 2').last()).toBeVisible();
      await page.getByRole('log').hover();
      await page.mouse.wheel(0, -400);
      await expect(latest).toBeVisible();
      const kept = await restingRow(page);
      await expect(stop(page)).toBeHidden();
      expect(Math.abs((await topOfRow(page, kept.row)) - kept.top)).toBeLessThanOrEqual(2);
      await expect(latest).toBeVisible();
    });

    await test.step('sending and a card that asks come into sight from anywhere', async () => {
      await send(page, 'run `echo first`');
      await expect(page.getByRole('button', { name: 'Approve', exact: true })).toBeInViewport();
      await end();
      await page.getByRole('log').hover();
      await page.mouse.wheel(0, -600);
      await expect(latest).toBeVisible();
      await latest.click();
      await end();
      await expect(latest).toBeHidden();
      await page.getByRole('button', { name: 'Approve', exact: true }).click();
      await expect(stop(page)).toBeHidden();
      await end();
    });
    expect(running.errors).toEqual([]);
  } finally {
    await running.close();
    await rm(temp, { recursive: true, force: true });
  }
});

test('with the keyboard alone: the focus is in the composer after each answer', async () => {
  const { temp, folder, home } = await makeProject({ 'a.txt': 'one\n' });
  const withFolder = await launchApp({ folder, home });
  try {
    const { page } = withFolder;
    await page.getByRole('button', { name: 'Trust This Folder' }).press('Enter');
    await expect(composer(page)).toBeFocused();
    await composer(page).fill('replace "one" with "two" in a.txt\ndelete a.txt');
    await page.keyboard.press('Enter');
    const approve = page.getByRole('button', { name: 'Approve', exact: true });
    await approve.press('Enter');
    await expect(composer(page)).toBeFocused();
    await expect(page.getByRole('heading', { name: /Delete/ })).toBeVisible();
    await page.getByRole('button', { name: 'Reject…' }).press('Enter');
    await page.keyboard.press('Escape');
    await expect(page.getByRole('button', { name: 'Reject…' })).toBeFocused();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await expect(composer(page)).toBeFocused();
    await expect(stop(page)).toBeHidden();
    expect(withFolder.errors).toEqual([]);
  } finally {
    await withFolder.close();
  }
  const first = await launchApp();
  try {
    await first.page.getByRole('button', { name: 'Try the sample project' }).press('Enter');
    await expect(composer(first.page)).toBeFocused();
    expect(first.errors).toEqual([]);
  } finally {
    await first.close();
    await rm(temp, { recursive: true, force: true });
  }
});

test('a long coloured result is cut, without the codes of its colours', async () => {
  const { temp, folder, home } = await makeProject({ 'a.txt': 'one\n' });
  const running = await launchApp({ folder, home });
  const { page } = running;
  try {
    await trust(page);
    await send(page, "run `for i in $(seq 90); do printf '\\033[32mline %s\\033[0m\\n' $i; done`");
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    const done = page.getByRole('region', { name: 'Done', exact: true });
    await expect(done).toBeVisible();
    await expect(page.getByText('line 90').first()).toBeAttached();
    await expect(page.getByRole('log').getByText('[32mline 9')).toHaveCount(0);
    await done.getByRole('button', { name: 'Show all' }).click();
    await expect(done.getByRole('button', { name: 'Show all' })).toBeHidden();
    await expect(done.getByRole('button', { name: 'View Changes' })).toBeHidden();
    expect(running.errors).toEqual([]);
  } finally {
    await running.close();
    await rm(temp, { recursive: true, force: true });
  }
});

test('among many calls the one that asks is in sight, whole, and can be answered by keyboard', async () => {
  const { temp, folder, home } = await makeProject({ 'a.txt': 'one\n' });
  const running = await launchApp({ folder, home });
  const { page } = running;
  try {
    await trust(page);
    await page.setViewportSize({ width: 1200, height: 620 });
    const files = Array.from({ length: 24 }, (_, i) => `create f${i + 1}.txt with "${i + 1}"`);
    await send(page, files.join('\n'));
    const approve = page.getByRole('button', { name: 'Approve', exact: true });
    for (const name of ['f1.txt', 'f2.txt', 'f3.txt']) {
      await expect(page.getByRole('heading', { name: new RegExp(`Create ${name}`) })).toBeInViewport({
        ratio: 1,
      });
      await expect(approve).toBeInViewport({ ratio: 1 });
      await approve.press('Enter');
    }
    await expect(page.getByRole('heading', { name: /Create f4\.txt/ })).toBeInViewport({ ratio: 1 });
    await picture(page, 'many-calls');
    await page.getByRole('log').hover();
    await page.mouse.wheel(0, 900);
    await stop(page).click();
    await expect(stop(page)).toBeHidden();
    expect(running.errors).toEqual([]);
  } finally {
    await running.close();
    await rm(temp, { recursive: true, force: true });
  }
});
