// The command line's story on real folders: runs, checkpoints, rewinds, redos; every byte, mode and link.
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, lstat, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startProviderServer } from '../testing/provider-server';
import { treeOf } from '../testing/temp-workspace';
import { type Bench, type CliResult, openBench, PRACTICE } from './cli-harness';

let bench: Bench;
beforeEach(async () => {
  bench = await openBench({
    'src/a.txt': 'alpha\r\nbeta\r\n',
    'src/b.txt': 'to be deleted\n',
    'run.sh': '#!/bin/sh\necho hi\n',
    'log.txt': 'first\n',
    'keep/untouched.bin': '\u0000\u0001\u0002',
  });
  await chmod(path.join(bench.folder, 'run.sh'), 0o755);
  await chmod(path.join(bench.folder, 'log.txt'), 0o600);
  await symlink('src/a.txt', path.join(bench.folder, 'link'));
  await mkdir(path.join(bench.folder, 'empty/deep'), { recursive: true });
});
afterEach(() => bench.close());

/** Every path with its kind, mode and bytes. */
const picture = (folder: string): Record<string, string> => Object.fromEntries(treeOf(folder));

type Checkpoint = {
  id: string;
  kind: string;
  seq: number;
  snapshotId: string | null;
  active: boolean;
  undoes: string | null;
  files: number;
};
const checkpoints = async (): Promise<Checkpoint[]> =>
  (await bench.json(['checkpoints'])).checkpoints as unknown as Checkpoint[];
const idOf = (list: readonly Checkpoint[], kind: string): string => {
  const found = list.find((c) => c.kind === kind);
  if (found === undefined) throw new Error(`no ${kind} among ${list.map((c) => c.kind).join(', ')}`);
  return found.id;
};

