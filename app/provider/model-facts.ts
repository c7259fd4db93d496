// What is known of models whose server does not tell it: context, longest answer, prices. Pure.
// The figures are from the makers' model and price pages (US dollars for a million tokens); a setting overrules the
// context. A model that is not listed has no price: what it costs is then unknown, not nothing.
import type { Usage } from '../../shared/domain';

/** What a model gets that nobody knows: small enough for most servers (SPEC 12). */
export const UNKNOWN_CONTEXT_TOKENS = 32_768;

export type Price = {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
};

export type ModelFacts = {
  readonly contextTokens: number | null;
  readonly outputTokens: number | null;
  readonly price: Price | null;
};

const K = 1000;
const M = 1_000_000;

/** Anthropic takes a quarter more for writing its cache, and a tenth for reading it. */
const claude = (contextTokens: number, outputTokens: number, input: number, output: number): ModelFacts => ({
  contextTokens,
  outputTokens,
  price: { input, output, cacheRead: input / 10, cacheWrite: input * 1.25 },
});
/** OpenAI writes its cache for nothing. */
const gpt = (
  contextTokens: number,
  outputTokens: number,
  [input, cacheRead, output]: readonly [number, number, number],
): ModelFacts => ({ contextTokens, outputTokens, price: { input, output, cacheRead, cacheWrite: input } });

/** The first that fits counts. */
const MODELS: readonly (readonly [RegExp, ModelFacts])[] = [
  [/^claude-fable-5/, claude(M, 128 * K, 10, 50)],
  [/^claude-opus-5-5/, claude(M, 128 * K, 4, 20)],
  [/^claude-opus-(5|4-[678])/, claude(M, 128 * K, 5, 25)],
  [/^claude-opus-4-5/, claude(200 * K, 64 * K, 5, 25)],
  [/^claude-opus-4/, claude(200 * K, 32 * K, 15, 75)],
  [/^claude-sonnet-5/, claude(M, 128 * K, 2, 10)],
  [/^claude-sonnet-4-6/, claude(M, 64 * K, 3, 15)],
  [/^claude-(sonnet-4|3-7-sonnet)/, claude(200 * K, 64 * K, 3, 15)],
  // Its price depends on the length of the prompt.
  [/^claude-haiku-5-5/, { contextTokens: M, outputTokens: 128 * K, price: null }],
  [/^claude-haiku-4-5/, claude(200 * K, 64 * K, 1, 5)],
  [/^claude-3-5-haiku/, claude(200 * K, 8 * K, 0.8, 4)],
  [/^claude-/, { contextTokens: 200 * K, outputTokens: null, price: null }],
  [/^gpt-4\.1-nano/, gpt(1_047_576, 32_768, [0.1, 0.025, 0.4])],
  [/^gpt-4\.1-mini/, gpt(1_047_576, 32_768, [0.4, 0.1, 1.6])],
  [/^gpt-4\.1/, gpt(1_047_576, 32_768, [2, 0.5, 8])],
  [/^gpt-4o-mini(-20|$)/, gpt(128 * K, 16_384, [0.15, 0.075, 0.6])],
  [/^gpt-4o(-20|$)/, gpt(128 * K, 16_384, [2.5, 1.25, 10])],
  [/^gpt-4o/, { contextTokens: 128 * K, outputTokens: null, price: null }],
  [/^gpt-5-nano/, gpt(400 * K, 128 * K, [0.05, 0.005, 0.4])],
  [/^gpt-5-mini/, gpt(400 * K, 128 * K, [0.25, 0.025, 2])],
  [/^gpt-5(-20|$)/, gpt(400 * K, 128 * K, [1.25, 0.125, 10])],
  [/^gpt-5/, { contextTokens: 400 * K, outputTokens: null, price: null }],
  [/^o3(-20|$)/, gpt(200 * K, 100 * K, [2, 0.5, 8])],
  [/^o4-mini/, gpt(200 * K, 100 * K, [1.1, 0.275, 4.4])],
  [/^o[34]/, { contextTokens: 200 * K, outputTokens: null, price: null }],
];

const UNKNOWN: ModelFacts = { contextTokens: null, outputTokens: null, price: null };

export const factsOf = (model: string): ModelFacts =>
  MODELS.find(([pattern]) => pattern.test(model))?.[1] ?? UNKNOWN;

/** US dollars; null when the price is not known. */
export function costOf(usage: Omit<Usage, 'cost'>, price: Price | null): number | null {
  if (price === null) return null;
  const { cacheReadTokens = 0, cacheWriteTokens = 0, inputTokens, outputTokens } = usage;
  const plain = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  const sum =
    plain * price.input +
    cacheReadTokens * price.cacheRead +
    cacheWriteTokens * price.cacheWrite +
    outputTokens * price.output;
  return sum / M;
}
