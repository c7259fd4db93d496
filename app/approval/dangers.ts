// What a person should notice about a command before allowing it. Pure.
// Owns: wrappers (programs that run what their arguments say), options that do the same, and destructive commands.
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
const INLINE = /^(-[a-z]*[ce]|-[EpP]|--eval|--print|-r|eval)$/;

/** Options by which ordinary programs run others. */
const RUNNING_OPTIONS: readonly { readonly program: RegExp; readonly option: RegExp }[] = [
  { program: /^find$/, option: /^-(exec|execdir|ok|okdir|fprint|fprintf|fls)/ },
  { program: /^fd(find)?$/, option: /^(-x|-X|--exec|--exec-batch)/ },
  { program: /^rg$/, option: /^(--pre|--hostname-bin|--search-zip|-z)/ },
  {
    program: /^git$/,
    option:
      /^(-c|--config-env|--exec-path|--upload-pack|--receive-pack|-u|--ext-diff|--exec|-x|-O|--open-files-in-pager)/,
  },
  {
    program: /^(tar|bsdtar|gtar)$/,
    option: /^(--to-command|--checkpoint-action|--use-compress-program|-I|--rsh-command)/,
  },
  { program: /^(awk|gawk|mawk|nawk)$/, option: /system\(|\|/ },
  { program: /^rsync$/, option: /^(-e|--rsh|--rsync-path)/ },
  { program: /^(sort)$/, option: /^--compress-program/ },
  { program: /^(make|gmake)$/, option: /^(SHELL=|--eval|-E)/ },
];

/** Why what these words run cannot be told from their first word, or null. */
export function wrapperReason(words: readonly string[]): string | null {
  const [first = '', ...rest] = words;
  const name = nameOf(first);
  if (WRAPPERS.has(name)) return `runs another program through ${name}`;
  if (INTERPRETERS.test(name) && rest.some((w) => INLINE.test(w))) return `runs code given to ${name}`;
  const option = RUNNING_OPTIONS.find((o) => o.program.test(name) && rest.some((w) => o.option.test(w)));
  return option === undefined ? null : `can run another program through an option of ${name}`;
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
