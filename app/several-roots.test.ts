// Several folders opened together, by the runtime that app and command line share.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkpointRows } from '../shared/fold';
import { newCheckpointId } from '../shared/ids';
import { placeKey } from '../shared/place-key';
import { type OpenFolder, openRuntime, type Runtime, type Task } from './runtime';
import { randomBytes } from './task/random';
import { makeTempFolder, type TempFolder } from './testing/temp-folder';

let temp: TempFolder;
let runtime: Runtime;
const at = (name: string): string => path.join(temp.root, name);

const open = (): Promise<Runtime> =>
  openRuntime({
    home: temp.outside,
    env: {},
    engineWorker: null,
    cipher: null,
    practiceByDefault: true,
    host: {
      approve: async () => ({ decision: 'approve', reason: null }),
      ask: async () => '',
      goOn: async () => false,
      onFailedCheckpoint: async (_error, thrown) => {
        throw thrown;
      },
      onSettled: () => undefined,
    },
  });

beforeEach(async () => {
  temp = await makeTempFolder();
  await temp.put({ 'app/a.txt': 'one\n', 'lib/b.txt': 'one\n' });
  runtime = await open();
});
afterEach(async () => {
  await runtime.close();
  await temp.remove();
});

async function run(folder: OpenFolder, task: Task, text: string): Promise<string> {
  const { ended } = await folder.service.start({
    task,
    prompt: { text, attachments: [] },
    mode: 'apply',
    provider: runtime.provider({}, task),
  });
  return (await ended).outcome;
}

test('a task works in all of them, saves no checkpoint, and is found again by its folders in any order', async () => {
  const folder = await runtime.openFolder([at('app'), at('lib')]);
  expect(folder.checkpoints.state()).toEqual({
    state: 'off',
    why: 'multi-root',
    message: 'Checkpoints are not currently supported in multi-root workspaces.',
  });
  const task = await runtime.createTask('both', folder.place);
  const prompt =
    'replace "one" with "two" in app/a.txt\nreplace "one" with "two" in lib/b.txt\nrun `touch here`';
  expect(await run(folder, task, prompt)).toBe('completed');
  expect(await readFile(at('lib/b.txt'), 'utf8')).toBe('two\n');
  expect(await readdir(at('app'))).toContain('here');
  expect(checkpointRows(task.view())).toEqual([]);
  expect(await readdir(temp.outside)).not.toContain('checkpoints');

  await runtime.close();
  runtime = await open();
  const [found] = await runtime.tasks();
  expect(found).toMatchObject({ title: 'both', workspace: at('app'), roots: [at('app'), at('lib')] });
  const again = await runtime.openFolder([at('lib'), at('app')]);
  expect(found === undefined ? '' : placeKey(found)).toBe(again.key);
  const same = await runtime.openTask(task.id);
  expect(await run(again, same, 'replace "two" with "three" in lib/b.txt')).toBe('completed');
  expect(await readFile(at('lib/b.txt'), 'utf8')).toBe('three\n');
});

test('the same folders are one workspace, and not that of a single one of them', async () => {
  const both = await runtime.openFolder([at('app'), at('lib')]);
  expect(await runtime.openFolder([at('lib'), at('app'), at('lib')])).toBe(both);
  const one = await runtime.openFolder([at('app')]);
  expect(one).not.toBe(both);
  expect(one.key).not.toBe(both.key);
  expect(one.roots).toEqual([{ path: at('app'), name: '' }]);
});

test('each folder has to be trusted', async () => {
  await (await runtime.openFolder([at('app')])).trust();
  const both = await runtime.openFolder([at('app'), at('lib')]);
  expect(both.trusted()).toBe(false);
  await both.trust();
  expect(both.trusted()).toBe(true);
  expect((await runtime.openFolder([at('lib')])).trusted()).toBe(true);
});

test('a file is found by the name of its folder, and nothing outside', async () => {
  const both = await runtime.openFolder([at('app'), at('lib')]);
  expect(await both.readFile({ path: 'lib/b.txt' })).toMatchObject({ text: 'one\n' });
  expect(both.absolute({ path: 'lib/b.txt' })).toBe(at('lib/b.txt'));
  expect(() => both.absolute({ path: 'b.txt' })).toThrow(/not a path inside/);
  expect(() => both.absolute({ path: 'lib/../../x' })).toThrow(/not a path inside/);
});

test('Restore Task Only works there: it changes messages, not files', async () => {
  const both = await runtime.openFolder([at('app'), at('lib')]);
  const task = await runtime.createTask('both', both.place);
  await run(both, task, 'create app/x.txt with "x"');
  const checkpointId = newCheckpointId(randomBytes);
  await task.append({
    type: 'checkpoint.created',
    checkpointId,
    kind: 'compaction',
    name: null,
    runId: null,
    snapshotId: null,
    line: [...task.view().line],
    before: null,
    files: 0,
    added: null,
    removed: null,
    skipped: [],
    own: 'none',
    ownPaths: [],
    ms: 0,
  });
  await run(both, task, 'create app/y.txt with "y"');
  const request = { checkpointId, scope: 'task', whole: false, conflicts: null, fingerprint: null } as const;
  const done = await both.service.restore(task, request);
  expect(done).toMatchObject({ taskRestored: true, filesRestored: false, filesError: null });
  expect(done.prompt?.text).toBe('create app/y.txt with "y"');
  expect(await readdir(at('app'))).toContain('y.txt');
  await expect(both.service.restore(task, { ...request, scope: 'files' })).rejects.toMatchObject({
    code: 'snapshot-missing',
  });
});
