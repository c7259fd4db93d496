// Several folders in one window: passed at once, named in a workspace file, dropped, opened again from the recent list.
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, type Page, test } from '@playwright/test';
import { launchApp, launchArguments, mayLimit, ownEnvironment, type RunningApp } from './support/app';
import { expectAccessible } from './support/axe';
import { makeProject } from './support/folder';
import { picture } from './support/picture';
import { chooseRestore, composer, markers, send, treeRow, trust } from './support/window';

const MULTI_ROOT = 'Checkpoints are not currently supported in multi-root workspaces.';

type Place = { readonly temp: string; readonly home: string; readonly app: string; readonly lib: string };

/** `project/app` and `project/lib`. */
async function twoFolders(): Promise<Place> {
  const made = await makeProject({ 'app/a.txt': 'one\n', 'lib/src/b.txt': 'one\n' });
  return { ...made, app: path.join(made.folder, 'app'), lib: path.join(made.folder, 'lib') };
}

async function withApp(
  options: Parameters<typeof launchApp>[0],
  story: (running: RunningApp) => Promise<void>,
): Promise<void> {
  const running = await launchApp(options);
  try {
    await story(running);
    expect(running.errors).toEqual([]);
  } finally {
    await running.close();
  }
}

/** A second start beside the first, as a person's shell or file manager does it. */
async function startAgain({ app, home }: RunningApp, folders: readonly string[]): Promise<string> {
  const [program = ''] = app.process().spawnargs;
  const { stdout } = await promisify(execFile)(program, launchArguments(folders).slice(2), {
    env: { ...ownEnvironment(), TIDEMARK_HOME: home, XDG_CONFIG_HOME: path.join(home, 'config') },
  });
  return stdout;
}

/** Drops files on the window as the system does. */
async function drop(page: Page, files: readonly string[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [...files], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data });
  await session.detach();
}

const trustBoth = (page: Page) => page.getByRole('button', { name: 'Trust These Folders' }).click();

test('several folders passed at once: one window, all in the tree, no checkpoints, and the task comes back', async () => {
  const { temp, home, app, lib } = await twoFolders();
  await withApp({ home, folders: [app, lib] }, async (running) => {
    const { page } = running;
    const dialog = page.getByRole('dialog', { name: /Do you trust the files in app, lib/ });
    await expect(dialog.getByText(lib)).toBeVisible();
    await picture(page, 'trust-several');
    await trustBoth(page);
    await expect(page.getByText(MULTI_ROOT)).toBeVisible();
    await expect(page.getByText('Checkpoints off')).toBeVisible();
    expect(running.app.windows()).toHaveLength(1);

    await treeRow(page, 'lib').click();
    await treeRow(page, 'src').click();
    await treeRow(page, 'b.txt').click();
    await expect(page.getByRole('region', { name: 'lib/src/b.txt' })).toBeVisible();

    await send(page, 'replace "one" with "two" in lib/src/b.txt\ncreate app/new.txt with "n"\nrun `pwd`');
    const approve = page.getByRole('button', { name: 'Approve', exact: true });
    await expect(page.getByRole('heading', { name: /lib\/src\/b\.txt/ })).toBeVisible();
    await expectAccessible(page, 'several folders');
    await approve.click();
    await expect(page.getByRole('heading', { name: /app\/new\.txt/ })).toBeVisible();
    await approve.click();
    await expect(page.getByRole('heading', { name: 'Run command in app' })).toBeVisible();
    await approve.click();
    await expect(page.getByRole('region', { name: 'Done', exact: true })).toBeVisible();
    expect(await readFile(path.join(lib, 'src/b.txt'), 'utf8')).toBe('two\n');
    await expect(page.getByText(app, { exact: true }).last()).toBeAttached();
    await treeRow(page, 'app').click();
    await expect(treeRow(page, 'new.txt')).toBeVisible();
    await expect(markers(page, /checkpoint/i)).toHaveCount(0);
    expect(await readdir(home)).not.toContain('checkpoints');
    await picture(page, 'several-folders');

    const file = path.join(temp, 'both.code-workspace');
    await writeFile(file, JSON.stringify({ folders: [{ path: lib }, { path: app }] }));
    expect(await startAgain(running, [file])).toContain('opened in the running window');
    const third = path.join(temp, 'third');
    await mkdir(third);
    const opened = running.app.waitForEvent('window');
    await startAgain(running, [third]);
    await trust(await opened);
    // Had the workspace file opened a window of its own, it would have come before this one.
    expect(running.app.windows()).toHaveLength(2);
  });
  await withApp({ home }, async ({ page }) => {
    await page.getByRole('button', { name: /^app, lib/ }).click();
    await expect(page.getByText(MULTI_ROOT)).toBeVisible();
    await expect(page.getByRole('region', { name: 'Done', exact: true })).toBeVisible();
    await expect(page.getByRole('article', { name: 'You' })).toContainText('lib/src/b.txt');
  });
  await rm(temp, { recursive: true, force: true });
});

