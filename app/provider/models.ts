// Asks a server for its models.
// Owns: the request and reading its answer, whatever dialect of the size field it speaks.
import { z } from 'zod';
import { errorOfStatus, errorOfThrown } from './errors';
import { ProviderError } from './provider';
import type { Server } from './server';

export type ModelInfo = { readonly id: string; readonly contextTokens: number | null };

const size = z.number().positive().optional().catch(undefined);
const listSchema = z.object({
  data: z.array(
    z.looseObject({
      id: z.string(),
      context_length: size,
      max_model_len: size,
      context_window: size,
      max_input_tokens: size,
    }),
  ),
});

/** @throws ProviderError key-wrong, provider-unreachable, provider-failed; TidemarkError cancelled */
export async function listModelsOf(
  server: Server,
  protocol: 'openai' | 'anthropic',
  signal: AbortSignal,
): Promise<readonly ModelInfo[]> {
  const headers = { ...keyHeaders(server.key, protocol), ...server.headers };
  let status: number;
  let body: string;
  try {
    const response = await (server.fetch ?? fetch)(
      `${server.baseUrl}/models${protocol === 'anthropic' ? '?limit=1000' : ''}`,
      { headers, signal },
    );
    status = response.status;
    body = await response.text();
  } catch (error) {
    throw errorOfThrown(error, server.name, signal);
  }
  // Servers without a list still answer prompts.
  if (status === 404 || status === 405) return [];
  if (status >= 400) throw errorOfStatus({ status, body, retryAfter: null }, server.name);
  const parsed = listSchema.safeParse(parseJson(body));
  if (!parsed.success)
    throw new ProviderError('provider-failed', `${server.name} answers, but with no list of models.`);
  return parsed.data.data.map((m) => ({
    id: m.id,
    contextTokens: m.context_length ?? m.max_model_len ?? m.context_window ?? m.max_input_tokens ?? null,
  }));
}

function keyHeaders(key: string | null, protocol: 'openai' | 'anthropic'): Readonly<Record<string, string>> {
  if (protocol === 'anthropic')
    return { 'anthropic-version': '2023-06-01', ...(key === null ? {} : { 'x-api-key': key }) };
  return key === null ? {} : { authorization: `Bearer ${key}` };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON is one of the wrong shapes that the schema refuses.
    return null;
  }
}
