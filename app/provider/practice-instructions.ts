// The plain instructions that Practice understands, from a prompt to steps. Pure.
// Owns: the grammar. Does not own: tools, the conversation.
// Invariant: a prompt is understood whole or not at all; the first part that is not is named.

export type Instruction =
  | { readonly kind: 'create'; readonly path: string; readonly content: string }
  | {
      readonly kind: 'replace';
      readonly path: string;
      readonly from: string;
      readonly to: string;
      readonly all: boolean;
    }
  | { readonly kind: 'rename'; readonly from: string; readonly to: string }
  | { readonly kind: 'delete'; readonly path: string }
  | { readonly kind: 'run'; readonly command: string }
  | { readonly kind: 'read'; readonly path: string }
  | { readonly kind: 'ask'; readonly question: string; readonly choices: readonly string[] }
  | { readonly kind: 'fail' };

export type Parsed =
  | { readonly ok: true; readonly instructions: readonly Instruction[] }
  | { readonly ok: false; readonly unclear: string };

/** A quoted text, kept aside while the sentence around it is taken apart. */
type Quoted = { readonly raw: string; readonly text: string };

const VERBS =
  'create|make|add|write|put|replace|change|swap|substitute|rename|move|delete|remove|run|execute|read|show|open|print|ask|fail';
const POLITE =
  /^(?:(?:please|now|also|then|and|first|next|finally|afterwards?|ok(?:ay)?|(?:can|could|would) you|i want you to|i would like you to)[\s,]+)+/i;
const BULLET = /^\s*(?:[-*•]|\d+[.)])\s+/;

/** \u0001 3 \u0001 stands for the quoted text number 3. */
const HOLE = '\u0001(\\d+)\u0001';
const NAME = '(\\S+?)';

export function parsePrompt(prompt: string): Parsed {
  const quotes: Quoted[] = [];
  const plain = hideQuotes(prompt.replaceAll('\u0001', ''), quotes);
  const clauses = plain.split(/\n+/).flatMap((line) => splitLine(line.replace(BULLET, '')));
  const instructions: Instruction[] = [];
  for (const clause of clauses) {
    const found = parseClause(clause, quotes);
    if (found === null) return { ok: false, unclear: showQuotes(clause, quotes) };
    instructions.push(found);
  }
  return instructions.length === 0 ? { ok: false, unclear: '' } : { ok: true, instructions };
}

