// Restores that need a person: edits by hand on both sides, files that cannot be written, lines to return to, messages
// that are edited; and the palette. By keyboard wherever a keyboard is what decides.
import { execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { launchApp, type RunningApp } from './support/app';
import { expectAccessible } from './support/axe';
import { makeProject } from './support/folder';
import { picture } from './support/picture';
import { chooseRestore, composer, markers, onMarker, send, trust, undo } from './support/window';

type Story = (running: RunningApp & { readonly at: (name: string) => string }) => Promise<void>;

async function withProject(files: Readonly<Record<string, string>>, story: Story): Promise<void> {
  const { temp, folder, home } = await makeProject(files);
  const running = await launchApp({ folder, home });
  try {
    await trust(running.page);
    await expect(running.page.getByText(/Checkpoints on/)).toBeVisible();
    await story({ ...running, at: (name) => path.join(folder, name) });
    expect(running.errors).toEqual([]);
  } finally {
    await running.close();
    await rm(temp, { recursive: true, force: true });
  }
}

/** Edits are approved once and for all, then a run is over when its card is there. */
async function runEdits(page: Page, prompt: string): Promise<void> {
  const runs = await page.getByRole('region', { name: 'Done', exact: true }).count();
  await send(page, prompt);
  const always = page.getByRole('button', { name: 'Always allow edits' });
  const done = page.getByRole('region', { name: 'Done', exact: true }).nth(runs);
  await expect(always.or(done).first()).toBeVisible();
  if (await always.isVisible()) await always.click();
  await expect(done).toBeVisible();
  await expect(page.getByRole('button', { name: 'Stop', exact: true })).toBeHidden();
}

const palette = (page: Page) => page.getByRole('dialog', { name: 'Commands' });
async function command(page: Page, words: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await expect(palette(page)).toBeVisible();
  await page.keyboard.type(words);
  await page.keyboard.press('Enter');
}

const body = (third: string): string => ['first', 'second', third, 'fourth', ''].join('\n');

test('conflicts are answered file by file, with the three sides in sight, by keyboard', () =>
  withProject(
    { 'a.ts': body('old a'), 'b.ts': body('old b'), 'c.ts': body('old c') },
    async ({ page, at }) => {
      await runEdits(
        page,
        ['a', 'b', 'c'].map((n) => `replace "old ${n}" with "new ${n}" in ${n}.ts`).join('\n'),
      );
      await writeFile(at('a.ts'), body('mine a'));
      await writeFile(at('b.ts'), body('mine b'));
      await chooseRestore(page, markers(page, /^Initial checkpoint/), 'Restore Files & Task');
      const dialog = page.getByRole('dialog');
      const restore = dialog.getByRole('button', { name: 'Restore', exact: true });
      await expect(dialog.getByRole('status')).toHaveText(/^2 of 2 to answer/);
      await expect(restore).toBeDisabled();
      for (const [side, text] of [
        ['Yours, now', 'mine a'],
        ['As the task left it', 'new a'],
        ['Checkpoint', 'old a'],
      ] as const) {
        await expect(dialog.getByRole('heading', { name: side })).toBeVisible();
        await expect(
          dialog.locator('.view-lines').filter({ hasText: text.replace(' ', '\u00a0') }),
        ).toBeVisible();
      }
      await expectAccessible(page, 'conflicts');
      await picture(page, 'conflict-choice');
      await picture(page, 'conflict-choice', { width: 1024 });

      await dialog.getByRole('button', { name: /^b\.ts/ }).press('Enter');
      await expect(dialog.locator('.view-lines').filter({ hasText: 'mine\u00a0b' })).toBeVisible();
      await dialog
        .getByRole('radiogroup', { name: 'a.ts' })
        .getByRole('radio', { name: 'Keep mine' })
        .press('Space');
      await expect(dialog.getByRole('status')).toHaveText(/^1 of 2 to answer/);
      await expect(restore).toBeDisabled();
      const b = dialog.getByRole('radiogroup', { name: 'b.ts' });
      await b.getByRole('radio', { name: 'Keep mine' }).press('ArrowRight');
      await expect(b.getByRole('radio', { name: "Take the checkpoint's" })).toBeChecked();
      await expect(dialog.getByRole('status')).toHaveText(/^All are answered/);
      await restore.press('Enter');
      await expect(dialog).toBeHidden();
      const texts = () => Promise.all(['a.ts', 'b.ts', 'c.ts'].map((n) => readFile(at(n), 'utf8')));
      expect(await texts()).toEqual([body('mine a'), body('old b'), body('old c')]);

      await undo(page).press('Enter');
      await expect(page.getByRole('region', { name: 'Done', exact: true })).toBeVisible();
      expect(await texts()).toEqual([body('mine a'), body('mine b'), body('new c')]);
      await chooseRestore(page, markers(page, /^Initial checkpoint/), 'Restore Files Only');
      await dialog
        .getByRole('radiogroup', { name: 'For all of them' })
        .getByText("Take the checkpoint's")
        .click();
      await restore.click();
      await expect(dialog).toBeHidden();
      expect(await texts()).toEqual([body('old a'), body('old b'), body('old c')]);
      await expect(markers(page, /^Checkpoint \(restored\)/)).toBeVisible();
      await onMarker(markers(page, /^Checkpoint \(restored\)/), 'Restore');
      await expect(page.getByRole('menuitem', { name: 'Restore Files Only' })).toBeDisabled();
      await page.keyboard.press('Escape');
      await writeFile(at('a.ts'), body('later'));
      await expect(markers(page, /^Initial checkpoint/)).toBeVisible();
    },
  ));

test('a line that was left is returned to after new messages; undo in the palette', () =>
  withProject({ 'a.txt': 'zero\n' }, async ({ page, at }) => {
    const text = () => readFile(at('a.txt'), 'utf8');
    const lines = page.getByRole('button', { name: 'Redo points and earlier lines' });
    await runEdits(page, 'replace "zero" with "one" in a.txt');
    await expect(lines).toBeHidden();
    await chooseRestore(page, markers(page, /^Initial checkpoint/), 'Restore Files & Task');
    await page.getByRole('dialog').getByRole('button', { name: 'Restore', exact: true }).click();
    await expect(composer(page)).toHaveValue('replace "zero" with "one" in a.txt');
    await composer(page).fill('');
    await runEdits(page, 'replace "zero" with "other" in a.txt\ncreate b.txt with "b"');

    await lines.press('Enter');
    const list = page.getByRole('dialog', { name: 'Redo points and earlier lines' });
    const line = list.getByRole('region', { name: 'Earlier lines' }).getByRole('listitem');
    await expect(line).toContainText('replace "zero" with "one" in a.txt');
    await expect(line).toContainText(/left at .* · \d+ messages/);
    await expect(list.getByRole('region', { name: 'Redo points' }).getByRole('listitem')).toHaveCount(1);
    await expectAccessible(page, 'lines');
    await picture(page, 'lines');
    await line.getByRole('button', { name: /^Return to/ }).press('Enter');
    const question = page.getByRole('dialog', { name: 'Return to this line?' });
    await expect(question.getByText('b.txt')).toBeVisible();
    await expectAccessible(page, 'return to a line');
    await picture(page, 'line-return');
    await question.getByRole('button', { name: 'Restore', exact: true }).press('Enter');
    await expect(question).toBeHidden();
    await expect(page.getByRole('article', { name: 'You' })).toHaveText(/with "one"/);
    expect(await text()).toBe('one\n');
    await expect(readFile(at('b.txt'))).rejects.toMatchObject({ code: 'ENOENT' });

    await command(page, 'undo last');
    const back = page.getByRole('dialog', { name: /^Take back the restore/ });
    await back.getByRole('button', { name: 'Restore', exact: true }).press('Enter');
    await expect(page.getByRole('article', { name: 'You' })).toHaveText(/with "other"/);
    expect(await text()).toBe('other\n');
    expect(await readFile(at('b.txt'), 'utf8')).toBe('b');
  }));

test('a sent message is edited: chat alone, files too, Esc, unchanged, and hidden where checkpoints fail', () =>
  withProject({ 'a.txt': 'zero\n' }, async ({ page, at }) => {
    const text = () => readFile(at('a.txt'), 'utf8');
    const field = page.getByRole('textbox', { name: 'Edit message' });
    const you = page.getByRole('article', { name: 'You' });
    const chat = page.getByRole('button', { name: 'Restore Chat' });
    const all = page.getByRole('button', { name: 'Restore All' });
    await runEdits(page, 'replace "zero" with "one" in a.txt');

    await you.getByText('replace "zero"').click();
    await expect(field).toBeFocused();
    await expect(chat.or(all)).toHaveCount(0);
    await page.keyboard.press('Enter');
    await expect(field).toBeFocused();
    await field.fill('replace "zero" with "two" in a.txt');
    await expect(chat).toBeVisible();
    await expect(all).toBeVisible();
    await expectAccessible(page, 'edit message');
    await picture(page, 'edit-message');
    await page.keyboard.press('Escape');
    await expect(field).toBeHidden();
    await expect(you.getByRole('button', { name: 'Edit message' })).toBeFocused();
    expect(await text()).toBe('one\n');
    await composer(page).press('ArrowUp');
    await expect(composer(page)).toHaveValue('replace "zero" with "two" in a.txt');
    await composer(page).fill('');

    // files and messages: back to before the message, then the new text
    await you.getByRole('button', { name: 'Edit message' }).press('Enter');
    await field.fill('replace "zero" with "two" in a.txt');
    await all.press('Enter');
    await expect(you).toHaveText(/with "two"/);
    await expect(page.getByRole('region', { name: 'Done', exact: true })).toBeVisible();
    await expect.poll(text).toBe('two\n');
    await expect(you).toHaveCount(1);
    await expect(composer(page)).toHaveValue('');

    // the conversation alone: the file stays as the old message had left it
    await you.getByRole('button', { name: 'Edit message' }).press('Enter');
    await field.fill('replace "two" with "three" in a.txt');
    await page.keyboard.press('Enter');
    await expect(you).toHaveText(/with "three"/);
    await expect.poll(text).toBe('three\n');
    await expect(you).toHaveCount(1);
    await picture(page, 'edited-message');
  }));

test('a message of Ask mode, which has no checkpoint, is edited too', () =>
  withProject({ 'a.txt': 'zero\n' }, async ({ page }) => {
    const you = page.getByRole('article', { name: 'You' });
    await page.getByRole('radio', { name: 'Ask' }).click();
    await send(page, 'read a.txt');
    await expect(page.getByRole('article', { name: 'Agent' }).last()).toBeVisible();
    await expect(page.getByRole('button', { name: 'Stop', exact: true })).toBeHidden();
    await you.getByRole('button', { name: 'Edit message' }).press('Enter');
    await page.getByRole('textbox', { name: 'Edit message' }).fill('hello');
    await page.keyboard.press('Enter');
    await expect(you).toHaveText('hello');
    await expect(you).toHaveCount(1);
    await expect(page.getByRole('article', { name: 'Agent' }).last()).toBeVisible();
    await expect(markers(page, /^Checkpoint/)).toHaveCount(0);
    await undo(page).click();
    await expect(you).toHaveText('read a.txt');
  }));

test('the palette: every action by name, a name for a checkpoint, two checkpoints to compare, just one turn', () =>
  withProject({ 'a.txt': 'zero\n' }, async ({ page }) => {
    await runEdits(page, 'replace "zero" with "one" in a.txt');
    await composer(page).focus();
    await page.keyboard.press('Control+k');
    await expect(palette(page).getByRole('combobox')).toBeFocused();
    await expect(palette(page).getByRole('option', { name: /^New Task/ })).toBeVisible();
    await expectAccessible(page, 'palette');
    await page.keyboard.type('resto');
    await picture(page, 'palette');
    await page.keyboard.press('Escape');
    await expect(palette(page)).toBeHidden();
    await expect(composer(page)).toBeFocused();

    await command(page, 'save checkpoint');
    await expect(palette(page).getByRole('option', { name: 'Type a name' })).toBeVisible();
    await page.keyboard.type('Half way');
    await page.keyboard.press('Enter');
    await expect(markers(page, /^Half way/)).toBeVisible();
    await runEdits(page, 'create b.txt with "b"');

    await command(page, 'compare two');
    await expect(palette(page).getByRole('option', { name: /^Half way/ })).toBeVisible();
    await expectAccessible(page, 'palette of checkpoints');
    await picture(page, 'palette-checkpoints');
    await page.keyboard.type('half');
    await page.keyboard.press('Enter');
    await page.keyboard.type('initial');
    await page.keyboard.press('Enter');
    const pane = page.getByRole('region', { name: 'Changes between snapshots' });
    await expect(pane.getByText('a.txt').first()).toBeVisible();
    await expect(pane.getByText('b.txt')).toHaveCount(0);

    const turn = markers(page, /^Checkpoint · /).first();
    await turn.hover();
    await turn.getByRole('button', { name: 'More comparisons' }).click();
    await expectAccessible(page, 'comparisons');
    await picture(page, 'comparisons');
    await page.getByRole('menuitem', { name: 'Just this turn' }).click();
    await expect(page.getByRole('region', { name: 'Changes of this turn' })).toBeVisible();

    await command(page, 'theme: dark');
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  }));

/** Nothing in the folder can be written any more. Permission bits do not stop root, an attribute does. */
function shut(folder: string): () => void {
  if (process.getuid?.() === 0) {
    execFileSync('chattr', ['+i', folder]);
    return () => execFileSync('chattr', ['-i', folder]);
  }
  chmodSync(folder, 0o555);
  return () => chmodSync(folder, 0o755);
}

test('files that cannot be written: each is named, the task goes back; retry, and retry without them', () =>
  withProject({ 'a.txt': 'zero\n', 'shut/x.txt': 'zero\n', 'shut/y.txt': 'zero\n' }, async ({ page, at }) => {
    const names = ['a.txt', 'shut/x.txt', 'shut/y.txt'];
    const texts = () => Promise.all(names.map((n) => readFile(at(n), 'utf8')));
    await runEdits(page, names.map((n) => `replace "zero" with "one" in ${n}`).join('\n'));
    const open = shut(at('shut'));
    try {
      await chooseRestore(page, markers(page, /^Initial checkpoint/), 'Restore Files & Task');
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
      await expect(dialog).toHaveAccessibleName('The task was restored, the files were not');
      await expect(dialog.getByText(/permission denied/)).toBeVisible();
      for (const name of names.slice(1)) await expect(dialog.getByText(name)).toBeVisible();
      await expect(dialog.getByText('a.txt')).toHaveCount(0);
      expect(await texts()).toEqual(['one\n', 'one\n', 'one\n']);
      // behind the dialog, where no reader looks
      await expect(page.getByRole('textbox', { name: 'Message', includeHidden: true })).toHaveValue(
        /with "one"/,
      );
      await expectAccessible(page, 'restore failed');
      await picture(page, 'restore-failed');

      await dialog.getByRole('button', { name: 'Retry', exact: true }).press('Enter');
      await expect(dialog.getByText(/permission denied/)).toBeVisible();
      await dialog.getByRole('button', { name: 'Retry without these files' }).press('Enter');
      await expect(dialog).toBeHidden();
      await expect(page.getByText(/^Restored 1 file to/)).toBeVisible();
      await expect(page.getByText(/2 files .*left alone/)).toBeVisible();
      expect(await texts()).toEqual(['zero\n', 'one\n', 'one\n']);
    } finally {
      open();
    }
    // what was left can still be restored: the checkpoint does not count as restored
    await chooseRestore(page, markers(page, /^Initial checkpoint/), 'Restore Files Only');
    await expect.poll(texts).toEqual(['zero\n', 'zero\n', 'zero\n']);
    await expect(markers(page, /^Checkpoint \(restored\)/)).toBeVisible();
  }));
