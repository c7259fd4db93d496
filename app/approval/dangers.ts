// What a person should notice about a command before allowing it. Pure.
// Owns: wrappers (programs that run what their arguments say), options that do the same or write files, and destructive commands.
// Does not own: the user's allow and deny rules.

const nameOf = (word: string): string =>
  word
    .replace(/^.*[\\/]/, '')
    .replace(/\.(exe|cmd|bat|com)$/i, '')
    .toLowerCase();

/** Programs that run another program which their arguments name. */
const WRAPPERS = new Set(
  (
    'env xargs sudo doas su nohup setsid nice ionice time timeout watch parallel script stdbuf strace ltrace ' +
    'unshare chroot nsenter flock busybox ssh command builtin exec eval source . trap alias export ' +
    'sh bash dash ash zsh ksh fish csh tcsh pwsh powershell cmd start call runas wsl'
  ).split(' '),
);

/** Interpreters are wrappers as soon as their program stands in the command line. */
const INTERPRETERS = /^(python\d*(\.\d+)*|node|deno|bun|perl|ruby|php|lua|osascript|tclsh)$/;
/** Also among combined letters, as in "-Ic", and by any beginning of the long names. */
const INLINE = /^(-[A-Za-z0-9]*[ceEpPr]|--ev|--pr|--run|--exec|--expr|eval$|-$)/;

/**
 * Options by which ordinary programs run others or write files. Programs take a long option by any beginning that is
 * clear, so `long` fits the other way round too; `letters` count anywhere in a group of short options.
 */
type Risky = {
  readonly program: RegExp;
  readonly long?: readonly string[];
  readonly letters?: string;
  readonly word?: RegExp;
};

const RISKY: readonly Risky[] = [
  { program: /^find$/, word: /^-(exec|ok|fprint|fls)/ },
  { program: /^fd(find)?$/, long: ['exec', 'exec-batch'], letters: 'xX' },
  { program: /^rg$/, long: ['pre', 'hostname-bin', 'search-zip'], letters: 'z' },
  {
    program: /^git$/,
    long: [
      'config-env',
      'exec-path',
      'upload-pack',
      'receive-pack',
      'ext-diff',
      'textconv',
      'exec',
      'open-files-in-pager',
      'output',
      'output-directory',
      'remote',
      'template',
    ],
    word: /^-([cxuoO]|[a-zA-Z]*O)/,
  },
  {
    program: /^(tar|bsdtar|gtar)$/,
    long: [
      'to-command',
      'checkpoint-action',
      'use-compress-program',
      'rsh-command',
      'info-script',
      'new-volume-script',
      'index-file',
    ],
    letters: 'IF',
  },
  // one of its programs may call system(), pipe or write; which one does is not told apart for certain
  { program: /^(awk|gawk|mawk|nawk)$/, word: /system|[|>@]|getline|close|^-[fiElo]|^--/ },
  { program: /^rsync$/, long: ['rsh', 'rsync-path', 'log-file'], letters: 'e' },
  { program: /^sort$/, long: ['compress-program', 'output', 'temporary-directory'], letters: 'oT' },
  { program: /^(make|gmake)$/, long: ['eval'], letters: 'E', word: /^[A-Za-z_]\w*[:+?!]*=/ },
  { program: /^(tree|yq|jq)$/, letters: 'o' },
  { program: /^less$/, letters: 'oO', long: ['log-file', 'LOG-FILE'] },
  { program: /^(curl|wget)$/, long: ['output', 'remote-name', 'config', 'use-askpass'], letters: 'oOK' },
  { program: /^man$/, long: ['pager', 'html', 'browser'], letters: 'PH' },
];

/** sed programs that do more than change lines: "e" runs a command, "w" and "W" write a file, -i the file itself. */
function isRiskySed(words: readonly string[]): boolean {
  return words.some((word) => {
    if (/^-[A-Za-z]*[if]|^--(i|fi)/.test(word)) return true;
    // flags behind the last delimiter of a substitution
    if (/s(\W).*\1[gpiIm0-9]*[ewW]/.test(word)) return true;
    // a command of its own: at the start, or behind an address, ";", "{" or a line break
    return /(^|[;{}\n]|-e|=)\s*([0-9$,~+!\s]|\/[^/]*\/[IM]?|\\(.).*\3[IM]?)*[ewW]/.test(word);
  });
}

function hasRisky(risky: Risky, words: readonly string[]): boolean {
  return words.some((word) => {
    if (risky.word?.test(word) === true) return true;
    const long = /^--([^=]+)/.exec(word)?.[1];
    if (long !== undefined)
      return risky.long?.some((name) => name.startsWith(long)) === true || isLonger(risky, long);
    const letters = risky.letters;
    return letters !== undefined && /^-[A-Za-z0-9]/.test(word) && [...letters].some((l) => word.includes(l));
  });
}

/** "--pre-glob" and its like begin as a listed one does; so do misspelled forms that some version may take. */
const isLonger = (risky: Risky, long: string): boolean =>
  risky.long?.some((name) => name.length > 3 && long.startsWith(name)) === true;

/** Programs that write the files they are given, whatever their options. */
const WRITERS = new Set('tee sponge split csplit install ln'.split(' '));

