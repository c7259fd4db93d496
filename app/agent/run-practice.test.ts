import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defaultSettings } from '../../shared/settings';
import { openPractice } from '../provider/practice';
import { type FakeTask, openFakeTask } from '../testing/fake-ports';
import { makeTempFolder, type TempFolder } from '../testing/temp-folder';

let temp: TempFolder;
let task: FakeTask;
beforeEach(async () => {
  temp = await makeTempFolder();
  task = openFakeTask({ workspace: temp.workspace, outputsFolder: temp.outputs, provider: openPractice() });
});
afterEach(() => temp.remove());

const calls = () => task.facts('message.completed').map((m) => m.calls.map((c) => c.tool));

describe('Practice through the whole loop', () => {
  test('edits share a turn, each command has its own, then the task is declared done', async () => {
    const outcome = await task.prompt(
      'Create notes.md with "# Notes\\n", then replace "Notes" with "Tides" in notes.md. Run `echo hi > out.txt` and run `cat out.txt`',
    );
    expect(outcome).toMatchObject({ outcome: 'completed', error: null });
    expect(await temp.text('notes.md')).toBe('# Tides\n');
    expect(calls()).toEqual([
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

  test('it streams its words', async () => {
    await task.prompt('create a.txt with "x"');
    const texts = task.deltas.flatMap((d) => (d.type === 'delta.text' ? [d.text] : []));
    expect(texts.length).toBeGreaterThan(1);
    expect(texts.join('')).toBe(task.facts('message.completed')[0]?.text);
  });

  test('rename, delete, read', async () => {
    await temp.put({ 'a.txt': 'A', 'b.txt': 'B' });
    const outcome = await task.prompt('rename a.txt to c.txt\ndelete b.txt\nread c.txt');
    expect(await temp.text('c.txt')).toBe('A');
    await expect(temp.text('b.txt')).rejects.toThrow();
    expect(outcome.text).toContain('```\nA\n```');
  });

  test('what it does not understand it names, and does nothing', async () => {
    const outcome = await task.prompt('create a.txt with "x"\nMake me a sandwich of great beauty');
    expect(outcome).toMatchObject({ outcome: 'completed' });
    expect(outcome.text).toContain('I do not understand "Make me a sandwich of great beauty"');
    expect(outcome.text).toContain('no AI model');
    expect(calls()).toEqual([[]]);
  });

  test('a failed step ends the run as failed, after what came before it was saved', async () => {
    const outcome = await task.prompt('create a.txt with "x"\ndelete gone.txt\nrun `touch never`');
    expect(outcome).toMatchObject({ outcome: 'failed', error: { code: 'tool-failed' } });
    expect(outcome.error?.message).toContain('There is no file "gone.txt"');
    expect(task.order).toContain('turnEnded a.txt');
    expect(task.order).not.toContain('completed');
    expect(calls()).toEqual([['write_file', 'delete_file']]);
  });

  test('a rejected step only stops it: nothing has failed', async () => {
    const rejecting = openFakeTask({
      workspace: temp.workspace,
      outputsFolder: temp.outputs,
      provider: openPractice(),
      approval: { auto: { ...defaultSettings().approval.auto, edit: false } },
      decide: () => ({ decision: 'reject', reason: 'not now' }),
    });
    const outcome = await rejecting.prompt('create a.txt with "x"');
    expect(outcome).toMatchObject({ outcome: 'completed', error: null });
    expect(outcome.text).toContain('not now');
  });

  test('fault 72: "fail" ends the run after what came before it was saved', async () => {
    const outcome = await task.prompt('create a.txt with "x", then fail');
    expect(outcome).toMatchObject({ outcome: 'failed', error: { code: 'provider-failed' } });
    expect(task.order).toContain('turnEnded a.txt');
  });

  test('in Ask mode it says that it may not', async () => {
    const outcome = await task.prompt('create a.txt with "x"', { mode: 'ask' });
    expect(outcome.text).toContain('may not use write_file in this mode');
    expect(calls()).toEqual([[]]);
  });

  test('it keeps nothing: a second prompt is a new beginning', async () => {
    await task.prompt('create a.txt with "1"');
    await task.prompt('replace "1" with "2" in a.txt');
    expect(await temp.text('a.txt')).toBe('2');
    expect(calls()).toEqual([['write_file'], ['complete_task'], ['replace_text'], ['complete_task']]);
  });
});
