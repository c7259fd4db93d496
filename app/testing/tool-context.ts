// What a tool gets to work with, for tests of single tools: a real workspace, and a user who says yes.
import type { ToolContext } from '../tool/tool';
import type { TempFolder } from './temp-folder';

export const toolContextOf = (temp: TempFolder, more: Partial<ToolContext> = {}): ToolContext => ({
  workspace: temp.workspace,
  signal: new AbortController().signal,
  output: () => undefined,
  ask: async () => 'yes',
  startInBackground: async () => {
    throw new Error('no background here');
  },
  commandTimeoutS: 20,
  outputsFolder: temp.outputs,
  commandEnv: {},
  ...more,
});
