// The server of a model, as the adapters need it.
import type { ContextSize } from './provider';

export type Server = {
  readonly name: string;
  /** without a slash at its end */
  readonly baseUrl: string;
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch | undefined;
};

/** A server with the model that is asked there. */
export type ModelServer = Server & {
  /** of the provider */
  readonly id: string;
  readonly model: string;
  readonly contextSize: () => Promise<ContextSize>;
};
