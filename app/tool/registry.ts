// The tools, and which of them a mode offers.
import type { Mode } from '../../shared/domain';
import { applyPatchTool } from './apply-patch';
import { askQuestionTool } from './ask-question';
import { completeTaskTool } from './complete-task';
import { deleteFileTool } from './delete-file';
import { listFilesTool } from './list-files';
import { moveFileTool } from './move-file';
import { readFileTool } from './read-file';
import { replaceTextTool } from './replace-text';
import { runCommandTool } from './run-command';
import { searchFilesTool } from './search-files';
import type { Tool } from './tool';
import { updatePlanTool } from './update-plan';
import { writeFileTool } from './write-file';

const READING: readonly Tool[] = [readFileTool, listFilesTool, searchFilesTool, askQuestionTool];

const CHANGING: readonly Tool[] = [
  writeFileTool,
  replaceTextTool,
  applyPatchTool,
  moveFileTool,
  deleteFileTool,
  runCommandTool,
];

/** Ask mode reads only, and has no task to declare done: its answer is its end. */
export function toolsFor(mode: Mode): readonly Tool[] {
  return mode === 'ask' ? READING : [...READING, ...CHANGING, updatePlanTool, completeTaskTool];
}
