// Context sizes of models whose server does not tell them. Pure.
// The figures are from the makers' model pages; a setting overrules them.

/** What a model gets that nobody knows: small enough for most servers (SPEC 12). */
export const UNKNOWN_CONTEXT_TOKENS = 32_768;

const SIZES: readonly (readonly [RegExp, number])[] = [
  [/^gpt-4\.1/, 1_047_576],
  [/^gpt-4o/, 128_000],
  [/^gpt-5/, 400_000],
  [/^o[34]/, 200_000],
];

export const contextTokensOf = (model: string): number =>
  SIZES.find(([pattern]) => pattern.test(model))?.[1] ?? UNKNOWN_CONTEXT_TOKENS;
