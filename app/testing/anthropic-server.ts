// Anthropic's messages for the tests' server: the stream of an answer, and what a request must be like.
import { createHash } from 'node:crypto';
import {
  argsOf,
  type ModelServer,
  type ModelServerOptions,
  type Protocol,
  piecesOf,
  type ScriptedAnswer,
  type StreamedAnswer,
  startModelServer,
  wordsOf,
} from './model-server';

type Cached = { readonly cache_control?: { readonly type: string } };
export type AnthropicBlock = Cached &
  (
    | { readonly type: 'text'; readonly text: string }
    | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
    | { readonly type: 'redacted_thinking'; readonly data: string }
    | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown }
    | {
        readonly type: 'tool_result';
        readonly tool_use_id: string;
        readonly content: unknown;
        readonly is_error?: boolean;
      }
  );
export type AnthropicMessage = { readonly role: string; readonly content: readonly AnthropicBlock[] };
export type AnthropicBody = {
  readonly model: string;
  readonly max_tokens: number;
  readonly system?: readonly (Cached & { readonly text: string })[];
  readonly messages: readonly AnthropicMessage[];
  readonly tools?: readonly (Cached & { readonly name: string; readonly input_schema: { type: string } })[];
  readonly thinking?: { readonly type: string; readonly budget_tokens?: number };
};
export type AnthropicServer = ModelServer<AnthropicBody>;

export const ANTHROPIC: Protocol<AnthropicBody> = {
  keyOf: (headers) => headers['x-api-key'] as string | undefined,
  list: (models) => ({ data: models.map((m) => ({ type: 'model', ...m })), has_more: false }),
  events: (answer, body) => eventsOf(answer, body.model),
  faultIn: (body) => bodyFault(body),
};

export const startAnthropicServer = (
  answers: readonly ScriptedAnswer[] = [],
  options: ModelServerOptions = {},
): Promise<AnthropicServer> => startModelServer(ANTHROPIC, answers, options);

/** Only the model that has thought something can have signed it. */
const sign = (text: string, model: string): string =>
  createHash('sha256').update(`${model}\0${text}`).digest('base64');

const event = (type: string, data: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;

function eventsOf(answer: StreamedAnswer, model: string): readonly string[] {
  const { input, output, cached = 0 } = answer.usage ?? { input: 11, output: 7 };
  const blocks: readonly (readonly [object, readonly object[]])[] = [
    ...(answer.reasoning === undefined ? [] : [thinkingBlock(answer.reasoning, model)]),
    ...(answer.redacted === undefined
      ? []
      : [[{ type: 'redacted_thinking', data: sign(answer.redacted, model) }, []] as const]),
    ...[answer.text, answer.refusal].flatMap((text) => {
      if (text === undefined) return [];
      return [
        [{ type: 'text', text: '' }, wordsOf(text).map((w) => ({ type: 'text_delta', text: w }))] as const,
      ];
    }),
    ...(answer.calls ?? []).map((call, index) => {
      const block = { type: 'tool_use', id: call.id ?? `toolu_${index}`, name: call.name, input: {} };
      const pieces = piecesOf(argsOf(call), answer.argsCutAt);
      return [block, pieces.map((json) => ({ type: 'input_json_delta', partial_json: json }))] as const;
    }),
  ];
  const start = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {
      input_tokens: input,
      output_tokens: 1,
      cache_read_input_tokens: cached,
      cache_creation_input_tokens: 0,
    },
  };
  const events = [
    event('message_start', { message: start }),
    event('ping', {}),
    ...blocks.flatMap(([block, deltas], index) => [
      event('content_block_start', { index, content_block: block }),
      ...deltas.map((delta) => event('content_block_delta', { index, delta })),
      event('content_block_stop', { index }),
    ]),
  ];
  if (answer.finish === null) return events;
  const usual =
    answer.refusal !== undefined ? 'refusal' : (answer.calls?.length ?? 0) > 0 ? 'tool_use' : 'end_turn';
  return [
    ...events,
    event('message_delta', {
      delta: { stop_reason: answer.finish ?? usual, stop_sequence: null },
      usage: { output_tokens: output },
    }),
    event('message_stop', {}),
  ];
}

