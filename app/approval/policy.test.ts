import { describe, expect, test } from 'vitest';
import { defaultSettings, type Settings } from '../../shared/settings';
import { decide, type Guarded, type Question } from './policy';

const settings = (
  change: Partial<Settings['approval']> = {},
  auto: Partial<Settings['approval']['auto']> = {},
) => {
  const { approval } = defaultSettings();
  return { ...approval, ...change, auto: { ...approval.auto, ...auto } };
};
const command = (text: string, guarded: readonly Guarded[] = []): Question => ({
  category: 'command',
  effect: 'run',
  command: text,
  guarded,
  shell: 'sh',
});
const edit = (guarded: readonly Guarded[] = []): Question => ({
  category: 'edit',
  effect: 'edit',
  command: null,
  guarded,
  shell: 'sh',
});
const verdict = (text: string, allow: string[], deny: string[] = []) =>
  decide(command(text), settings({ allow, deny }));

describe('allowed prefixes', () => {
  test.each([
    ['ls', ['ls']],
    ['ls -la src', ['ls']],
    ['ls && ls -l | ls', ['ls']],
    ['git status --short', ['git status']],
    ["echo 'a; rm x'", ['echo']],
    ['npm run test && git diff', ['npm run test', 'git diff']],
  ])('%j with %j runs', (text, allow) => {
    expect(verdict(text, allow).decision).toBe('allow');
  });

  test.each([
    ['ls; rm x', ['ls']],
    ['ls && curl x', ['ls']],
    ['ls | sh', ['ls']],
    ['ls $(touch p)', ['ls']],
    ['ls `touch p`', ['ls']],
    ['ls\nrm x', ['ls']],
    ['ls > p', ['ls']],
    ['ls & rm x', ['ls']],
    ['lsof', ['ls']],
    ['git push', ['git status']],
    ['find . -exec rm {} +', ['find']],
    ['find . -name x -execdir rm x', ['find']],
    ['find . -delete', ['find']],
    ['env X=1 rm x', ['env']],
    ['X=1 ls', ['ls']],
    ['timeout 5 rm x', ['timeout']],
    ['xargs rm', ['xargs']],
    ['sudo ls', ['sudo', 'ls']],
    ['git -c core.pager=x log', ['git']],
    ['git -c core.pager=x log', ['git log']],
    ['rg --pre sh x', ['rg']],
    ['rg --pre=sh x', ['rg']],
    ['sh -c ls', ['sh']],
    ['bash x.sh', ['bash']],
    ['node -e 1', ['node']],
    ['python3 -c 1', ['python3']],
    ['tar --to-command=x -xf y', ['tar']],
    ['/bin/ls', ['ls']],
    ['./ls', ['ls']],
    ['rm -rf x', ['rm']],
    ['git reset --hard', ['git']],
    ['', ['ls']],
    ['# nothing', ['ls']],
  ])('fault 90: %j with %j asks', (text, allow) => {
    expect(verdict(text, allow).decision).toBe('ask');
  });
});

describe('options that run programs or write files ask although the program is allowed', () => {
  test.each([
    'git log --output=p',
    'git log --out=p',
    'git diff --outp p',
    'git archive -o p HEAD',
    'git grep --open=touch a',
    'git grep --open-files-in-pager=touch',
    'git grep -Otouch a',
    'git grep -nOtouch a',
    'git diff --ext a b',
    'git fetch --upload=touch .',
    'tar cf x a --use-compress-prog=touch',
    'tar cf x a --checkpoint=1 --checkpoint-act=exec=touch',
    'tar -xIf touch x',
    'rg --pr=touch a',
    'sort -o p a',
    'sort -uop a',
    'sort --outp=p a',
    'sort --compress-prog=touch a',
    'find . -fprint p',
    'find a -fprintf p x',
    'find . -okdir x',
    'python3 -Ic 1',
    'python3 -',
    'python3',
    'node -pe 1',
    'node --eva 1',
    'node --eval=1',
    'perl -ne 1',
    'perl -0777ne 1',
    'ruby -ne 1',
    'sed 1e_touch a',
    'sed -n w_p a',
    'sed -n /x/w_p a',
    "sed 's/a/b/w p' a",
    "sed 's/a/b/ge' a",
    'sed -i s/a/b/ a',
    'sed -ni s/a/b/ a',
    'sed --in-place s/a/b/ a',
    'sed -f x a',
    'tee p',
    'awk BEGIN{print>"p"} a',
  ])('%j', (text) => {
    const [program = ''] = text.split(' ');
    expect(verdict(text, [program]).decision).toBe('ask');
  });

  test.each([
    'git log --oneline -n 5',
    'git diff --stat',
    'git status --porcelain',
    'sort -u a',
    'sed -n 1,5p a',
    'sed s/white/black/ a',
    'rg -n x src',
    'find . -name x',
    'python3 x.py',
    'node x.js',
    'tar -tf x',
    'make all',
  ])('%j does not', (text) => {
    const [program = ''] = text.split(' ');
    expect(verdict(text, [program]).decision).toBe('allow');
  });
});

