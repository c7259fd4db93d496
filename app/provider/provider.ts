// What a provider is: an adapter to a model API that plays one step at a time.
// Owns: the request and the stream of parts. Does not own: retries, the loop, keys.
import type { z } from 'zod';
import type { ContextSize, Thinking, Usage } from '../../shared/domain';
import { type ErrorCode, TidemarkError } from '../../shared/errors';

export type { ContextSize };

export type ModelMessage =
  | { readonly role: 'user'; readonly text: string }
  | {
      readonly role: 'assistant';
      readonly text: string;
      /** only what the very model that is asked has thought itself */
      readonly thinking: readonly Thinking[];
      readonly calls: readonly { readonly callId: string; readonly tool: string; readonly input: unknown }[];
    }
  /** results of the assistant message just before it: exactly one a call, in the order of the calls */
  | {
      readonly role: 'results';
      readonly results: readonly {
        readonly callId: string;
        readonly tool: string;
        readonly text: string;
        readonly ok: boolean;
      }[];
    };

export type ToolSpec = { readonly name: string; readonly description: string; readonly schema: z.ZodType };

export type StepRequest = {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolSpec[];
  readonly signal: AbortSignal;
  /** it asks for the summary of a conversation (Practice, which does not understand that, is told so) */
  readonly summary?: boolean;
};

/** The parts of one answer. The last one is `finish`; an answer without it was cut off and runs no tool. */
export type StepPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** a block of reasoning is complete and has to go back with the answer; its text was streamed as `reasoning` */
  | { readonly type: 'thinking'; readonly block: Thinking }
  /** something came of which there is nothing to show yet; `idle`: the server only said that it is still there */
  | { readonly type: 'alive'; readonly idle: boolean }
  | { readonly type: 'call-started'; readonly callId: string; readonly tool: string }
  /** `input` as parsed JSON; `error` set when the arguments are not valid JSON (then nothing may run) */
  | {
      readonly type: 'call';
      readonly callId: string;
      readonly tool: string;
      readonly input: unknown;
      readonly error: string | null;
    }
  | { readonly type: 'finish'; readonly reason: 'stop' | 'tools' | 'length'; readonly usage: Usage };

export interface Provider {
  readonly id: string;
  readonly model: string;
  /** How much the model can be sent. Never rejects. */
  contextSize(): Promise<ContextSize>;
  /**
   * Streams one answer. @throws ProviderError key-wrong, provider-unreachable, provider-busy, provider-failed,
   * context-too-long, refused, stream-cut; TidemarkError cancelled when the signal is aborted
   */
  step(request: StepRequest): AsyncIterable<StepPart>;
}

/** What a step fails with, and whether the same request may succeed later. */
export class ProviderError extends TidemarkError {
  /** the same request can succeed a little later */
  readonly retryable: boolean;
  /** the pause that the server asked for; null: it named none */
  readonly retryAfterMs: number | null;
  /** of `context-too-long`: how many tokens would fit; null: it was not said */
  readonly limitTokens: number | null;
  constructor(
    code: ErrorCode,
    message: string,
    options: {
      cause?: unknown;
      hint?: string;
      retryable?: boolean;
      retryAfterMs?: number | null;
      limitTokens?: number | null;
    } = {},
  ) {
    super(code, message, options);
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.limitTokens = options.limitTokens ?? null;
  }
}
