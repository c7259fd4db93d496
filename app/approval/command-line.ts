// Takes a command line apart as far as it can be understood for certain. Pure.
// Owns: the simple commands in it, and whether anything in it is beyond plain words. Does not own: what is allowed.
// Invariant: `odd` is empty only when the shell would run exactly `parts`, each with exactly these words; the parser
// understands too little rather than too much. Parts inside substitutions are listed too, for deny rules.

export type CommandLine = {
  /** the words of each simple command, quotes removed */
  readonly parts: readonly (readonly string[])[];
  /** why it is not plain, for people; empty when it is */
  readonly odd: readonly string[];
};

export type Shell = 'sh' | 'cmd';

const SUBSTITUTION = 'uses substitution';
const REDIRECTION = 'redirects input or output';
const VARIABLE = 'uses variables';
const PATTERN = 'begins a word with a pattern';
const GROUP = 'uses shell grammar';
const BROKEN = 'has an open quote';

/** Words that begin a shell construct instead of a command. */
const KEYWORDS = new Set(
  'if then else elif fi for while until do done case esac in function select time coproc ! [[ { }'.split(' '),
);

export function parseCommandLine(line: string, shell: Shell): CommandLine {
  return shell === 'cmd' ? parseCmd(line) : new ShParser(line).parse();
}

/** For cmd.exe only plain words count; its quoting has too many corners to be sure of anything else. */
function parseCmd(line: string): CommandLine {
  const parts = line
    .split(/[&|\r\n]+/)
    .map((part) => part.split(/[\s,;="()@]+/).filter((word) => word !== ''))
    .filter((words) => words.length > 0);
  return {
    parts,
    odd: /^[\w\s./\\:,+-]*$/.test(line) && !/[\r\n]/.test(line) ? [] : ['is not only plain words'],
  };
}

class ShParser {
  private readonly odd = new Set<string>();
  private readonly parts: (readonly string[])[] = [];
  private words: string[] = [];
  private word = '';
  /** a word is open: also an empty one in quotes */
  private open = false;
  private at = 0;

  constructor(private readonly line: string) {}

  parse(): CommandLine {
    while (this.at < this.line.length) this.step(this.line.charAt(this.at++));
    this.endPart();
    return { parts: this.parts, odd: [...this.odd] };
  }

  private step(char: string): void {
    switch (char) {
      case ' ':
      case '\t':
        this.endWord();
        break;
      case '\n':
      case ';':
      case '&':
      case '|':
        this.endPart();
        break;
      case "'":
        this.singleQuoted();
        break;
      case '"':
        this.doubleQuoted();
        break;
      case '\\':
        this.escaped();
        break;
      case '$':
      case '`':
        this.expansion(char);
        break;
      case '<':
      case '>':
        this.redirection();
        break;
      case '(':
      case ')':
        this.odd.add(GROUP);
        this.endPart();
        break;
      case '#':
        if (this.open) this.append(char);
        else this.at = this.endOfLine();
        break;
      default:
        this.plain(char);
        break;
    }
  }

  private plain(char: string): void {
    if ('*?['.includes(char) && (!this.open || this.words.length === 0)) this.odd.add(PATTERN);
    if ('{}!'.includes(char)) this.odd.add(GROUP);
    if (char < ' ' || char === '\u007f') this.odd.add('has control characters');
    this.append(char);
  }

  private append(text: string): void {
    this.word += text;
    this.open = true;
  }

  private endWord(): void {
    if (this.open) this.words.push(this.word);
    this.word = '';
    this.open = false;
  }

  private endPart(): void {
    this.endWord();
    const [first] = this.words;
    if (first === undefined) return;
    if (/^[A-Za-z_]\w*\+?=/.test(first)) this.odd.add('sets variables');
    if (KEYWORDS.has(first)) this.odd.add(GROUP);
    if (first === '') this.odd.add(BROKEN);
    this.parts.push(this.words);
    this.words = [];
  }

  private singleQuoted(): void {
    const end = this.line.indexOf("'", this.at);
    if (end < 0) this.odd.add(BROKEN);
    this.append(this.line.slice(this.at, end < 0 ? undefined : end));
    this.at = end < 0 ? this.line.length : end + 1;
  }

  private doubleQuoted(): void {
    this.append('');
    while (this.at < this.line.length) {
      const char = this.line.charAt(this.at++);
      if (char === '"') return;
      if (char === '\\' && '"\\$`\n'.includes(this.line.charAt(this.at))) this.escaped();
      else if (char === '$' || char === '`') this.expansion(char);
      else this.append(char);
    }
    this.odd.add(BROKEN);
  }

  private escaped(): void {
    const next = this.line.charAt(this.at++);
    if (next === '') this.odd.add(BROKEN);
    else if (next !== '\n') this.append(next);
  }

  private expansion(char: string): void {
    if (char === '`') {
      const end = this.line.indexOf('`', this.at);
      this.substitution(this.line.slice(this.at, end < 0 ? undefined : end));
      this.at = end < 0 ? this.line.length : end + 1;
      return;
    }
    if (this.line.charAt(this.at) !== '(') {
      this.odd.add(VARIABLE);
      this.append('$');
      return;
    }
    const end = closingParenthesis(this.line, this.at);
    this.substitution(this.line.slice(this.at + 1, end));
    this.at = end + 1;
  }

  private substitution(inner: string): void {
    this.odd.add(SUBSTITUTION);
    this.append('$');
    const { parts } = new ShParser(inner).parse();
    this.parts.push(...parts);
  }

  private redirection(): void {
    this.odd.add(REDIRECTION);
    // "2>" is a redirection of a descriptor, not a word.
    if (/^\d*$/.test(this.word)) this.word = '';
    this.open = this.word !== '';
    this.endWord();
    while ('<>&|'.includes(this.line.charAt(this.at)) && this.at < this.line.length) this.at++;
  }

  private endOfLine(): number {
    const end = this.line.indexOf('\n', this.at);
    return end < 0 ? this.line.length : end;
  }
}

function closingParenthesis(line: string, from: number): number {
  let depth = 0;
  for (let at = from; at < line.length; at++) {
    if (line.charAt(at) === '(') depth++;
    if (line.charAt(at) === ')' && --depth === 0) return at;
  }
  return line.length;
}