describe('restore and redo', () => {
  test('write, replace, delete, chmod and append, by tools and by a command: all of it back, all of it forth, twice', async () => {
    const before = picture(bench.folder);
    const prompt = [
      'create src/new.txt with "fresh"',
      'replace "beta" with "gamma" in src/a.txt',
      'delete src/b.txt',
      'run `chmod 640 run.sh && echo second >> log.txt && chmod 644 log.txt && ln -sfn run.sh link && rmdir empty/deep && mkdir made && echo x > made/by-command.txt`',
    ].join('\n');
    const run = await bench.result(['run', prompt, ...PRACTICE]);
    expect(run).toMatchObject({ outcome: 'completed', error: null });
    const after = picture(bench.folder);
    expect(await readFile(path.join(bench.folder, 'src/a.txt'), 'utf8')).toBe('alpha\r\ngamma\r\n');
    expect(after).not.toEqual(before);

    let initial = idOf(await checkpoints(), 'initial');
    for (const round of [1, 2]) {
      const dry = (await bench.json(['rewind', initial, '--dry-run'])) as Record<string, unknown>;
      expect(dry).toMatchObject({
        v: 1,
        target: initial,
        scope: 'all',
        dryRun: true,
        redoId: null,
        conflicts: [],
      });
      expect(picture(bench.folder), `dry run ${round}`).toEqual(after);

      const back = (await bench.json(['rewind', initial, '--yes'])) as unknown as {
        redoId: string;
        prompt: string;
        files: { path: string; action: string }[];
      };
      expect(picture(bench.folder), `restore ${round}`).toEqual(before);
      expect(back.prompt).toBe(prompt);
      expect(back.files.map((f) => [f.path, f.action])).toContainEqual(['src/b.txt', 'bring-back']);
      expect(back.files.map((f) => [f.path, f.action])).toContainEqual(['src/new.txt', 'remove']);

      const forth = (await bench.json(['rewind', back.redoId, '--yes'])) as unknown as {
        taskRestored: boolean;
      };
      expect(forth.taskRestored).toBe(true);
      expect(picture(bench.folder), `redo ${round}`).toEqual(after);
      initial = idOf(await checkpoints(), 'initial');
    }
  });

  test('each turn can be gone back to; ids can be shortened; a used redo point is told apart', async () => {
    await bench.result(['run', 'create one.txt with "1"\nrun `echo 2 > two.txt`', ...PRACTICE]);
    const list = await checkpoints();
    expect(list.map((c) => c.kind)).toEqual(['initial', 'turn', 'turn', 'completion']);
    const [, first] = list;
    const back = (await bench.json([
      'rewind',
      (first?.id ?? '').slice(2, 8),
      '--files',
      '--yes',
    ])) as unknown as { redoId: string };
    expect(await readFile(path.join(bench.folder, 'one.txt'), 'utf8')).toBe('1');
    await expect(readFile(path.join(bench.folder, 'two.txt'))).rejects.toThrow('ENOENT');
    const redo = (await checkpoints()).find((c) => c.id === back.redoId);
    expect(redo).toMatchObject({ kind: 'redo', undoes: first?.id });
  });

  test('fault 9: hand edits after the last turn are kept; taking the checkpoint’s must be said', async () => {
    await bench.result(['run', 'replace "alpha" with "ALPHA" in src/a.txt', ...PRACTICE]);
    const file = path.join(bench.folder, 'src/a.txt');
    await writeFile(file, 'MINE\r\nbeta\r\n');
    const initial = idOf(await checkpoints(), 'initial');
    const refused = (await bench.json(['rewind', initial, '--yes'], { code: 4 })) as unknown as {
      conflicts: { path: string }[];
    };
    expect(refused.conflicts.map((c) => c.path)).toEqual(['src/a.txt']);
    expect(await readFile(file, 'utf8')).toBe('MINE\r\nbeta\r\n');
    const mine = (await bench.json(['rewind', initial, '--yes', '--conflicts', 'mine'])) as unknown as {
      redoId: string;
    };
    expect(await readFile(file, 'utf8')).toBe('MINE\r\nbeta\r\n');
    await bench.json(['rewind', mine.redoId, '--yes']);
    const theirs = (await bench.json([
      'rewind',
      initial,
      '--yes',
      '--conflicts',
      'checkpoint',
    ])) as unknown as { redoId: string };
    expect(await readFile(file, 'utf8')).toBe('alpha\r\nbeta\r\n');
    await bench.json(['rewind', theirs.redoId, '--yes']);
    expect(await readFile(file, 'utf8')).toBe('MINE\r\nbeta\r\n');
  });

  test('hand edits on other lines are merged', async () => {
    await writeFile(path.join(bench.folder, 'm.txt'), 'a\nb\nc\nd\ne\n');
    await bench.result(['run', 'replace "a" with "A" in m.txt', ...PRACTICE]);
    await writeFile(path.join(bench.folder, 'm.txt'), 'A\nb\nc\nd\nmine\n');
    const back = (await bench.json(['rewind', idOf(await checkpoints(), 'initial'), '--yes'])) as unknown as {
      files: { action: string }[];
    };
    expect(back.files.map((f) => f.action)).toEqual(['merge']);
    expect(await readFile(path.join(bench.folder, 'm.txt'), 'utf8')).toBe('a\nb\nc\nd\nmine\n');
  });

  test('fault 11: a task’s restore leaves another task’s work and the user’s files alone', async () => {
    const a = await bench.result(['run', 'create a-task.txt with "a"', ...PRACTICE]);
    await bench.result(['run', 'create b-task.txt with "b"', ...PRACTICE]);
    await writeFile(path.join(bench.folder, 'mine.txt'), 'mine');
    await bench.json(['rewind', a.checkpoints[0] ?? '', '--yes']);
    const names = await readdir(bench.folder);
    expect(names).not.toContain('a-task.txt');
    expect(names).toContain('b-task.txt');
    expect(names).toContain('mine.txt');
  });

  test('the conversation alone: files stay, the prompt comes back, undo brings the messages again', async () => {
    const run = await bench.result(['run', 'create x.txt with "x"', ...PRACTICE]);
    const back = (await bench.json([
      'rewind',
      run.checkpoints[0] ?? '',
      '--conversation',
      '--yes',
    ])) as Record<string, unknown>;
    expect(back).toMatchObject({
      scope: 'task',
      taskRestored: true,
      filesRestored: false,
      files: [],
      prompt: 'create x.txt with "x"',
    });
    expect(await readdir(bench.folder)).toContain('x.txt');
    const forth = (await bench.json(['rewind', String(back.redoId), '--yes'])) as Record<string, unknown>;
    expect(forth).toMatchObject({ taskRestored: true, filesRestored: false });
  });

  test('without --yes and without a terminal: exit 4, nothing moved', async () => {
    const run = await bench.result(['run', 'create x.txt with "x"', ...PRACTICE]);
    const r = await bench.tidemark(['rewind', run.checkpoints[0] ?? '']);
    expect(r.code).toBe(4);
    expect(await readdir(bench.folder)).toContain('x.txt');
  });
});

