// How many tokens a model's context holds: the setting, else what its server tells, else what is known of the model,
// else a careful guess (SPEC 12); an error that says less corrects all of them until the program ends.
import { factsOf, UNKNOWN_CONTEXT_TOKENS } from './model-facts';
import type { ContextSize } from './provider';

/** A server that does not tell within this is not waited for. */
const PATIENCE_MS = 5000;

export type SizeQuestion = {
  readonly model: string;
  /** tells servers apart */
  readonly baseUrl: string;
  readonly setting: number | null;
  /** asks the server; null: it does not say */
  readonly ask: (signal: AbortSignal) => Promise<number | null>;
};

const corrected = new Map<string, number>();
const told = new Map<string, Promise<number | null>>();

export interface ContextSizes {
  /** Never rejects: a server that cannot be asked tells nothing. */
  get(): Promise<ContextSize>;
  /** The server has refused more than this. */
  correct(tokens: number): void;
}

export function openContextSizes(q: SizeQuestion): ContextSizes {
  const key = `${q.baseUrl}\0${q.model}`;

  async function asked(): Promise<number | null> {
    const known = told.get(key);
    if (known !== undefined) return known;
    const asking = q.ask(AbortSignal.timeout(PATIENCE_MS));
    told.set(key, asking);
    try {
      return await asking;
    } catch {
      // The request itself will say what is wrong with the server; this question is asked again with the next run.
      told.delete(key);
      return null;
    }
  }

  async function supposed(): Promise<ContextSize> {
    if (q.setting !== null) return { tokens: q.setting, from: 'setting' };
    const fromServer = await asked();
    if (fromServer !== null) return { tokens: fromServer, from: 'server' };
    const fromTable = factsOf(q.model).contextTokens;
    return fromTable === null
      ? { tokens: UNKNOWN_CONTEXT_TOKENS, from: 'unknown' }
      : { tokens: fromTable, from: 'table' };
  }

  return {
    async get() {
      const limit = corrected.get(key);
      const size = await supposed();
      return limit !== undefined && limit < size.tokens ? { tokens: limit, from: 'error' } : size;
    },
    correct(tokens) {
      corrected.set(key, tokens);
    },
  };
}

const LIMITS: readonly RegExp[] = [
  />\s*([\d,]+)\s*max/i,
  /(?:context (?:length|size|window|limit)|n_ctx)\D{0,20}?([\d,]{3,})/i,
  /maximum (?:of )?([\d,]{3,}) tokens/i,
];

/** The number of tokens that a server's refusal names as its limit, or null. */
export function limitIn(text: string): number | null {
  for (const pattern of LIMITS) {
    const tokens = Number(pattern.exec(text)?.[1]?.replaceAll(',', ''));
    if (Number.isFinite(tokens) && tokens >= 256) return tokens;
  }
  return null;
}
