// The environment of commands that the agent runs: the user's, without what is Tidemark's or a provider's (SPEC 12).

const OURS = [
  /^TIDEMARK_/,
  /^ELECTRON_/,
  /^(ANTHROPIC|OPENAI)_(API_KEY|BASE_URL)$/,
  /^OLLAMA_HOST$/,
  /^HTTPS_PROXY$/i,
  /^NO_PROXY$/i,
  /^NO_COLOR$/,
  /^(INIT_CWD|npm_.*|NODE_OPTIONS|CHROME_DESKTOP)$/,
];

/** Also ours to drop: npm's and Electron's own, which are there only because of how Tidemark was started. */
export function commandEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !OURS.some((pattern) => pattern.test(name))) kept[name] = value;
  }
  return kept;
}