describe('run', () => {
  test('--json prints the facts as logged, then the result; --deltas adds fragments without a number', async () => {
    const r = await bench.tidemark(['run', 'create x.txt with "x"', ...PRACTICE, '--json', '--deltas']);
    const lines = r.out
      .trim()
      .split('\n')
      .map((l) => JSON.parse(l) as { v: number; type: string; seq?: number });
    expect(lines.every((l) => l.v === 1)).toBe(true);
    expect(lines[0]).toMatchObject({ type: 'task.created', seq: 1 });
    expect(lines.at(-1)).toMatchObject({
      type: 'result',
      outcome: 'completed',
      files: 1,
      added: 1,
      removed: 0,
    });
    const facts = lines.filter((l) => l.seq !== undefined);
    expect(facts.map((f) => f.seq)).toEqual(facts.map((_, i) => i + 1));
    expect(lines.some((l) => l.type === 'delta.text' && l.seq === undefined)).toBe(true);
    const { taskId } = lines.at(-1) as unknown as { taskId: string };
    const log = await readFile(path.join(bench.home, 'tasks', taskId, 'log.jsonl'), 'utf8');
    expect(
      log
        .trim()
        .split('\n')
        .map((l) => JSON.parse(l)),
    ).toEqual(facts);
  });

  test('the prompt from stdin; a second run of the task gets a checkpoint before it', async () => {
    const first = await bench.result(['run', '-', ...PRACTICE], { input: 'create x.txt with "x"' });
    await writeFile(path.join(bench.folder, 'x.txt'), 'by hand');
    await bench.result(['run', 'create y.txt with "y"', ...PRACTICE, '--task', first.taskId]);
    const kinds = (await checkpoints()).map((c) => c.kind);
    expect(kinds).toEqual(['initial', 'turn', 'completion', 'run', 'turn', 'completion']);
    const before = (await checkpoints()).find((c) => c.kind === 'run');
    await bench.json(['rewind', before?.id ?? '', '--yes']);
    expect(await readFile(path.join(bench.folder, 'x.txt'), 'utf8'), 'fault 22').toBe('by hand');
    expect(await readdir(bench.folder)).not.toContain('y.txt');
  });

  test('/checkpoint NAME saves one by name', async () => {
    const r = await bench.result(['run', '/checkpoint before lunch', '--yes']);
    expect(r.checkpoints).toHaveLength(1);
    expect((await bench.json(['checkpoints'])).checkpoints).toMatchObject([
      { kind: 'manual', name: 'before lunch' },
    ]);
  });

  test('an approval that nobody can give: exit 4, the file is not there', async () => {
    await bench.result(['run', 'read log.txt', ...PRACTICE]); // trusts the folder
    const r = await bench.result(['run', 'create x.txt with "x"', '--provider', 'practice'], { code: 4 });
    expect(r.error?.code).toBe('decision-needed');
    expect(await readdir(bench.folder)).not.toContain('x.txt');
  });

  test('ask mode changes nothing and saves no checkpoint', async () => {
    const r = await bench.result(['run', 'read log.txt', ...PRACTICE, '--mode', 'ask']);
    expect(r).toMatchObject({ outcome: 'completed', checkpoints: [] });
  });

  test('Ctrl-C: the command’s processes end, what it did is in a checkpoint, exit 130', async () => {
    const { child, done } = bench.start([
      'run',
      'run `echo half > half.txt; echo ready; sleep 600`',
      ...PRACTICE,
      '--json',
      '--deltas',
    ]);
    await new Promise<void>((resolve) => {
      let seen = '';
      child.stdout?.on('data', (d) => {
        seen += String(d);
        if (seen.includes('"delta.output"') && seen.includes('ready')) resolve();
      });
    });
    child.kill('SIGINT');
    const r = await done;
    expect(r.code).toBe(130);
    expect(JSON.parse(r.out.trim().split('\n').at(-1) ?? '')).toMatchObject({
      type: 'result',
      outcome: 'stopped',
    });
    const list = await checkpoints();
    await bench.json(['rewind', idOf(list, 'initial'), '--yes']);
    expect(await readdir(bench.folder)).not.toContain('half.txt');
  });

  /** Starts a command that tells its process id and then waits, and gives the id once it is there. */
  async function startLongCommand(): Promise<{ pid: number; child: ChildProcess; done: Promise<CliResult> }> {
    const { child, done } = bench.start([
      'run',
      'run `echo $$ > pid.txt; echo half > half.txt; sleep 600`',
      ...PRACTICE,
    ]);
    let pid = 0;
    while (pid === 0) {
      pid = Number(await readFile(path.join(bench.folder, 'pid.txt'), 'utf8').catch(() => '0'));
      await new Promise((resolve) => setImmediate(resolve));
    }
    return { pid, child, done };
  }
  const runs = (pid: number): boolean => {
    try {
      process.kill(pid, 0);
      return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    } catch {
      return false;
    }
  };

  test('killed with -9: the next command ends what was left running, then restores; nothing lands after it', async () => {
    const { pid, child, done } = await startLongCommand();
    child.kill('SIGKILL');
    await done;
    expect(runs(pid)).toBe(true);
    await bench.json(['rewind', idOf(await checkpoints(), 'initial'), '--yes']);
    expect(runs(pid)).toBe(false);
    expect(await readdir(bench.folder)).not.toContain('half.txt');
    expect((await bench.json(['tasks'])).tasks).toMatchObject([{ state: 'idle' }]);
  });

  test('the terminal is closed: as with Ctrl-C', async () => {
    const { pid, child, done } = await startLongCommand();
    child.kill('SIGHUP');
    expect((await done).code).toBe(130);
    expect(runs(pid)).toBe(false);
  });

  test('over the real protocol: parallel calls in pieces, each with one result', async () => {
    const server = await startProviderServer([
      {
        text: 'Two edits.',
        calls: [
          { name: 'write_file', args: { path: 'p.txt', content: 'P' } },
          { name: 'replace_text', args: { path: 'log.txt', old_text: 'first', new_text: 'FIRST' } },
        ],
      },
      { calls: [{ name: 'complete_task', args: { result: 'Both made.' } }] },
    ]);
    const r = await bench.result(
      ['run', 'go', '--yes', '--provider', 'openai-compatible', '--model', 'test'],
      {
        env: { OPENAI_BASE_URL: server.baseUrl },
      },
    );
    expect(r).toMatchObject({ outcome: 'completed', text: 'Both made.', files: 2 });
    expect(await readFile(path.join(bench.folder, 'p.txt'), 'utf8')).toBe('P');
    const results = server.requests[1]?.body.messages.filter((m) => m.role === 'tool') ?? [];
    expect(results).toHaveLength(2);
    await server.close();
  });
});

