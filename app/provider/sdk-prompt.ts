// From our messages to those of the AI SDK's providers, in a form that every protocol takes. Pure.
// Owns: call ids and tool names that are allowed everywhere, joining what must not stand side by side.
// Invariants: each id is used once in a request, in a call and in its result; the same history gives the same prompt,
// and a longer one begins with it, so that servers find their cache.
import type { LanguageModelV3Prompt, SharedV3ProviderOptions } from '@ai-sdk/provider';
import type { Thinking } from '../../shared/domain';
import type { ModelMessage, StepRequest } from './provider';

type AssistantPart = Extract<LanguageModelV3Prompt[number], { role: 'assistant' }>['content'][number];
type Assistant = Extract<ModelMessage, { role: 'assistant' }>;

/** What the strictest servers take; other ids and names are the inventions of models and gateways. */
const SAFE_ID = /^[a-zA-Z0-9_-]{1,40}$/;
const safeName = (name: string): string => name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || '_';

/** `thinkingOptions`: how this provider wants a block of thinking back; null: not at all. */
export function promptOf(
  request: Pick<StepRequest, 'system' | 'messages'>,
  thinkingOptions: ((block: Thinking) => SharedV3ProviderOptions) | null = null,
): LanguageModelV3Prompt {
  const prompt: LanguageModelV3Prompt = [{ role: 'system', content: request.system }];
  const used = new Set<string>();
  /** the ids of the last answer's calls as they were sent */
  let sent: readonly string[] = [];
  for (const message of request.messages) {
    if (message.role === 'user') addUser(prompt, message.text);
    else if (message.role === 'assistant') {
      sent = message.calls.map(({ callId }) => freeId(callId, used));
      const content = [...thoughts(message, thinkingOptions), ...said(message, sent)];
      if (content.length > 0) prompt.push({ role: 'assistant', content });
    } else {
      prompt.push({
        role: 'tool',
        content: message.results.map((r, index) => ({
          type: 'tool-result' as const,
          toolCallId: sent[index] ?? r.callId,
          toolName: safeName(r.tool),
          // Servers refuse an error without words.
          output: r.ok
            ? { type: 'text' as const, value: r.text }
            : { type: 'error-text' as const, value: r.text || 'It failed.' },
        })),
      });
    }
  }
  return prompt;
}

/** Several servers insist on taking turns. */
function addUser(prompt: LanguageModelV3Prompt, text: string): void {
  const last = prompt.at(-1);
  if (last?.role === 'user') last.content.push({ type: 'text', text: `\n\n${text}` });
  else prompt.push({ role: 'user', content: [{ type: 'text', text }] });
}

function thoughts(
  { thinking }: Assistant,
  options: ((block: Thinking) => SharedV3ProviderOptions) | null,
): readonly AssistantPart[] {
  if (options === null) return [];
  return thinking.map((block) => ({
    type: 'reasoning',
    text: block.text,
    providerOptions: options(block),
  }));
}

/** Text of nothing but white space is refused by some. */
const said = ({ text, calls }: Assistant, ids: readonly string[]): readonly AssistantPart[] => [
  ...(text.trim() === '' ? [] : [{ type: 'text' as const, text }]),
  ...calls.map((call, index) => ({
    type: 'tool-call' as const,
    toolCallId: ids[index] ?? call.callId,
    toolName: safeName(call.tool),
    input: typeof call.input === 'object' && !Array.isArray(call.input) ? (call.input ?? {}) : {},
  })),
];

/** Ids come again after a rewind, from servers that count per request, and from another provider (FAULTS 75). */
function freeId(wanted: string, used: Set<string>): string {
  let id = wanted;
  for (let n = used.size + 1; !SAFE_ID.test(id) || used.has(id); n++) id = `call_${n}`;
  used.add(id);
  return id;
}
