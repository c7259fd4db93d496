// update_plan: the steps that the agent means to take and how far it is, shown to the user.
import { z } from 'zod';
import type { Tool } from './tool';

const schema = z.object({
  steps: z
    .array(
      z.object({
        title: z.string().trim().min(1).describe('a few words'),
        status: z.enum(['pending', 'active', 'done']),
      }),
    )
    .min(1)
    .max(50)
    .describe('all steps, in order; at most one is active'),
});

export const updatePlanTool: Tool<z.infer<typeof schema>> = {
  name: 'update_plan',
  description:
    'Shows the user your plan. Give all steps each time. Use it for work of several steps, and keep it true as you go.',
  schema,
  category: 'control',
  effect: 'control',
  async preview(input) {
    const detail = input.steps.map((s) => s.title).join('\n');
    return { title: 'Plan', detail, detailKind: 'text', paths: [], guarded: [] };
  },
  async run(input) {
    const done = input.steps.filter((s) => s.status === 'done').length;
    return {
      text: `The plan is shown: ${done} of ${input.steps.length} steps are done.`,
      display: { kind: 'lines', label: `${done} of ${input.steps.length} done` },
      touched: [],
      ok: true,
    };
  },
};
