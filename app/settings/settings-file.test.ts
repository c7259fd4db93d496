import { chmod, lstat, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultSettings, type Settings } from '../../shared/settings';
import { openSettings, type SettingsFile } from './settings-file';

let folder = '';
let file = '';
const opened: SettingsFile[] = [];
const open = async (): Promise<SettingsFile> => {
  const settings = await openSettings(file);
  opened.push(settings);
  return settings;
};
const onDisk = async (): Promise<unknown> => JSON.parse(await readFile(file, 'utf8'));

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'tm-settings-'));
  file = path.join(folder, 'home', 'settings.json');
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((s) => s.close()));
  await rm(folder, { recursive: true, force: true });
});
async function write(value: unknown): Promise<void> {
  await (await open()).close(); // makes the folder
  await writeFile(file, typeof value === 'string' ? value : JSON.stringify(value));
}

describe('reading', () => {
  it('has defaults without a file, and makes none', async () => {
    const settings = await open();
    expect(settings.get()).toEqual(defaultSettings());
    expect(settings.notices()).toEqual([]);
    expect(await readdir(path.dirname(file))).toEqual([]);
  });

  it('lets one wrong value cost only itself, says so, and leaves the file alone', async () => {
    const text = JSON.stringify({
      checkpoints: { timeoutS: '90', maxFileBytes: 7, groups: 3, later: { x: 1 } },
      approval: { deny: ['rm', 5, 'git push'], auto: { edit: true, command: 'yes' } },
      provider: { id: 'nobody', headers: { A: 'a', B: 2 } },
      notifications: 'no',
      future: [1],
    });
    await write(text);
    const settings = await open();
    const got = settings.get() as Settings & { future?: unknown };
    expect(got.checkpoints).toMatchObject({ timeoutS: 60, maxFileBytes: 7, later: { x: 1 } });
    expect(got.checkpoints.groups).toEqual(defaultSettings().checkpoints.groups);
    expect(got.approval.deny).toEqual(['rm', 'git push']);
    expect(got.approval.auto).toMatchObject({ edit: true, command: false });
    expect(got.provider).toMatchObject({ id: 'practice', headers: { A: 'a' } });
    expect(got.notifications).toBe(true);
    expect(got.future).toEqual([1]);
    expect(settings.notices()).toHaveLength(7);
    expect(settings.notices().join()).toContain('checkpoints.timeoutS');
    expect(settings.hasExplicit(['provider', 'id'])).toBe(false);
    expect(settings.hasExplicit(['approval', 'auto', 'edit'])).toBe(true);
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  it.each(['', '{"a":', '[]', '3', 'null', '\0\0'])('sets a file that reads %j aside', async (text) => {
    await write(text);
    const settings = await open();
    expect(settings.get()).toEqual(defaultSettings());
    const [aside, ...others] = await readdir(path.dirname(file));
    expect(aside).toMatch(/^settings\.json\.broken-/);
    expect(others).toEqual([]);
    expect(await readFile(path.join(path.dirname(file), aside ?? ''), 'utf8')).toBe(text);
    expect(settings.notices()[0]).toContain(aside);
  });

  it('reads a file with a byte order mark', async () => {
    await write('\uFEFF{"notifications":false}');
    expect((await open()).get().notifications).toBe(false);
  });

  it('says when the file cannot be read', async () => {
    await write('{}');
    await chmod(file, 0);
    await chmod(folder, 0o755);
    await chmod(path.dirname(file), 0o755);
    // Root reads whatever the mode says: as another user it may not.
    const root = process.getuid?.() === 0;
    if (root) process.seteuid?.(65534);
    try {
      await expect(open()).rejects.toMatchObject({ code: 'settings-failed' });
    } finally {
      if (root) process.seteuid?.(0);
    }
  });
});

describe('setting', () => {
  it('writes what was given, keeps what is unknown or wrong, and nothing of the defaults', async () => {
    await write({ future: { a: 1 }, checkpoints: { timeoutS: 'soon', later: true } });
    const settings = await open();
    await settings.set({ checkpoints: { enabled: false } });
    expect(settings.get().checkpoints.enabled).toBe(false);
    expect(await onDisk()).toEqual({
      v: 1,
      future: { a: 1 },
      checkpoints: { timeoutS: 'soon', later: true, enabled: false },
    });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await settings.set({ checkpoints: { timeoutS: 30 } });
    expect(settings.notices()).toEqual([]);
  });

  it('writes through a link and leaves it one', async () => {
    await (await open()).close();
    const real = path.join(folder, 'dotfiles.json');
    await writeFile(real, '{"notifications":false}');
    await symlink(real, file);
    await (await open()).set({ appearance: { zoom: 2 } });
    expect((await lstat(file)).isSymbolicLink()).toBe(true);
    expect(JSON.parse(await readFile(real, 'utf8'))).toMatchObject({
      notifications: false,
      appearance: { zoom: 2 },
    });
  });

  it('merges deep, but takes lists and free-form maps whole', async () => {
    await write({ provider: { headers: { A: 'a' } }, shortcuts: { x: 'y' }, trusted: ['/a'] });
    const settings = await open();
    await settings.set({
      provider: { headers: { B: 'b' } },
      shortcuts: {},
      trusted: ['/b'],
      approval: { auto: { ...settings.get().approval.auto, edit: true } },
    });
    const got = settings.get();
    expect([got.provider.headers, got.shortcuts, got.trusted]).toEqual([{ B: 'b' }, {}, ['/b']]);
    expect(got.approval.auto).toMatchObject({ read: true, edit: true });
  });

  it('refuses what is not allowed and changes nothing', async () => {
    const settings = await open();
    await expect(settings.set({ checkpoints: { timeoutS: 1 } })).rejects.toMatchObject({ code: 'usage' });
    await expect(settings.set(JSON.parse('{"__proto__":{"x":1},"trusted":[3]}'))).rejects.toThrow(
      'trusted.0',
    );
    expect(settings.get()).toEqual(defaultSettings());
    expect(await readdir(path.dirname(file))).toEqual([]);
    await settings.set(JSON.parse('{"__proto__":{"polluted":1}}'));
    expect(Object.prototype).not.toHaveProperty('polluted');
    expect(settings.get()).not.toHaveProperty('polluted');
  });

  it('keeps what another process has set in the meantime', async () => {
    const a = await open();
    const b = await open();
    await a.set({ appearance: { theme: 'dark' } });
    await b.set({ appearance: { zoom: 2 } });
    await Promise.all([
      a.set((now) => ({ trusted: [...now.trusted, '/a'] })),
      a.set((now) => ({ trusted: [...now.trusted, '/b'] })),
    ]);
    expect(await onDisk()).toEqual({ v: 1, appearance: { theme: 'dark', zoom: 2 }, trusted: ['/a', '/b'] });
  });

  it('tells of changes, own ones and those of another process', async () => {
    const a = await open();
    const b = await open();
    const seen: string[] = [];
    const end = a.onChange((s) => seen.push(s.appearance.theme));
    await a.set({ appearance: { theme: 'dark' } });
    await a.set({ appearance: { theme: 'dark' } });
    expect(seen).toEqual(['dark']);
    const other = new Promise<void>((resolve) => a.onChange(() => resolve()));
    await b.set({ appearance: { theme: 'light' } });
    await other;
    expect(seen).toEqual(['dark', 'light']);
    end();
    await a.set({ appearance: { theme: 'system' } });
    expect(seen).toEqual(['dark', 'light']);
  });

  it('does not take an editor in the middle of writing for damage', async () => {
    const settings = await open();
    await settings.set({ notifications: false });
    await writeFile(file, '{"notif');
    await settings.refresh();
    expect(settings.get().notifications).toBe(false);
    expect(await readdir(path.dirname(file))).toEqual(['settings.json']);
    await settings.set({ appearance: { zoom: 2 } });
    expect(await onDisk()).toMatchObject({ notifications: false, appearance: { zoom: 2 } });
    expect(settings.notices()[0]).toContain('set aside');
  });
});