const thinkingBlock = (text: string, model: string): readonly [object, readonly object[]] => [
  { type: 'thinking', thinking: '', signature: '' },
  [
    ...wordsOf(text).map((thinking) => ({ type: 'thinking_delta', thinking })),
    { type: 'signature_delta', signature: sign(text, model) },
  ],
];

function bodyFault(body: AnthropicBody): string | null {
  if (!(body.max_tokens > 0)) return 'max_tokens: a positive number is required';
  if (body.thinking?.type === 'enabled' && (body.thinking.budget_tokens ?? 0) >= body.max_tokens)
    return 'max_tokens must be greater than thinking.budget_tokens';
  const marks = JSON.stringify(body).match(/"cache_control"/g)?.length ?? 0;
  if (marks > 4) return `${marks} blocks with cache_control; at most 4 are allowed`;
  for (const tool of body.tools ?? [])
    if (tool.input_schema.type !== 'object') return `tools: the schema of ${tool.name} is no object`;
  return historyFault(body) ?? unthoughtFault(body);
}

function historyFault(body: AnthropicBody): string | null {
  const used = new Set<string>();
  let open: readonly string[] = [];
  for (const [index, message] of body.messages.entries()) {
    const at = `messages.${index}`;
    if (message.role !== (index % 2 === 0 ? 'user' : 'assistant')) return `${at}: roles must alternate`;
    if (message.content.length === 0) return `${at}: content is empty`;
    for (const block of message.content) {
      const fault = blockFault(block, message.role, body, used);
      if (fault !== null) return `${at}: ${fault}`;
    }
    const results = message.content.flatMap((b) => (b.type === 'tool_result' ? [b.tool_use_id] : []));
    if (results.join() !== open.join())
      return `${at}: tool_use ids ${open.join()} need results right after them, found ${results.join()}`;
    if (message.content.slice(0, results.length).some((b) => b.type !== 'tool_result'))
      return `${at}: tool_result blocks come first`;
    open = message.content.flatMap((b) => (b.type === 'tool_use' ? [b.id] : []));
    if (open.length > 0 && (body.tools?.length ?? 0) === 0) return `${at}: tool_use without tools`;
  }
  return body.messages.length % 2 === 1 ? null : 'the conversation must end with a user message';
}

function blockFault(
  block: AnthropicBlock,
  role: string,
  { model }: AnthropicBody,
  used: Set<string>,
): string | null {
  switch (block.type) {
    case 'text':
      return block.text.trim() === '' ? 'text content blocks must contain non-whitespace text' : null;
    case 'thinking':
      if (block.cache_control !== undefined) return 'thinking blocks cannot be cached';
      return block.signature === sign(block.thinking, model) ? null : 'Invalid signature in thinking block';
    case 'redacted_thinking':
      return block.cache_control === undefined ? null : 'thinking blocks cannot be cached';
    case 'tool_use':
      if (role !== 'assistant') return 'tool_use blocks are the assistant’s';
      if (!/^[a-zA-Z0-9_-]+$/.test(block.id)) return `tool_use.id "${block.id}" does not match the pattern`;
      if (!/^[a-zA-Z0-9_-]{1,128}$/.test(block.name)) return `tool_use.name "${block.name}"`;
      if (used.has(block.id)) return `tool_use ids must be unique: ${block.id}`;
      if (typeof block.input !== 'object' || block.input === null || Array.isArray(block.input))
        return 'tool_use.input must be an object';
      used.add(block.id);
      return null;
    case 'tool_result':
      if (role !== 'user') return 'tool_result blocks are the user’s';
      if (block.is_error && block.content === '') return 'content is required when is_error is true';
      return null;
    default:
      return `unknown block ${(block as { type: string }).type}`;
  }
}

/** With a budget, the answer that is being worked on has to begin with its thinking. */
function unthoughtFault({ messages, thinking }: AnthropicBody): string | null {
  if (thinking?.type !== 'enabled') return null;
  const blocks = messages.findLast((m) => m.role === 'assistant')?.content ?? [];
  if (!blocks.some((b) => b.type === 'tool_use')) return null;
  const first = blocks[0]?.type;
  return first === 'thinking' || first === 'redacted_thinking'
    ? null
    : 'Expected `thinking` or `redacted_thinking`. A final assistant message must start with a thinking block.';
}