function hideQuotes(prompt: string, quotes: Quoted[]): string {
  const keep = (raw: string, text: string): string => `\u0001${quotes.push({ raw, text }) - 1}\u0001`;
  const all =
    /[ \t]*:?\s*```[^\n]*\n([\s\S]*?)```|`([^`\n]+)`|"((?:\\.|[^"\\])*)"|[“„]((?:\\.|[^”“\\])*)[”“]|(?<![\p{L}\p{N}])'((?:\\.|[^'\\])*)'(?![\p{L}\p{N}])/gu;
  return prompt.replace(all, (raw: string, fenced?: string, code?: string, ...rest: unknown[]) => {
    if (fenced !== undefined) return ` ${keep(raw, fenced)}`;
    if (code !== undefined) return keep(raw, code);
    const [straight, curly, single] = rest as (string | undefined)[];
    return keep(raw, unescapeText(straight ?? curly ?? single ?? ''));
  });
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };
const unescapeText = (text: string): string =>
  text.replace(
    /\\([\s\S])/g,
    (_, char: string) => ESCAPES[char] ?? ('"\'\\'.includes(char) ? char : `\\${char}`),
  );

const showQuotes = (text: string, quotes: readonly Quoted[]): string =>
  text.replace(new RegExp(HOLE, 'g'), (_, n: string) => quotes[Number(n)]?.raw ?? '').trim();

function splitLine(line: string): readonly string[] {
  const between = new RegExp(
    `[.!](?=\\s|$)|;\\s*|,?\\s+(?:and\\s+)?then\\s+|(?<!^in\\s+(?:the\\s+file\\s+)?\\S+),\\s*(?:and\\s+)?(?=(?:${VERBS})\\b)|\\s+and\\s+(?=(?:${VERBS})\\b)`,
    'i',
  );
  return line
    .split(between)
    .map((clause) => clause.trim().replace(POLITE, ''))
    .filter((clause) => clause !== '');
}

type Rule = { readonly pattern: RegExp; readonly make: (...found: (string | undefined)[]) => Instruction };

const rule = (pattern: string, make: Rule['make']): Rule => ({
  pattern: new RegExp(`^${pattern}$`, 'i'),
  make,
});
const OF_FILE = `(?:(?:a|an|the)\\s+)?(?:new\\s+)?(?:(?:text|empty)\\s+)?(?:file\\s+)?(?:called\\s+|named\\s+)?${NAME}`;
const WITH =
  '(?:with|containing|holding|saying|that\\s+(?:says|contains|holds|reads))(?:\\s+(?:the\\s+)?(?:text|contents?|words?|lines?))?:?';

const RULES: readonly Rule[] = [
  rule(`(?:create|make|add|write)\\s+${OF_FILE},?\\s+${WITH}\\s+(.+)`, (path = '', content = '') => ({
    kind: 'create',
    path,
    content,
  })),
  rule(
    `(?:write|put)\\s+(?:the\\s+text\\s+)?(${HOLE})\\s+(?:to|in|into)\\s+${OF_FILE}`,
    (content = '', _n, path = '') => ({ kind: 'create', path, content }),
  ),
  rule(`(?:create|make|add)\\s+${OF_FILE}`, (path = '') => ({ kind: 'create', path, content: '' })),
  rule(
    `(?:replace|change|swap|substitute)\\s+(all\\s+|every\\s+)?(${HOLE}|\\S+)\\s+(?:with|by|to|for|into)\\s+(${HOLE}|\\S+)\\s+in\\s+(?:the\\s+file\\s+)?${NAME}(\\s+everywhere)?`,
    (all, from = '', _a, to = '', _b, path = '', everywhere) => ({
      kind: 'replace',
      path,
      from,
      to,
      all: (all ?? everywhere) !== undefined,
    }),
  ),
  rule(
    `in\\s+(?:the\\s+file\\s+)?${NAME},?\\s+(?:replace|change|swap|substitute)\\s+(all\\s+|every\\s+)?(${HOLE}|\\S+)\\s+(?:with|by|to|for|into)\\s+(${HOLE}|\\S+)`,
    (path = '', all, from = '', _a, to = '') => ({ kind: 'replace', path, from, to, all: all !== undefined }),
  ),
  rule(
    `(?:rename|move)\\s+(?:the\\s+)?(?:file\\s+)?${NAME}\\s+(?:to|as|into)\\s+${NAME}`,
    (from = '', to = '') => ({ kind: 'rename', from, to }),
  ),
  rule(`(?:delete|remove)\\s+(?:the\\s+)?(?:file\\s+)?${NAME}`, (path = '') => ({ kind: 'delete', path })),
  rule(
    `(?:read|show|open|print)\\s+(?:me\\s+)?(?:the\\s+)?(?:contents?\\s+of\\s+)?(?:the\\s+)?(?:file\\s+)?${NAME}`,
    (path = '') => ({ kind: 'read', path }),
  ),
  rule('fail', () => ({ kind: 'fail' })),
];

function parseClause(clause: string, quotes: readonly Quoted[]): Instruction | null {
  const run = /^(?:run|execute)\s+(?:the\s+)?(?:command\s+)?(.+)$/i.exec(clause)?.[1];
  if (run !== undefined) return { kind: 'run', command: commandOf(run, quotes) };
  const asked = parseQuestion(clause, quotes);
  if (asked !== null) return asked;
  const fill = (text: string | undefined): string | undefined =>
    text?.replace(new RegExp(HOLE, 'g'), (_, n: string) => quotes[Number(n)]?.text ?? '');
  for (const { pattern, make } of RULES) {
    const found = pattern.exec(clause);
    if (found !== null) return make(...found.slice(1).map(fill));
  }
  return null;
}

/** `ask "QUESTION"`, with answers to choose from behind it: `with "A" or "B"`. */
function parseQuestion(clause: string, quotes: readonly Quoted[]): Instruction | null {
  const found = new RegExp(`^ask\\s+(?:me\\s+)?${HOLE}(?:,?\\s+with\\s+(.+))?$`, 'i').exec(clause);
  if (found === null) return null;
  const textOf = (n: string | undefined): string => quotes[Number(n)]?.text ?? '';
  const choices = [...(found[2] ?? '').matchAll(new RegExp(HOLE, 'g'))].map(([, n]) => textOf(n));
  return { kind: 'ask', question: textOf(found[1]), choices };
}

/** A command in quotes is what is in them; otherwise its own quotes belong to it. */
function commandOf(text: string, quotes: readonly Quoted[]): string {
  const whole = new RegExp(`^${HOLE}$`).exec(text);
  const quoted = whole === null ? undefined : quotes[Number(whole[1])];
  if (quoted === undefined) return showQuotes(text, quotes);
  return quoted.raw.startsWith('`') ? quoted.text : quoted.text.trim();
}