test('several folders dropped at once open together in the window that they fall on; one alone has checkpoints', async () => {
  const { temp, home, app, lib } = await twoFolders();
  await withApp({ home }, async (running) => {
    const { page } = running;
    await expect(page.getByRole('button', { name: 'Try the sample project' })).toBeVisible();
    await drop(page, [lib, path.join(lib, 'src/b.txt')]);
    await expect(page.getByText(/b\.txt is not a folder/)).toBeVisible();
    await drop(page, [app, lib]);
    await trustBoth(page);
    await expect(page.getByText(MULTI_ROOT)).toBeVisible();
    await expect(treeRow(page, 'lib')).toBeVisible();
    await drop(page, [lib]);
    await expect(page.getByText(/Checkpoints on/)).toBeVisible();
    await expect(treeRow(page, 'src')).toBeVisible();
    await expect(page.getByText(MULTI_ROOT)).toBeHidden();
    expect(running.app.windows()).toHaveLength(1);
  });
  await rm(temp, { recursive: true, force: true });
});

test('a workspace file: with one folder it is that folder, damaged it is said', async () => {
  const { temp, home, app } = await twoFolders();
  const file = path.join(temp, 'x.code-workspace');
  await writeFile(file, '{ "folders": [ { "path": "project/app" }, ] } // one');
  await withApp({ home, folders: [file] }, async ({ page }) => {
    await trust(page);
    await expect(page.getByText(/Checkpoints on/)).toBeVisible();
    await expect(treeRow(page, 'a.txt')).toBeVisible();
  });
  await writeFile(file, '{ "folders": ');
  await withApp({ home, folders: [file] }, async ({ page }) => {
    await expect(page.getByText(/x\.code-workspace is damaged/)).toBeVisible();
    await expect(page.getByRole('button', { name: 'Try the sample project' })).toBeVisible();
  });
  expect(await readdir(app)).toEqual(['a.txt']);
  await rm(temp, { recursive: true, force: true });
});

test('a folder opened through a link is the folder itself, in one window', async () => {
  const { temp, home, app } = await twoFolders();
  const link = path.join(temp, 'link');
  await symlink(app, link);
  await withApp({ home, folder: link }, async (running) => {
    const { page } = running;
    await trust(page);
    await expect(page.getByText(/Checkpoints on/)).toBeVisible();
    await startAgain(running, [app]);
    await startAgain(running, [link]);
    await send(page, 'create b.txt with "b"');
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await expect(treeRow(page, 'b.txt')).toBeVisible();
    expect(running.app.windows()).toHaveLength(1);
  });
  expect(await readdir(app)).toEqual(['a.txt', 'b.txt']);
  await rm(temp, { recursive: true, force: true });
});

test('no folder: the header says so and offers one; the task works in the home workspace', async () => {
  const { temp, home } = await twoFolders();
  await withApp({ home }, async ({ page }) => {
    await page.getByRole('button', { name: 'Go on without a folder' }).click();
    await expect(
      page.getByText(/^No workspace detected\. Please open Tidemark in a workspace/),
    ).toBeVisible();
    await expect(page.getByRole('button', { name: 'Open folder', exact: true })).toBeVisible();
    await send(page, 'create x.txt with "x"');
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await expect(treeRow(page, 'x.txt')).toBeVisible();
    await expect(composer(page)).toBeVisible();
    await expect(markers(page, /checkpoint/i)).toHaveCount(0);
  });
  expect(await readdir(path.join(home, 'workspace'))).toEqual(['x.txt']);
  await rm(temp, { recursive: true, force: true });
});

