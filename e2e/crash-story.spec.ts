// The app killed in the middle of a run and of a restore; the command line beside the open app.
import { execFile } from 'node:child_process';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { launchApp, ownEnvironment, type RunningApp } from './support/app';
import { folderPicture, makeProject } from './support/folder';
import { picture } from './support/picture';
import { restoreAll } from './support/story';
import { composer, markers, send, treeRow, trust } from './support/window';

const CLI = path.resolve(import.meta.dirname, '../dist/app/cli.cjs');

async function cli(home: string, folder: string, args: readonly string[]): Promise<Record<string, unknown>> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [CLI, ...args, '--json', '--workspace', folder],
    {
      env: { ...ownEnvironment(), TIDEMARK_HOME: home },
    },
  );
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<string, unknown>;
}

/** As a power cut does it: the app and all its processes at once, none of them asked. */
async function kill({ app }: RunningApp): Promise<void> {
  const child = app.process();
  const gone = new Promise((resolve) => child.once('exit', resolve));
  for (const pid of await tree(child.pid ?? 0)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // it was gone before
    }
  }
  await gone;
}

/** A process and those below it, the first one first. */
async function tree(root: number): Promise<number[]> {
  const parents = new Map<number, number>();
  for (const name of await readdir('/proc')) {
    const stat = /^\d+$/.test(name) ? await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '') : '';
    const parent = /^\d+ \(.*\) \S (\d+)/s.exec(stat)?.[1];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const found = [root];
  for (const pid of found) for (const [child, parent] of parents) if (parent === pid) found.push(child);
  return found;
}

test('killed during a run: the task resumes, its work can be taken back', async () => {
  const { temp, folder, home } = await makeProject({ 'a.txt': 'one\n' });
  const first = await launchApp({ folder, home });
  await trust(first.page);
  await send(first.page, 'create b.txt with "two"\nrun `echo three > c.txt; sleep 300`');
  await first.page.getByRole('button', { name: 'Approve', exact: true }).click();
  await expect(first.page.getByRole('heading', { name: /Run/ })).toBeVisible();
  await first.page.getByRole('button', { name: 'Approve', exact: true }).click();
  await expect(async () => expect((await stat(path.join(folder, 'c.txt'))).size).toBe(6)).toPass();
  await kill(first);

  const again = await launchApp({ folder, home });
  const { page } = again;
  try {
    await page.getByRole('tab', { name: 'Tasks' }).click();
    await page
      .getByRole('button', { name: /create b\.txt/ })
      .first()
      .click();
    await expect(page.getByText(/Tidemark ended in the middle of this run/)).toBeVisible();
    expect((await readdir(folder)).sort()).toEqual(['a.txt', 'b.txt', 'c.txt']);
    await picture(page, 'interrupted');
    await restoreAll(again);
    await expect(composer(page)).toHaveValue(/create b\.txt/);
    expect(await readdir(folder)).toEqual(['a.txt']);
    expect(again.errors).toEqual([]);
  } finally {
    await again.close();
    await rm(temp, { recursive: true, force: true });
  }
});

test('killed during a restore: the next start finishes or undoes it, and nothing is lost', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 400 }, (_, i) => [`d/f${i}.txt`, `old ${i}\n`.repeat(200)]),
  );
  const { temp, folder, home } = await makeProject(many);
  const first = await launchApp({ folder, home });
  await trust(first.page);
  const before = folderPicture(folder);
  await send(first.page, 'run `for f in d/*; do echo new > $f; done`');
  await first.page.getByRole('button', { name: 'Approve', exact: true }).click();
  await expect(first.page.getByRole('region', { name: 'Done', exact: true })).toBeVisible();
  const after = folderPicture(folder);
  await restoreAll(first);
  // Killed as soon as the first file is back: the rest is on its way.
  await expect(async () =>
    expect(await readFile(path.join(folder, 'd/f0.txt'), 'utf8')).toContain('old'),
  ).toPass({ intervals: [1] });
  await kill(first);

  const again = await launchApp({ folder, home });
  const { page } = again;
  try {
    await expect(page.getByText(/Checkpoints on/)).toBeVisible();
    await expect(async () => {
      const now = folderPicture(folder);
      const finished = JSON.stringify(now) === JSON.stringify(before);
      const undone = JSON.stringify(now) === JSON.stringify(after);
      expect(finished || undone).toBe(true);
    }).toPass();
    const { checkpoints } = (await cli(home, folder, ['checkpoints'])) as {
      checkpoints: { id: string; kind: string; undoes: string | null }[];
    };
    const redo = checkpoints.find((c) => c.kind === 'redo');
    if (redo?.undoes) {
      await cli(home, folder, ['rewind', redo.id, '--yes']);
      expect(folderPicture(folder)).toEqual(after);
    }
    expect(again.errors).toEqual([]);
  } finally {
    await again.close();
    await rm(temp, { recursive: true, force: true });
  }
});

test('a rewind from the command line shows up in the open window', async () => {
  const { temp, folder, home } = await makeProject({ 'a.txt': 'one\n' });
  const running = await launchApp({ folder, home });
  const { page } = running;
  try {
    await trust(page);
    await send(page, 'create b.txt with "two"');
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await expect(page.getByRole('region', { name: 'Done', exact: true })).toBeVisible();
    await expect(treeRow(page, 'b.txt')).toBeVisible();
    const { checkpoints } = (await cli(home, folder, ['checkpoints'])) as { checkpoints: { id: string }[] };
    const back = await cli(home, folder, ['rewind', checkpoints[0]?.id ?? '', '--yes']);
    await expect(treeRow(page, 'b.txt')).toBeHidden();
    await expect(page.getByRole('region', { name: 'Done', exact: true })).toBeHidden();
    await expect(markers(page, /^Checkpoint \(restored\)/)).toBeVisible();
    await picture(page, 'cli-rewind');
    await cli(home, folder, ['rewind', String(back.redoId), '--yes']);
    await expect(page.getByRole('region', { name: 'Done', exact: true })).toBeVisible();
    await expect(treeRow(page, 'b.txt')).toBeVisible();
    await writeFile(path.join(folder, 'mine.txt'), 'by hand');
    await expect(treeRow(page, 'mine.txt')).toBeVisible();
    expect(running.errors).toEqual([]);
  } finally {
    await running.close();
    await rm(temp, { recursive: true, force: true });
  }
});
