// The environment that every git process of the engine gets.
// Owns: what is dropped and what is set. Invariant: nothing that a user, a machine or a parent process has set for
// git reaches a command here: no GIT_*, no global or system configuration, no editor, no pager, no credentials.
import path from 'node:path';

const NULL_DEVICE = process.platform === 'win32' ? 'NUL' : '/dev/null';

/** Name and address in every commit of a shadow store. */
export const IDENTITY = 'Tidemark Checkpoint <checkpoints@tidemark.invalid>';

const DROPPED = /^(GIT_|SSH_ASKPASS$|PAGER$|EDITOR$|VISUAL$|LESS$|LV$)/i;

/** The names set here, which simple-git has to be told about (it refuses every GIT_* otherwise). */
export const OWN_VARIABLES = [
  'GIT_CONFIG_NOSYSTEM',
  'GIT_CONFIG_GLOBAL',
  'GIT_ATTR_NOSYSTEM',
  'GIT_OPTIONAL_LOCKS',
  'GIT_NO_REPLACE_OBJECTS',
  'GIT_TERMINAL_PROMPT',
  'GIT_LITERAL_PATHSPECS',
  'GIT_DIR',
  'GIT_WORK_TREE',
] as const;

/**
 * The caller's environment without anything that steers git. `home` is an empty folder of ours: it stands for the
 * user's home, because git 2.30 and 2.31 do not know GIT_CONFIG_GLOBAL.
 */
export function cleanEnvironment(home: string): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(process.env)) if (!DROPPED.test(name)) env[name] = value;
  return {
    ...env,
    HOME: home,
    XDG_CONFIG_HOME: path.join(home, 'xdg'),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: NULL_DEVICE,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_LITERAL_PATHSPECS: '1',
    LC_ALL: 'C',
  };
}

export { NULL_DEVICE };