describe('deny wins', () => {
  test.each([
    ['rm x', 'rm'],
    ['ls && rm x', 'rm'],
    ['/bin/rm x', 'rm'],
    ['RM x', 'rm'],
    ['rm.exe x', 'rm'],
    ['env A=1 rm x', 'rm'],
    ['A=1 rm x', 'rm'],
    ['xargs -n 1 rm', 'rm'],
    ['find . -exec rm {} +', 'rm'],
    ['sh -c "ls; rm x"', 'rm'],
    ['sh -c \'bash -c "rm x"\'', 'rm'],
    ['echo $(rm x)', 'rm'],
    ['echo "`rm x`"', 'rm'],
    ['git -C . push origin', 'git push'],
    ['git push', 'git push'],
  ])('%j with %j denied is refused', (text, rule) => {
    for (const auto of [true, false]) {
      const approval = settings({ allow: ['rm', 'ls', 'git'], deny: [rule] }, { command: auto });
      expect([auto, decide(command(text), approval).decision]).toEqual([auto, 'deny']);
    }
  });

  test('a denied word as an argument is no command', () => {
    expect(verdict('echo rm', ['echo'], ['rm']).decision).toBe('allow');
    expect(verdict('git log push', ['git log'], ['push']).decision).toBe('allow');
  });

  test('with a deny list, what cannot be read asks even when commands run by themselves', () => {
    const text = command('$X a');
    expect(decide(text, settings({ deny: ['rm'] }, { command: true })).decision).toBe('ask');
    expect(decide(text, settings({}, { command: true })).decision).toBe('allow');
  });
});

describe('what stands out', () => {
  test.each([
    ['rm -r x', 'deletes folders'],
    ['rm -fr x', 'deletes folders'],
    ['rm --recursive x', 'deletes folders'],
    ['rm src/*', 'deletes files by a pattern'],
    ['sudo rm -rf x', 'deletes folders'],
    ['sh -c "rm -rf x"', 'deletes folders'],
    ['git reset --hard HEAD~1', 'throws away uncommitted changes'],
    ['git -C sub reset --hard', 'throws away uncommitted changes'],
    ['git clean -fd', 'deletes untracked files'],
    ['git checkout -- .', 'throws away uncommitted changes'],
    ['git restore .', 'throws away uncommitted changes'],
    ['git push --force', 'overwrites the remote history'],
    ['git push -f', 'overwrites the remote history'],
    ['git push --force-with-lease', 'overwrites the remote history'],
    ['git push origin +main', 'overwrites the remote history'],
    ['git rebase main', 'rewrites git history'],
    ['git commit --amend', 'rewrites git history'],
    ['git branch -D x', 'deletes or moves branches'],
    ['git stash drop', 'deletes stashed work'],
    ['find . -name x -delete', 'deletes files by a pattern'],
    ['curl x | sh', 'runs a downloaded script'],
    ['dd if=a of=b', 'writes to disks'],
  ])('fault 84: %j asks even with everything allowed: %s', (text, flag) => {
    const everything = settings({ allow: ['rm', 'git', 'find', 'curl', 'sh', 'dd'] }, { command: true });
    expect(decide(command(text), everything)).toMatchObject({ decision: 'ask', flag, always: null });
  });

  test.each(['git push', 'git commit -m x', 'rm x', 'git status', 'git checkout main', 'npm test'])(
    '%j does not',
    (text) => {
      expect(decide(command(text), settings({}, { command: true })).decision).toBe('allow');
    },
  );
});

describe('Always allow remembers', () => {
  test.each([
    ['npm test -- --watch', 'npm test'],
    ['npm run build', 'npm run build'],
    ['ls -la', 'ls'],
    ['git log --oneline', 'git log'],
    ['git --version', null],
    ['ls && pwd', null],
    ['ls > x', null],
    ['rm -r x', null],
    ['env ls', null],
  ])('%j as %j', (text, always) => {
    expect(decide(command(text), settings())).toMatchObject({ decision: 'ask', always });
  });

  test('what it remembers allows the same command the next time', () => {
    for (const text of ['npm test -- --watch', 'npm run build', 'ls -la', 'git log --oneline', 'make all']) {
      const first = decide(command(text), settings());
      const rule = first.decision === 'ask' ? first.always : null;
      expect([text, rule === null ? null : verdict(text, [rule]).decision]).toEqual([text, 'allow']);
    }
  });

  test('an edit by its category, for ever or by the switch', () => {
    expect(decide(edit(), settings())).toMatchObject({ decision: 'ask', always: 'category:edit' });
    expect(decide(edit(), settings({ allow: ['category:edit'] })).decision).toBe('allow');
    expect(decide(edit(), settings({}, { edit: true })).decision).toBe('allow');
  });

  test('a rule for a category is no command prefix', () => {
    expect(verdict('category:edit x', ['category:edit']).decision).toBe('ask');
    expect(verdict('ls', ['category:command']).decision).toBe('allow');
  });
});

describe('guarded paths', () => {
  test.each(['git', 'tidemark', 'secret', 'agentignore'] as const)(
    'fault 93: a change of %s always asks',
    (guard) => {
      const guarded = [{ path: 'p', guard }];
      const open = settings({ allow: ['category:edit', 'cp'] }, { edit: true, command: true });
      for (const question of [edit(guarded), command('cp a p', guarded)]) {
        expect(decide(question, open)).toMatchObject({ decision: 'ask', always: null, irreversible: true });
      }
    },
  );

  test('reading a secret asks, reading under .git does not', () => {
    const read = (guard: Guarded['guard']): Question => ({
      category: 'read',
      effect: 'read',
      command: null,
      guarded: [{ path: 'p', guard }],
      shell: 'sh',
    });
    expect(decide(read('secret'), settings())).toMatchObject({ decision: 'ask', irreversible: false });
    expect(decide(read('git'), settings()).decision).toBe('allow');
  });
});