test('fault 62: folders that are too wide, under whatever name: the header says which, and the agent works', async () => {
  const { temp, home, lib } = await twoFolders();
  const user = path.join(temp, 'user');
  const desk = path.join(user, 'Schreibtisch');
  await mkdir(path.join(desk, 'project'), { recursive: true });
  await mkdir(path.join(user, '.config'));
  await writeFile(path.join(user, '.config/user-dirs.dirs'), 'XDG_DESKTOP_DIR="$HOME/Schreibtisch"\n');
  await symlink(desk, path.join(temp, 'desk-link'));
  const env = { HOME: user, XDG_CONFIG_HOME: path.join(user, '.config') };
  await withApp({ home, env, folder: lib }, async ({ page }) => {
    await trust(page);
    await expect(page.getByText(/Checkpoints on/)).toBeVisible();
    for (const [folder, name] of [
      [user, 'home directory'],
      [desk, 'Desktop directory'],
      ['/', 'drive root'],
      [home, "Tidemark's own folder"],
      [path.join(temp, 'desk-link'), 'Desktop directory'],
    ] as const) {
      await drop(page, [folder]);
      const answer = page.getByRole('button', { name: 'Trust This Folder' });
      const words = `Cannot use checkpoints in ${name}. Open a specific project folder instead.`;
      await expect(page.getByText(words)).toBeVisible();
      if (folder !== path.join(temp, 'desk-link')) await answer.click();
      await expect(answer).toBeHidden();
      await expect(page.getByText('Checkpoints off')).toBeVisible();
    }
    await send(page, 'create here.txt with "x"');
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await expect(treeRow(page, 'here.txt')).toBeVisible();
    await drop(page, [path.join(desk, 'project')]);
    await trust(page);
    await expect(page.getByText(/Checkpoints on/)).toBeVisible();
  });
  expect((await readdir(desk)).sort()).toEqual(['here.txt', 'project']);
  await rm(temp, { recursive: true, force: true });
});

test('fault 65: few watches and open files: one notice, the tree follows on focus, checkpoints do not mind', async () => {
  test.skip(!mayLimit(), 'user namespaces are switched off on this machine');
  const files = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`many/f${i}.txt`, `${i}\n`]));
  const { temp, folder, home } = await makeProject({ 'many/a.txt': 'one\n', ...files });
  const limits = { watches: 60, files: 512 };
  await withApp({ home, folder, limits }, async ({ page, app }) => {
    await trust(page);
    await expect(page.getByText(/Checkpoints on/)).toBeVisible();
    await treeRow(page, 'many').click();
    await expect(page.getByText(/^The system cannot watch more folders/)).toHaveCount(1);
    await send(page, 'replace "0" with "zero" in many/f0.txt\ndelete many/a.txt');
    const approve = page.getByRole('button', { name: 'Approve', exact: true });
    await approve.click();
    await expect(page.getByRole('heading', { name: 'Delete many/a.txt' })).toBeVisible();
    await approve.click();
    await expect(page.getByRole('region', { name: 'Done', exact: true })).toBeVisible();
    await expect(treeRow(page, 'a.txt')).toContainText('D');

    await writeFile(path.join(folder, 'many/by-hand.txt'), 'x');
    await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.emit('focus'));
    await expect(treeRow(page, 'by-hand.txt')).toBeVisible();

    await chooseRestore(page, markers(page, /^Initial checkpoint/), 'Restore Files Only');
    await page.getByRole('dialog').getByRole('button', { name: 'Restore', exact: true }).click();
    await expect(page.getByText(/^Restored 2 files/)).toBeVisible();
    expect(await readFile(path.join(folder, 'many/a.txt'), 'utf8')).toBe('one\n');
    expect(await readFile(path.join(folder, 'many/f0.txt'), 'utf8')).toBe('0\n');
    expect(await readFile(path.join(folder, 'many/by-hand.txt'), 'utf8')).toBe('x');
    await expect(page.getByText(/^The system cannot watch more folders/)).toHaveCount(1);
  });
  await rm(temp, { recursive: true, force: true });
});
