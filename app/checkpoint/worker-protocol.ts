// What goes between the engine's worker thread and its client. Structured clones only: plain values, maps, bytes.
// Owns: the messages, and errors in transit. Invariant: every call gets exactly one answer.
import { type ErrorCode, isAbort, TidemarkError, toErrorInfo } from '../../shared/errors';
import type { RestoreProgress } from './engine';

/** `hold` names the hold that a method belongs to; null: the engine itself. Functions stay behind: a signal's cancel follows, progress comes back. */
export type Call = {
  readonly id: number;
  readonly hold: number | null;
  readonly method: string;
  readonly args: readonly unknown[];
};
export type ToWorker = { readonly call: Call } | { readonly cancel: number };

export type SentError = {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly paths?: readonly string[] | undefined;
};
export type FromWorker =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly progress: RestoreProgress }
  | { readonly id: number; readonly error: SentError };

export function sendableError(thrown: unknown): SentError {
  return isAbort(thrown) ? { code: 'cancelled', message: 'Stopped.' } : toErrorInfo(thrown);
}

export function receivedError(e: SentError): TidemarkError {
  return new TidemarkError(e.code, e.message, {
    ...(e.hint === undefined ? {} : { hint: e.hint }),
    ...(e.paths === undefined ? {} : { paths: e.paths }),
  });
}
