import { mkdir, mkdtemp, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TaskId } from '../shared/ids';
import { homeFolder, isProtectedFolder, pathsOf } from './paths';

let base = '';
beforeEach(async () => {
  base = await realpath(await mkdtemp(path.join(os.tmpdir(), 'tm-paths-')));
});
afterEach(() => rm(base, { recursive: true, force: true }));

describe('the home', () => {
  it('is where the variable says, absolute and private, also when it was there with wider rights', async () => {
    const home = path.join(base, 'deep', 'home');
    expect(homeFolder({ TIDEMARK_HOME: home })).toBe(home);
    expect((await stat(home)).mode & 0o777).toBe(0o700);
    await mkdir(path.join(base, 'wide'), { mode: 0o755 });
    homeFolder({ TIDEMARK_HOME: path.join(base, 'wide') });
    expect((await stat(path.join(base, 'wide'))).mode & 0o777).toBe(0o700);
    expect(homeFolder({ TIDEMARK_HOME: path.relative(process.cwd(), home) })).toBe(home);
  });

  it('says what to do when it cannot be made', async () => {
    await writeFile(path.join(base, 'file'), '');
    expect(() => homeFolder({ TIDEMARK_HOME: path.join(base, 'file', 'home') })).toThrow(
      /TIDEMARK_HOME|cannot be made/,
    );
  });

  it('has a place for everything', () => {
    const paths = pathsOf('/h');
    expect(paths.task('t_000000000001' as TaskId)).toBe(path.join('/h', 'tasks', 't_000000000001'));
    expect(paths.settings).toBe(path.join('/h', 'settings.json'));
  });
});

describe('protected folders', () => {
  const which = (folder: string, env = {}): string | undefined =>
    isProtectedFolder(folder, { home: path.join(base, 'own'), userHome: base, env })?.which;

  it('are home, its usual folders, drive roots and our own', async () => {
    expect(which(base)).toBe('home directory');
    expect(which(path.join(base, 'Desktop'))).toBe('Desktop directory');
    expect(which(path.join(base, 'Documents'))).toBe('Documents directory');
    expect(which(path.join(base, 'Downloads'))).toBe('Downloads directory');
    expect(which(path.parse(base).root)).toBe('drive root');
    expect(which(path.join(base, 'own'))).toBe("Tidemark's own folder");
    expect(which(path.join(base, 'own', 'checkpoints', 'x'))).toBe("Tidemark's own folder");
  });

  it('are not the projects inside them', () => {
    for (const folder of [
      'code',
      'Desktop/project',
      'Documents/a/b',
      'own/workspace',
      'ownership',
      'desktop2',
    ]) {
      expect(which(path.join(base, folder)), folder).toBeUndefined();
    }
  });

  it('say what the header shows', () => {
    expect(
      isProtectedFolder(path.join(base, 'Desktop'), { home: base, userHome: base, env: {} })?.message,
    ).toBe('Cannot use checkpoints in Desktop directory. Open a specific project folder instead.');
  });

  it('are known by their real path', async () => {
    await mkdir(path.join(base, 'elsewhere'));
    await symlink(path.join(base, 'elsewhere'), path.join(base, 'Desktop'));
    expect(which(path.join(base, 'elsewhere'))).toBe('Desktop directory');
  });

  it.runIf(process.platform === 'linux')('are known by the names that the desktop gives them', async () => {
    await mkdir(path.join(base, '.config'));
    await writeFile(
      path.join(base, '.config', 'user-dirs.dirs'),
      '# comment\nXDG_DESKTOP_DIR="$HOME/Schreibtisch"\nXDG_DOWNLOAD_DIR="/data/downloads"\nXDG_DOCUMENTS_DIR="$HOME/"\n',
    );
    expect(which(path.join(base, 'Schreibtisch'))).toBe('Desktop directory');
    expect(which('/data/downloads')).toBe('Downloads directory');
    expect(which(base)).toBe('home directory');
    await mkdir(path.join(base, 'c'));
    await writeFile(path.join(base, 'c', 'user-dirs.dirs'), 'XDG_DESKTOP_DIR="$HOME/\\"q\\""\n');
    expect(which(path.join(base, '"q"'), { XDG_CONFIG_HOME: path.join(base, 'c') })).toBe(
      'Desktop directory',
    );
    expect(which('/media/user/stick')).toBe('drive root');
    expect(which('/media/user/stick/project')).toBeUndefined();
  });
});