/** Why what these words run or write cannot be told from their first word, or null. */
export function wrapperReason(words: readonly string[]): string | null {
  const [first = '', ...rest] = words;
  const name = nameOf(first);
  if (WRAPPERS.has(name)) return `runs another program through ${name}`;
  if (INTERPRETERS.test(name) && (rest.length === 0 || rest.some((w) => INLINE.test(w))))
    return `runs code given to ${name}`;
  if (WRITERS.has(name)) return `writes files through ${name}`;
  const isRisky =
    name === 'sed' || name === 'gsed'
      ? isRiskySed(rest)
      : RISKY.some((r) => r.program.test(name) && hasRisky(r, rest));
  return isRisky ? `can run another program or write a file through an option of ${name}` : null;
}

/** All command words that a part may come to run: its own, and behind wrappers every later one. */
export function possibleCommands(words: readonly string[]): readonly (readonly string[])[] {
  const named = (from: number) => [nameOf(words[from] ?? ''), ...words.slice(from + 1)];
  const assigned = words.findIndex((w) => !/^[A-Za-z_]\w*\+?=/.test(w));
  const hidden = wrapperReason(words) !== null || assigned > 0;
  return hidden ? words.map((_, index) => named(index)) : [named(0)];
}

type Danger = { readonly test: (name: string, words: readonly string[]) => boolean; readonly flag: string };

const short = (letters: string) => new RegExp(`^-[A-Za-z]*[${letters}]`);
const has = (words: readonly string[], ...options: RegExp[]) =>
  words.some((w) => options.some((o) => o.test(w)));
const git =
  (...subs: string[]) =>
  (name: string, words: readonly string[]) =>
    name === 'git' && words.some((w) => subs.includes(w));
const gitWith =
  (sub: string, ...options: RegExp[]) =>
  (name: string, words: readonly string[]) =>
    git(sub)(name, words) && has(words.slice(words.indexOf(sub) + 1), ...options);

const DANGERS: readonly Danger[] = [
  { test: (n, w) => n === 'rm' && has(w, short('rR'), /^--recursive$/), flag: 'deletes folders' },
  { test: (n, w) => n === 'rm' && has(w, /[*?[]/), flag: 'deletes files by a pattern' },
  { test: (n) => n === 'shred' || n === 'srm' || n === 'wipe', flag: 'destroys files' },
  {
    test: (n) => n === 'dd' || n.startsWith('mkfs') || n === 'fdisk' || n === 'format',
    flag: 'writes to disks',
  },
  { test: (n, w) => n === 'find' && has(w, /^-delete$/), flag: 'deletes files by a pattern' },
  { test: (n) => n === 'truncate', flag: 'cuts files' },
  {
    test: (n, w) => /^(chmod|chown|chgrp)$/.test(n) && has(w, short('R'), /^--recursive$/),
    flag: 'changes rights of folders',
  },
  { test: (n, w) => /^(rd|rmdir|del|erase)$/.test(n) && has(w, /^\/[sS]/), flag: 'deletes folders' },
  { test: (n, w) => /^(remove-item|ri)$/.test(n) && has(w, /^-rec/i), flag: 'deletes folders' },
  { test: gitWith('reset', /^--(hard|merge|keep)$/), flag: 'throws away uncommitted changes' },
  { test: gitWith('clean', short('fdxX'), /^--force$/), flag: 'deletes untracked files' },
  { test: gitWith('checkout', /^(-f|--force|--|\.)$/), flag: 'throws away uncommitted changes' },
  { test: gitWith('switch', /^(-f|--force|--discard-changes|-C)$/), flag: 'throws away uncommitted changes' },
  { test: git('restore'), flag: 'throws away uncommitted changes' },
  { test: gitWith('stash', /^(drop|clear)$/), flag: 'deletes stashed work' },
  {
    test: gitWith('push', short('fd'), /^--(force|mirror|delete|prune)/, /^\+/, /^:/),
    flag: 'overwrites the remote history',
  },
  { test: git('rebase', 'filter-branch', 'filter-repo', 'replace'), flag: 'rewrites git history' },
  { test: gitWith('commit', /^--amend$/), flag: 'rewrites git history' },
  { test: gitWith('branch', short('DdMf'), /^--(delete|force)$/), flag: 'deletes or moves branches' },
  { test: gitWith('tag', short('df'), /^--(delete|force)$/), flag: 'deletes or moves tags' },
  { test: git('update-ref', 'symbolic-ref'), flag: 'rewrites git history' },
  { test: gitWith('reflog', /^(expire|delete)$/), flag: 'deletes git history' },
  { test: git('gc', 'prune'), flag: 'deletes git history' },
  { test: gitWith('worktree', /^(remove|prune)$/), flag: 'deletes a worktree' },
];

const DOWNLOAD = /^(curl|wget|fetch|iwr|invoke-webrequest)$/;
const RUNNER = /^(sh|bash|dash|zsh|ksh|fish|python\d*|node|perl|ruby|php|iex)$/;

/** What stands out, for the card; null when nothing does. */
export function dangerOf(parts: readonly (readonly string[])[]): string | null {
  const commands = parts.flatMap(possibleCommands);
  for (const [name = '', ...words] of commands) {
    const danger = DANGERS.find((d) => d.test(name, words));
    if (danger !== undefined) return danger.flag;
  }
  const names = parts.map(([first = '']) => nameOf(first));
  if (names.some((n) => DOWNLOAD.test(n)) && names.some((n) => RUNNER.test(n)))
    return 'runs a downloaded script';
  return null;
}
