// Practice: a stand-in for a model that needs no key and no network, and obeys a few plain instructions.
// Owns: which call comes next, and its words. Does not own: the grammar (practice-instructions).
// Invariant: it keeps nothing between steps; what it does follows from the conversation alone, so rewinding, editing
// and going on work with it as with a model.
import { setTimeout as delay } from 'node:timers/promises';
import { TidemarkError } from '../../shared/errors';
import { type Instruction, parsePrompt } from './practice-instructions';
import {
  type ContextSize,
  type ModelMessage,
  type Provider,
  ProviderError,
  type StepPart,
  type StepRequest,
} from './provider';

export const PRACTICE_MODEL = 'practice';
/** It keeps nothing in mind, so it has no limit that a conversation would reach. */
const CONTEXT: ContextSize = { tokens: 1_000_000, from: 'table' };
/** A pause between fragments, so that streaming can be seen. */
const PACE_MS = 6;

const EXPLANATION = `I am Practice, a stand-in and no AI model. I obey a few plain instructions, through the same tools, approvals and checkpoints that a model would use. One instruction a line or sentence:

- create notes.md with "# Notes"
- replace "Notes" with "My notes" in notes.md
- rename notes.md to ideas.md
- delete ideas.md
- run \`ls -l\`
- read notes.md
- ask "Which colour?" with "red" or "blue"
- fail

To work with a model, choose a provider in Settings.`;

const SIGNATURE = '_Practice is no AI model: it obeyed your instructions word for word._';

export function openPractice(): Provider {
  return { id: 'practice', model: PRACTICE_MODEL, contextSize: async () => CONTEXT, step };
}

type Call = { readonly tool: string; readonly input: Record<string, unknown> };
type Answer = { readonly text: string; readonly calls: readonly Call[] };

async function* step(request: StepRequest): AsyncGenerator<StepPart> {
  const answer = nextAnswer(request);
  for (const fragment of answer.text.match(/\s*\S+\s*?(?:\n+|(?=\s)|$)/g) ?? []) {
    await pause(request.signal);
    yield { type: 'text', text: fragment };
  }
  for (const [index, { tool, input }] of answer.calls.entries()) {
    const callId = `practice_${request.messages.length}_${index}`;
    yield { type: 'call-started', callId, tool };
    await pause(request.signal);
    yield { type: 'call', callId, tool, input, error: null };
  }
  yield {
    type: 'finish',
    reason: answer.calls.length > 0 ? 'tools' : 'stop',
    usage: { inputTokens: sizeOf(request), outputTokens: tokensOf(JSON.stringify(answer)), cost: 0 },
  };
}

async function pause(signal: AbortSignal): Promise<void> {
  try {
    await delay(PACE_MS, undefined, { signal });
  } catch (cause) {
    throw new TidemarkError('cancelled', 'Stopped.', { cause });
  }
}

/** About four characters are a token. */
const tokensOf = (text: string): number => Math.ceil(text.length / 4);
const sizeOf = (request: StepRequest): number => tokensOf(request.system + JSON.stringify(request.messages));

function nextAnswer(request: StepRequest): Answer {
  if (request.summary) return { text: summaryOf(request), calls: [] };
  const at = request.messages.findLastIndex((m) => m.role === 'user');
  const prompt = request.messages[at];
  if (prompt?.role !== 'user') return { text: EXPLANATION, calls: [] };
  const since = request.messages.slice(at + 1);
  const parsed = parsePrompt(prompt.text);
  if (!parsed.ok) {
    const unclear = parsed.unclear === '' ? '' : `I do not understand "${parsed.unclear}".\n\n`;
    return { text: unclear + EXPLANATION, calls: [] };
  }
  const failure = failureIn(since);
  if (failure !== null) return giveUp(failure);
  const batches = batchesOf(parsed.instructions);
  const done = since.filter((m) => m.role === 'assistant' && m.calls.length > 0).length;
  const batch = batches[done];
  if (batch === undefined) return lastAnswer(parsed.instructions, since, done > batches.length, request);
  if (batch[0]?.kind === 'fail')
    throw new ProviderError('provider-failed', 'Practice failed, as you told it to.');
  const calls = batch.flatMap(callOf);
  const missing = calls.find((c) => !request.tools.some((t) => t.name === c.tool));
  if (missing !== undefined) {
    return { text: `I may not use ${missing.tool} in this mode. Apply mode may change things.`, calls: [] };
  }
  return { text: `${capital(batch.map(intentOf).join(', then '))}.`, calls };
}

