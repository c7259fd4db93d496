// What a child process is given: pure, so that it can be tested without starting one.

/**
 * npm's own variables would reach the commands that the agent runs and bend an npm among them;
 * ELECTRON_RUN_AS_NODE (set in some editors' terminals) would turn Electron into Node.
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export function cleanEnvironment(env) {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !/^npm_/i.test(name) && name !== 'INIT_CWD' && name !== 'ELECTRON_RUN_AS_NODE',
    ),
  );
}

/**
 * Chromium refuses to run as root with its sandbox; for anybody else the sandbox stays.
 * @param {{ root: boolean, old: boolean, app: string, rest: readonly string[] }} options
 *   old: the window shows that this Electron is out of support
 */
export function electronArguments({ root, old, app, rest }) {
  return [...(root ? ['--no-sandbox'] : []), app, ...(old ? ['--old-electron'] : []), ...rest];
}
