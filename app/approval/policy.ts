// Decides whether a call may run, must be asked for, or is refused. Pure.
// Owns: the order of the rules: deny, then what always asks, then what the settings allow. Does not own: the card.
// Invariant: whatever is not understood for certain asks.
import type { ApprovalCategory } from '../../shared/domain';
import type { Settings } from '../../shared/settings';
import { parseCommandLine, type Shell } from './command-line';
import { dangerOf, possibleCommands, wrapperReason } from './dangers';

export type Guarded = {
  readonly path: string;
  readonly guard: 'git' | 'tidemark' | 'agentignore' | 'secret';
};

export type Question = {
  readonly category: ApprovalCategory;
  readonly effect: 'read' | 'edit' | 'run' | 'control';
  /** the command line, null for other tools */
  readonly command: string | null;
  readonly guarded: readonly Guarded[];
  readonly shell: Shell;
};

export type Verdict =
  | { readonly decision: 'allow' }
  | { readonly decision: 'deny'; readonly reason: string }
  | {
      readonly decision: 'ask';
      readonly flag: string | null;
      /** what `Always allow` would add to the settings, null when it cannot */
      readonly always: string | null;
      readonly irreversible: boolean;
    };

const GUARD_WORDS: Readonly<Record<Guarded['guard'], string>> = {
  git: "is part of the project's git repository",
  tidemark: "is part of Tidemark's own settings for this project",
  agentignore: 'decides what the agent may see',
  secret: 'may hold a secret',
};

/** Rules of `Always allow` that name a category instead of a command. */
const CATEGORY_RULE = 'category:';

export function decide(question: Question, settings: Settings['approval']): Verdict {
  const [guarded] = question.guarded;
  const guardFlag =
    guarded === undefined
      ? null
      : `${guarded.path} ${GUARD_WORDS[guarded.guard]}${question.effect === 'read' ? '' : '; a checkpoint cannot take this back'}`;
  const isAuto =
    settings.auto[question.category] || settings.allow.includes(CATEGORY_RULE + question.category);
  if (question.command !== null)
    return decideCommand(question.command, question.shell, guardFlag, isAuto, settings);
  if (guardFlag !== null && (question.effect !== 'read' || guarded?.guard === 'secret')) {
    return { decision: 'ask', flag: guardFlag, always: null, irreversible: question.effect !== 'read' };
  }
  if (isAuto) return { decision: 'allow' };
  return { decision: 'ask', flag: null, always: CATEGORY_RULE + question.category, irreversible: false };
}

function decideCommand(
  command: string,
  shell: Shell,
  guardFlag: string | null,
  isAuto: boolean,
  settings: Settings['approval'],
): Verdict {
  const line = parseCommandLine(command, shell);
  const rules = (list: readonly string[]) =>
    list.filter((r) => !r.startsWith(CATEGORY_RULE)).map(wordsOfRule);
  const deny = rules(settings.deny);
  const denied = line.parts
    .flatMap(allCommands)
    .find((words) => deny.some((rule) => isPrefix(rule, words, true)));
  if (denied !== undefined) return { decision: 'deny', reason: `"${denied[0]}" is denied in the settings.` };

  const reasons = [...line.odd, ...line.parts.map(wrapperReason).filter((r) => r !== null)];
  const danger = dangerOf(line.parts.flatMap(allParts));
  const flag = guardFlag ?? danger ?? reasons[0] ?? null;
  const ask = (always: string | null): Verdict => ({
    decision: 'ask',
    flag,
    always,
    irreversible: guardFlag !== null,
  });
  if (guardFlag !== null || danger !== null || line.parts.length === 0) return ask(null);
  // With a deny list, what cannot be read could hide a denied command.
  if (isAuto) return reasons.length > 0 && deny.length > 0 ? ask(null) : { decision: 'allow' };
  if (reasons.length > 0) return ask(null);
  const allow = rules(settings.allow);
  if (line.parts.every((words) => allow.some((rule) => isPrefix(rule, words, false))))
    return { decision: 'allow' };
  const [only, ...more] = line.parts;
  return ask(only !== undefined && more.length === 0 ? prefixOf(only) : null);
}

const wordsOfRule = (rule: string): readonly string[] => rule.trim().split(/\s+/).filter(Boolean);

/** Command strings inside a part, as of `sh -c "..."`, count as parts of their own. */
function allParts(words: readonly string[]): readonly (readonly string[])[] {
  if (wrapperReason(words) === null) return [words];
  const inner = words.slice(1).filter((word) => /\s/.test(word));
  return [words, ...inner.flatMap((text) => parseCommandLine(text, 'sh').parts.flatMap(allParts))];
}

const allCommands = (words: readonly string[]): readonly (readonly string[])[] =>
  allParts(words).flatMap((part) => [part, ...possibleCommands(part)]);

/** Deny rules also fit another case or options before the words; allow rules have to fit word for word. */
function isPrefix(rule: readonly string[], words: readonly string[], loose: boolean): boolean {
  if (rule.length === 0) return false;
  if (!loose) return rule.every((word, index) => words[index] === word);
  const [head = '', ...rest] = rule.map((w) => w.toLowerCase());
  const [first = '', ...others] = words.map((w) => w.toLowerCase());
  if (head !== first) return false;
  let from = 0;
  return rest.every((word) => {
    const at = others.indexOf(word, from);
    from = at + 1;
    return at >= 0;
  });
}

/** Programs whose second word says what they do. */
const WITH_SUBCOMMANDS =
  /^(git|npm|pnpm|yarn|npx|cargo|go|docker|kubectl|dotnet|pip|pip3|uv|poetry|make|just|bun|deno|gradle|mvn)$/;

/** What `Always allow` remembers of a command: the program, with its subcommand where it has such. */
function prefixOf(words: readonly string[]): string | null {
  const [program = '', sub] = words;
  if (/\s/.test(program) || program === '') return null;
  if (!WITH_SUBCOMMANDS.test(program)) return program;
  return sub !== undefined && /^[\w:.-]+$/.test(sub) && !sub.startsWith('-')
    ? scripted(program, sub, words[2])
    : null;
}

/** `npm run X` is as wide as the scripts of the project, so the script's name belongs to the rule. */
function scripted(program: string, sub: string, third: string | undefined): string | null {
  if (sub !== 'run' && sub !== 'exec') return `${program} ${sub}`;
  return third !== undefined && /^[\w:.-]+$/.test(third) ? `${program} ${sub} ${third}` : null;
}
