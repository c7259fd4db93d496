// The comparison: single hunks and files taken back, white space left out, images, and what is no text.
import { execFileSync } from 'node:child_process';
import { appendFile, chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { expect, type Locator, type Page, test } from '@playwright/test';
import { launchApp, ownEnvironment, type RunningApp } from './support/app';
import { expectAccessible } from './support/axe';
import { makeProject } from './support/folder';
import { picture } from './support/picture';
import { markers, onMarker, send, treeRow, trust } from './support/window';

const LINES = Array.from({ length: 60 }, (_, i) => (i === 29 ? '  indented' : `line ${i + 1};`));
const FILES = { 'a.txt': `${LINES.join('\n')}\n`, 'space.txt': 'one\n two\n' };

type Story = RunningApp & { readonly folder: string; text(name: string): Promise<string> };

async function withProject(
  files: Readonly<Record<string, string>>,
  story: (running: Story) => Promise<void>,
): Promise<void> {
  const { temp, folder, home } = await makeProject(files);
  const running = await launchApp({ folder, home });
  try {
    await trust(running.page);
    await expect(running.page.getByText(/Checkpoints on/)).toBeVisible();
    await story({ ...running, folder, text: (name) => readFile(path.join(folder, name), 'utf8') });
    expect(running.errors).toEqual([]);
  } finally {
    await running.close();
    await rm(temp, { recursive: true, force: true });
  }
}

async function autoApprove(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Auto-approve/ }).click();
  await page.getByRole('menuitemcheckbox', { name: /Edit files/ }).click();
  await page.keyboard.press('Escape');
}

async function runAndCompare(page: Page, prompt: readonly string[]): Promise<Locator> {
  await send(page, prompt.join('\n'));
  await expect(page.getByRole('region', { name: 'Done', exact: true })).toBeVisible();
  await onMarker(markers(page, /^Initial checkpoint/), 'Compare');
  const pane = page.getByRole('region', { name: 'Changes since snapshot' });
  await expect(pane).toBeVisible();
  return pane;
}

const hunk = (pane: Locator, words: string): Locator =>
  pane.getByRole('button', { name: `Revert this hunk, ${words}`, exact: true });
const undo = (page: Page): Locator => page.getByRole('button', { name: 'Undo', exact: true }).last();

test('one hunk is taken back and comes back; white space that is left out changes nothing about that', () =>
  withProject(FILES, async ({ page, text }) => {
    await autoApprove(page);
    const pane = await runAndCompare(page, [
      'replace "line 3;" with "three" in a.txt',
      'replace "  indented" with "      indented" in a.txt',
      'replace "line 50;" with "fifty" in a.txt',
      'replace " two" with "   two" in space.txt',
    ]);
    const file = pane.getByRole('region', { name: 'a.txt' });
    await expect(hunk(file, 'line 3')).toBeVisible();
    await expect(hunk(file, 'line 30')).toBeVisible();
    await expect(hunk(file, 'line 50')).toBeVisible();
    await expectAccessible(page, 'hunks');
    await picture(page, 'hunks');

    const space = pane.getByRole('button', { name: 'Ignore white space' });
    await space.click();
    await expect(space).toHaveAttribute('aria-pressed', 'true');
    await expect(hunk(file, 'line 30')).toBeHidden();
    await expect(pane.getByText('only white space differs')).toBeVisible();
    await picture(page, 'hunks-without-space');

    const before = await text('a.txt');
    await hunk(file, 'line 50').press('Enter');
    await expect(hunk(file, 'line 50')).toBeHidden();
    expect(await text('a.txt')).toBe(before.replace('fifty', 'line 50;'));
    await undo(page).click();
    await expect(hunk(file, 'line 50')).toBeVisible();
    expect(await text('a.txt')).toBe(before);

    await space.click();
    await hunk(file, 'line 30').click();
    await expect(hunk(file, 'line 30')).toBeHidden();
    expect(await text('a.txt')).toBe(before.replace('      indented', '  indented'));

    await pane.getByRole('radio', { name: 'Unified' }).click();
    await hunk(file, 'line 3').click();
    await expect(hunk(file, 'line 3')).toBeHidden();
    expect(await text('a.txt')).toBe(FILES['a.txt'].replace('line 50;', 'fifty'));
    await pane.getByRole('radio', { name: 'Split' }).click();
  }));

