// ask_question: the agent needs a decision or a fact that only the user has.
import { z } from 'zod';
import type { Tool } from './tool';

const schema = z.object({
  question: z.string().trim().min(1).describe('one question, for the user'),
  choices: z
    .array(z.string().trim().min(1))
    .max(9)
    .optional()
    .describe('answers to choose from; the user may also write another'),
});

export const askQuestionTool: Tool<z.infer<typeof schema>> = {
  name: 'ask_question',
  description:
    'Asks the user one question and waits for the answer. Ask only what you cannot find out yourself, and offer choices where there are some.',
  schema,
  category: 'control',
  effect: 'control',
  async preview(input) {
    return { title: 'Question', detail: input.question, detailKind: 'text', paths: [], guarded: [] };
  },
  async run(input, context) {
    const answer = await context.ask(input.question, [...new Set(input.choices ?? [])]);
    return {
      text: `The user answered: ${answer}`,
      display: { kind: 'none' },
      touched: [],
      ok: true,
    };
  },
};
