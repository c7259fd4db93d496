// Messages that are written while the agent works, and an answer that is made again.
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { launchApp } from './support/app';
import { expectAccessible } from './support/axe';
import { makeProject } from './support/folder';
import { picture } from './support/picture';
import { composer, send, trust } from './support/window';

test('messages typed during a run wait: changed, taken out, sent in turn; a stopped run sends none; the last answer again', async () => {
  const { temp, folder, home } = await makeProject({ 'a.txt': 'zero\n' });
  const running = await launchApp({ folder, home });
  const { page } = running;
  const text = (name: string) => readFile(path.join(folder, name), 'utf8').catch(() => null);
  const approve = page.getByRole('button', { name: 'Approve', exact: true });
  const stop = page.getByRole('button', { name: 'Stop', exact: true });
  const waiting = page.getByRole('region', { name: 'Waiting messages' });
  const queue = async (words: string) => {
    await composer(page).fill(words);
    await composer(page).press('Enter');
    await expect(waiting.getByText(words)).toBeVisible();
    await expect(composer(page)).toHaveValue('');
  };
  try {
    await trust(page);
    await expect(page.getByText(/Checkpoints on/)).toBeVisible();
    // the card holds the run until all is queued
    await send(page, 'replace "zero" with "one" in a.txt');
    await expect(approve).toBeVisible();
    await queue('create b.txt with "b"');
    await queue('create never.txt with "n"');
    await queue('hello');
    await expectAccessible(page, 'queue');
    await picture(page, 'queue');

    await waiting.getByRole('button', { name: 'Remove this message' }).nth(1).press('Enter');
    await expect(waiting.getByText('never.txt')).toBeHidden();
    await waiting.getByRole('button', { name: 'Change this message' }).first().press('Enter');
    const field = page.getByRole('textbox', { name: 'Waiting message' });
    await expect(field).toBeFocused();
    await field.fill('create c.txt with "c"');
    await page.keyboard.press('Enter');
    await expect(waiting.getByText('create c.txt with "c"')).toBeVisible();

    await approve.click();
    await expect(page.getByRole('article', { name: 'You' })).toHaveCount(2);
    await expect(approve).toBeVisible();
    expect(await text('a.txt')).toBe('one\n');
    await expect(waiting.getByText('hello')).toBeVisible();
    await stop.click();
    await expect(stop).toBeHidden();
    await expect(waiting.getByText('Not sent: the run before was stopped or failed')).toBeVisible();
    await waiting.getByRole('button', { name: 'Send now' }).press('Enter');
    await expect(waiting).toBeHidden();
    await expect(page.getByRole('article', { name: 'You' })).toHaveCount(3);
    await expect(stop).toBeHidden();
    expect([await text('b.txt'), await text('c.txt'), await text('never.txt')]).toEqual([null, null, null]);

    const again = page.getByRole('button', { name: 'Answer again', exact: true });
    await again.press('Enter');
    await expect(again).toBeVisible();
    await expect(page.getByRole('article', { name: 'You' })).toHaveCount(3);
    await expect(page.getByRole('article', { name: 'You' }).last()).toContainText('hello');
    await picture(page, 'answer-again');
    expect(running.errors).toEqual([]);
  } finally {
    await running.close();
    await rm(temp, { recursive: true, force: true });
  }
});
