import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openPractice } from '../provider/practice';
import { type FakeTask, openFakeTask } from '../testing/fake-ports';
import { openWorkspace } from '../workspace/workspace';

let folder: string;
let task: FakeTask;
const read = (name: string) => readFile(path.join(folder, 'w', name), 'utf8');

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tidemark-practice-'));
  const { mkdir } = await import('node:fs/promises');
  await mkdir(path.join(folder, 'w'));
  task = openFakeTask({
    workspace: await openWorkspace(path.join(folder, 'w')),
    outputsFolder: path.join(folder, 'outputs'),
    provider: openPractice(),
  });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('edits share a turn, each command has its own, then the task is declared done', async () => {
  const outcome = await task.prompt(
    'Create notes.md with "# Notes\\n", then replace "Notes" with "Tides" in notes.md. Run `echo hi > out.txt` and run `cat out.txt`',
  );
  expect(outcome).toMatchObject({ outcome: 'completed', error: null });
  expect(await read('notes.md')).toBe('# Tides\n');
  expect(task.facts('message.completed').map((m) => m.calls.map((c) => c.tool))).toEqual([
    ['write_file', 'replace_text'],
    ['run_command'],
    ['run_command'],
    ['complete_task'],
  ]);
  expect(outcome.text).toContain('hi');
  expect(outcome.text).toContain('no AI model');
  expect(task.order.filter((o) => o.startsWith('turnEnded') || o === 'completed')).toEqual([
    'turnEnded notes.md',
    'turnEnded (command)',
    'turnEnded (command)',
    'completed',
  ]);
});
