// complete_task: the agent says that it is done, and what came of it. What follows from it is the loop's.
import { z } from 'zod';
import type { Tool } from './tool';

const schema = z.object({ result: z.string().min(1).describe('what was done, for the user; Markdown') });

export const completeTaskTool: Tool<z.infer<typeof schema>> = {
  name: 'complete_task',
  description:
    'Declares the task done. Call it alone, after you have looked at the results of your other calls.',
  schema,
  category: 'control',
  effect: 'control',
  async preview(input) {
    return { title: 'Done', detail: input.result, detailKind: 'text', paths: [], guarded: [] };
  },
  async run(input) {
    return {
      text: 'The task is declared done.',
      display: { kind: 'completion', result: input.result },
      touched: [],
      ok: true,
    };
  },
};