describe('compaction', () => {
  test('/compact as a prompt, and back to before it', async () => {
    const run = await bench.result(['run', 'replace "first" with "second" in log.txt', ...PRACTICE]);
    const args = ['--task', run.taskId, ...PRACTICE];
    const compacted = await bench.result(['run', '/compact', ...args]);
    expect(compacted).toMatchObject({ outcome: 'completed', files: 0 });
    expect(compacted.text).toContain('was compacted');
    const [point = ''] = compacted.checkpoints;
    const { checkpoints } = await bench.json(['checkpoints', '--task', run.taskId]);
    const listed = (checkpoints as unknown as { id: string; kind: string; snapshotId: unknown }[]).find(
      (c) => c.id === point,
    );
    expect(listed).toMatchObject({ kind: 'compaction', snapshotId: null });
    const back = await bench.json(['rewind', point, '--yes']);
    expect(back).toMatchObject({ scope: 'task', taskRestored: true, files: [] });
    expect(await readFile(path.join(bench.folder, 'log.txt'), 'utf8')).toContain('second');
  });
});

describe('diff and tasks', () => {
  test('since a checkpoint, between two, and as a patch', async () => {
    const run = await bench.result(['run', 'replace "first" with "second" in log.txt', ...PRACTICE]);
    const initial = run.checkpoints[0] ?? '';
    const since = (await bench.json(['diff', initial])) as Record<string, unknown>;
    expect(since).toMatchObject({
      v: 1,
      from: initial,
      to: 'workspace',
      changes: [{ path: 'log.txt', kind: 'modified', added: 1, removed: 1, binary: false }],
    });
    const last = run.checkpoints.at(-1) ?? '';
    expect(await bench.json(['diff', initial, last])).toMatchObject({
      to: last,
      changes: [{ path: 'log.txt' }],
    });
    const patch = await bench.tidemark(['diff', initial, '--patch']);
    expect(patch.out).toContain('-first\n+second\n');
    expect(patch.out).toContain('diff --git a/log.txt b/log.txt');
  });

  test('names that no terminal should see raw are shown with symbols and come whole in JSON', async () => {
    const odd = Buffer.from('odd\n\xff name.txt', 'latin1');
    const initial = (await bench.result(['run', 'create x.txt with "x"', ...PRACTICE])).checkpoints[0] ?? '';
    await writeFile(Buffer.concat([Buffer.from(`${bench.folder}/`), odd]), 'odd');
    const { changes } = (await bench.json(['diff', initial])) as unknown as {
      changes: { path: string; pathBase64?: string }[];
    };
    const found = changes.find((c) => c.path.startsWith('odd'));
    expect(found?.path).toBe('odd\n\ufffd name.txt');
    expect(Buffer.from(found?.pathBase64 ?? '', 'base64')).toEqual(odd);
    const text = await bench.tidemark(['diff', initial]);
    expect(text.out).toContain('odd␊');
  });

  test('tasks lists them with their state', async () => {
    const run = await bench.result(['run', 'create x.txt with "x"', ...PRACTICE]);
    const { tasks } = await bench.json(['tasks']);
    expect(tasks).toMatchObject([
      {
        id: run.taskId,
        title: 'create x.txt with "x"',
        workspace: bench.folder,
        state: 'idle',
        favorite: false,
      },
    ]);
    await rm(path.join(bench.home, 'index.json'), { force: true });
    expect((await bench.json(['tasks'])).tasks).toHaveLength(1);
  });

  test('the store can be looked into with plain git, and only by its owner', async () => {
    await bench.result(['run', 'create x.txt with "x"', ...PRACTICE]);
    const stores = await readdir(path.join(bench.home, 'checkpoints'));
    const store = path.join(bench.home, 'checkpoints', stores[0] ?? '');
    expect(((await lstat(store)).mode & 0o777).toString(8)).toBe('700');
    const { execFileSync } = await import('node:child_process');
    const log = execFileSync('git', ['--git-dir', path.join(store, '.git'), 'log', '--all', '--format=%an'], {
      encoding: 'utf8',
    });
    expect(log).toContain('Tidemark Checkpoint');
  });
});
