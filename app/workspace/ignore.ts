// What the project's `.agentignore` keeps from the agent (gitignore syntax, one file at the workspace's root).
// Owns: reading that file. Does not own: `.gitignore`, which is ripgrep's and the checkpoint engine's.
// Invariant: the file is looked at on each use, so a change counts for the next tool call.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import ignore from 'ignore';
import { TidemarkError } from '../../shared/errors';

export const AGENT_IGNORE = '.agentignore';

/** Says of a path ("/" between its parts, relative to the root) whether the agent may not see it. */
export type AgentIgnore = (text: string, isFolder: boolean) => boolean;

/** @throws TidemarkError path-refused when the file is there but cannot be read: then nothing is allowed */
export async function readAgentIgnore(root: string): Promise<AgentIgnore> {
  let rules: string;
  try {
    rules = await readFile(path.join(root, AGENT_IGNORE), 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return () => false;
    throw new TidemarkError('path-refused', `${AGENT_IGNORE} cannot be read, so no file may be touched.`, {
      cause,
    });
  }
  const matcher = ignore().add(rules);
  return (text, isFolder) => {
    if (text === '' || text === '.') return false;
    return matcher.ignores(text) || (isFolder && matcher.ignores(`${text}/`));
  };
}