test('a comparison that is older than the disk takes nothing back, and follows', () =>
  withProject(FILES, async ({ page, folder, text }) => {
    await autoApprove(page);
    const pane = await runAndCompare(page, ['replace "line 3;" with "three" in a.txt']);
    await expect(hunk(pane, 'line 3')).toBeVisible();
    const mine = `mine\n${await text('a.txt')}`;
    await writeFile(path.join(folder, 'a.txt'), mine);
    await expect(hunk(pane, 'line 4')).toBeVisible();
    await expect(hunk(pane, 'line 3')).toBeHidden();
    await hunk(pane, 'line 4').click();
    await expect(hunk(pane, 'line 4')).toBeHidden();
    expect(await text('a.txt')).toBe(mine.replace('three', 'line 3;'));
  }));

test('fault 17, fault 18: a new file is taken away by one act alone, and lines by hand are asked about', () =>
  withProject({ 'a.txt': 'one\n' }, async ({ page, folder, text }) => {
    await autoApprove(page);
    const pane = await runAndCompare(page, ['create n.ts with "let a = 1;"']);
    await treeRow(page, 'n.ts').click();
    await page.getByRole('region', { name: 'n.ts', exact: true }).getByRole('textbox').focus();
    for (let i = 0; i < 30; i++) await page.keyboard.press('Control+z');
    await page.keyboard.type('typed');
    await page.keyboard.press('Delete');
    expect(await text('n.ts')).toBe('let a = 1;');

    await appendFile(path.join(folder, 'n.ts'), '\nby hand\n');
    await onMarker(markers(page, /^Initial checkpoint/), 'Compare');
    await pane.getByRole('button', { name: 'Restore file' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your edits would go too' });
    await expect(dialog).toBeVisible();
    await expectAccessible(page, 'edits at stake');
    await dialog.getByRole('button', { name: 'Keep Mine' }).click();
    expect(await text('n.ts')).toBe('let a = 1;\nby hand\n');
    await pane.getByRole('button', { name: 'Restore file' }).click();
    await dialog.getByRole('button', { name: 'Restore File', exact: true }).click();
    await expect(treeRow(page, 'n.ts')).toBeHidden();
    expect(await readdir(folder)).toEqual(['a.txt']);
    await undo(page).click();
    await expect(treeRow(page, 'n.ts')).toBeVisible();
    expect(await text('n.ts')).toBe('let a = 1;\nby hand\n');
  }));

test('fault 17: the preview of a file that was taken away says so', () =>
  withProject({ 'a.txt': 'one\n' }, async ({ page, folder }) => {
    await autoApprove(page);
    await send(page, 'create n.ts with "let a = 1;"');
    await treeRow(page, 'n.ts').click();
    await expect(page.getByRole('region', { name: 'n.ts', exact: true })).toBeVisible();
    await rm(path.join(folder, 'n.ts'));
    await expect(
      page.getByRole('region', { name: 'n.ts', exact: true }).getByText(/is not there any more/),
    ).toBeVisible();
  }));

test('fault 19: a start writes nothing; the comparison shows what was changed since', async () => {
  const { temp, folder, home } = await makeProject({ 'a.txt': 'one\n' });
  const file = path.join(folder, 'a.txt');
  const first = await launchApp({ folder, home });
  await trust(first.page);
  await autoApprove(first.page);
  await runAndCompare(first.page, ['replace "one" with "two" in a.txt']);
  await first.close();
  await writeFile(file, 'two\nby hand\n');
  const { mtimeMs, ino } = await stat(file);
  const second = await launchApp({ folder, home });
  try {
    const { page } = second;
    for (const again of [false, true]) {
      if (again) await page.reload();
      await onMarker(markers(page, /^Initial checkpoint/), 'Compare');
      const pane = page.getByRole('region', { name: 'Changes since snapshot' });
      await expect(pane.getByText('by hand').first()).toBeVisible();
      expect(await stat(file)).toMatchObject({ mtimeMs, ino });
    }
    expect(await readFile(file, 'utf8')).toBe('two\nby hand\n');
    expect(second.errors).toEqual([]);
  } finally {
    await second.close();
    await rm(temp, { recursive: true, force: true });
  }
});

/** A picture of one colour, as a PNG. */
function png(width: number, height: number, [r, g, b]: readonly [number, number, number]): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const head = Buffer.alloc(4);
    head.writeUInt32BE(data.length);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([head, body, sum]);
  };
  const size = Buffer.alloc(13);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  size.set([8, 2, 0, 0, 0], 8);
  const row = Buffer.from([0, ...Array.from({ length: width }, () => [r, g, b]).flat()]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
  const mark = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([mark, chunk('IHDR', size), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

test('what is no text: pictures beside each other, binary and large files named, modes, ends and renames noted', () =>
  withProject(FILES, async ({ page, folder }) => {
    const at = (name: string): string => path.join(folder, name);
    await writeFile(at('logo.png'), png(96, 64, [20, 120, 140]));
    await writeFile(at('data.bin'), Buffer.from([0, 1, 2, 3]));
    await writeFile(at('tool.sh'), '#!/bin/sh\n');
    await writeFile(at('large.txt'), 'x\n');
    await writeFile(at('end.txt'), 'one\ntwo\n');
    await writeFile(at('breaks.txt'), 'one\ntwo\n');
    const git = { cwd: folder, env: { ...ownEnvironment(), GIT_CONFIG_GLOBAL: '/dev/null' } };
    execFileSync('git', ['init', '-q'], git);
    execFileSync('git', ['add', '-A'], git); // a picture is in a checkpoint when the project tracks it
    await autoApprove(page);
    await send(page, 'rename a.txt to b.txt');
    await expect(page.getByRole('region', { name: 'Done', exact: true })).toBeVisible();
    await writeFile(at('logo.png'), png(128, 64, [200, 90, 40]));
    await writeFile(at('data.bin'), Buffer.from([0, 1, 2, 3, 4, 5]));
    await chmod(at('tool.sh'), 0o755);
    await writeFile(at('large.txt'), 'y\n'.repeat(50_001));
    await writeFile(at('end.txt'), 'one\ntwo');
    await writeFile(at('breaks.txt'), 'one\r\ntwo\r\n');
    await onMarker(markers(page, /^Initial checkpoint/), 'Compare');
    const pane = page.getByRole('region', { name: 'Changes since snapshot' });
    await expect(pane.getByText('a.txt → b.txt')).toBeVisible();
    const list = pane.getByRole('region', { name: 'Changed files' });
    const seen = async (text: string | RegExp): Promise<void> => {
      await expect(async () => {
        if (!(await list.getByText(text).first().isVisible())) {
          await list.hover();
          await page.mouse.wheel(0, 300);
        }
        await expect(list.getByText(text).first()).toBeVisible({ timeout: 300 });
      }).toPass();
    };
    await seen('line endings changed LF → CRLF');
    await seen(/Binary file · 4 B → 6 B/);
    await seen('the newline at the end was removed');
    await seen(/Large file/);
    await seen(/Before · 96 × 64/);
    await seen(/After · 128 × 64/);
    await expect(list.getByRole('img', { name: 'logo.png, after' })).toBeVisible();
    await expectAccessible(page, 'pictures');
    await picture(page, 'diff-kinds');
    await seen('mode 644 → 755');
    await page.mouse.wheel(0, -3000);
    const large = list.getByRole('region', { name: 'large.txt' });
    await seen(/Large file/);
    await large.getByRole('button', { name: 'Show anyway' }).click();
    await expect(large.getByRole('button', { name: 'Show anyway' })).toBeHidden();
    await expect(large.locator('.monaco-diff-editor')).toBeVisible();
    await seen('Only the name changed');
    await list.getByRole('region', { name: 'b.txt' }).getByRole('button', { name: 'Restore file' }).click();
    await expect(treeRow(page, 'b.txt')).toBeHidden();
    expect(await readFile(at('a.txt'), 'utf8')).toBe(FILES['a.txt']);
    await undo(page).click();
    await expect(treeRow(page, 'b.txt')).toBeVisible();
    expect(await readdir(folder)).not.toContain('a.txt');
  }));
