// What most agents' checkpoints come down to: a second repository over the workspace, `git add -A`, `git commit` and
// `git reset --hard`. Each step does the work that ours does at the same place, so that the two can be compared.
import { execFileSync } from 'node:child_process';
import path from 'node:path';

/**
 * @param {string} workspace
 * @param {string} place where its repository goes
 */
export function openNaive(workspace, place) {
  const gitDir = path.join(place, 'naive.git');
  const env = {
    PATH: process.env.PATH,
    HOME: place,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_DIR: gitDir,
    GIT_WORK_TREE: workspace,
  };
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync('git', args, {
      cwd: workspace,
      env,
      maxBuffer: 1 << 30,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  const text = (/** @type {string[]} */ ...args) =>
    git(...args)
      .toString()
      .trim();
  const capture = async () => {
    git('add', '-A');
    git('commit', '-q', '--allow-empty', '--no-verify', '-m', 'checkpoint');
    return text('rev-parse', 'HEAD');
  };
  return {
    start: async () => {
      git('init', '-q', gitDir);
      for (const [key, value] of [
        ['user.name', 'bench'],
        ['user.email', 'bench@example.com'],
        ['gc.auto', '0'],
        ['core.autocrlf', 'false'],
      ])
        git('config', key ?? '', value ?? '');
      return capture();
    },
    capture,
    /** The list, then both sides of each file. @param {string} from @param {string} to */
    changes: async (from, to) => {
      const rows = text('diff', '--name-status', '-z', '--no-renames', from, to).split('\0');
      let bytes = 0;
      for (let i = 1; i < rows.length; i += 2) {
        bytes += git('show', `${from}:${rows[i]}`).length + git('show', `${to}:${rows[i]}`).length;
      }
      return { files: Math.floor(rows.length / 2), bytes };
    },
    /** The list of what will change, a redo point, the change. @param {string} target */
    restore: async (target) => {
      git('add', '-A');
      text('diff', '--cached', '--name-status', '-z', '--no-renames', target);
      await capture();
      git('reset', '-q', '--hard', target);
      git('clean', '-q', '-f', '-d');
    },
    close: async () => undefined,
  };
}