/** The user's messages of the conversation that it is asked to sum up: more it cannot tell. */
function summaryOf({ messages }: StepRequest): string {
  const text = messages.map((m) => (m.role === 'user' ? m.text : '')).join('');
  const prompts = [...text.matchAll(/^\[user\]\n([\s\S]*?)(?=\n\n(?:\[|\())/gm)];
  const list = prompts.map(([, prompt = '']) => `- ${prompt.trim().slice(0, 500).replace(/\s+/g, ' ')}`);
  return `The instructions so far were:\n\n${list.join('\n')}\n\n${SIGNATURE}`;
}

/** Edits share a turn; each command has one of its own, and so has the failure. */
function batchesOf(instructions: readonly Instruction[]): readonly (readonly Instruction[])[] {
  const batches: Instruction[][] = [];
  for (const instruction of instructions) {
    const alone = instruction.kind === 'run' || instruction.kind === 'fail';
    const last = batches.at(-1);
    const lastAlone = last?.[0]?.kind === 'run' || last?.[0]?.kind === 'fail';
    if (last === undefined || alone || lastAlone) batches.push([instruction]);
    else last.push(instruction);
  }
  return batches;
}

function callOf(instruction: Instruction): readonly Call[] {
  switch (instruction.kind) {
    case 'create':
      return [{ tool: 'write_file', input: { path: instruction.path, content: instruction.content } }];
    case 'replace': {
      const { path, from, to, all } = instruction;
      return [
        {
          tool: 'replace_text',
          input: { path, old_text: from, new_text: to, ...(all ? { replace_all: true } : {}) },
        },
      ];
    }
    case 'rename':
      return [{ tool: 'move_file', input: { from: instruction.from, to: instruction.to } }];
    case 'delete':
      return [{ tool: 'delete_file', input: { path: instruction.path } }];
    case 'run':
      return [{ tool: 'run_command', input: { command: instruction.command } }];
    case 'read':
      return [{ tool: 'read_file', input: { path: instruction.path } }];
    case 'ask': {
      const { question, choices } = instruction;
      return [{ tool: 'ask_question', input: choices.length === 0 ? { question } : { question, choices } }];
    }
    case 'fail':
      return [];
  }
}

function intentOf(instruction: Instruction): string {
  switch (instruction.kind) {
    case 'create':
      return `create \`${instruction.path}\``;
    case 'replace':
      return `change \`${instruction.path}\``;
    case 'rename':
      return `rename \`${instruction.from}\` to \`${instruction.to}\``;
    case 'delete':
      return `delete \`${instruction.path}\``;
    case 'run':
      return `run \`${instruction.command}\``;
    case 'read':
      return `read \`${instruction.path}\``;
    case 'ask':
      return `ask “${instruction.question}”`;
    case 'fail':
      return 'fail';
  }
}

/** Tools whose results the last answer repeats. */
const SHOWN: readonly string[] = ['read_file', 'run_command', 'ask_question'];

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function failureIn(messages: readonly ModelMessage[]): string | null {
  for (const message of messages) {
    if (message.role !== 'results') continue;
    const failed = message.results.find((r) => !r.ok);
    if (failed !== undefined) return failed.text;
  }
  return null;
}

/** How a rejected call's result begins (agent/tool-call). */
const REJECTED = /^The user rejected /;

/**
 * An instruction that could not be carried out ends the run as failed, so that a script can tell. A person who has
 * rejected a call knows that it was not carried out: then it is only said.
 */
function giveUp(why: string): Answer {
  if (REJECTED.test(why)) return { text: `I stopped there: ${why}`, calls: [] };
  const [line = ''] = why.split('\n');
  throw new ProviderError('tool-failed', `Practice stopped where an instruction did not work. ${line}`);
}

function lastAnswer(
  instructions: readonly Instruction[],
  since: readonly ModelMessage[],
  declared: boolean,
  request: StepRequest,
): Answer {
  const seen = since
    .flatMap((m) => (m.role === 'results' ? m.results : []))
    .filter((r) => SHOWN.includes(r.tool))
    .map((r) => `\n\n\`\`\`\n${r.text.slice(0, 2000)}\n\`\`\``)
    .join('');
  const list = instructions.map((i) => `- ${intentOf(i)}`).join('\n');
  const result = `${list}${seen}\n\n${SIGNATURE}`;
  const canDeclare = !declared && request.tools.some((t) => t.name === 'complete_task');
  return canDeclare
    ? { text: '', calls: [{ tool: 'complete_task', input: { result } }] }
    : { text: result, calls: [] };
}
