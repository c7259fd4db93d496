// Takes a unified diff apart: which files it changes, and how. Pure.
// Owns: the grammar, with and without git's extended headers. Does not own: finding the lines in a file (hunk.ts), files.
// Invariant: what cannot be read for certain is refused with its line number; nothing of a patch is skipped silently.
import { TidemarkError } from '../../shared/errors';
import { type Hunk, isHunkHead, readHunk } from './hunk-text';
import { isQuoted, nameOf, unquote } from './patch-name';

export type FilePatch = {
  /** null: the file is created */
  readonly from: string | null;
  /** null: the file is deleted */
  readonly to: string | null;
  readonly hunks: readonly Hunk[];
  /** null: as it is (or, for a new file, as usual) */
  readonly executable: boolean | null;
};

/** What git says of a file before its hunks. */
type Head = {
  git: readonly [string, string] | null;
  from: string | null | undefined;
  to: string | null | undefined;
  renameFrom: string | null;
  renameTo: string | null;
  newMode: string | null;
  created: boolean;
  deleted: boolean;
};

/** @throws TidemarkError tool-failed, naming the line */
export function parsePatch(text: string): readonly FilePatch[] {
  const files = new PatchReader(linesOf(text)).read();
  if (files.length > 0) return files;
  throw new TidemarkError(
    'tool-failed',
    'The patch changes no file. It has to be a unified diff: "--- a/FILE", "+++ b/FILE", then hunks that begin with "@@".',
  );
}

/** A patch whose every line ends in CR LF was carried so; one of which some do, means it. */
function linesOf(text: string): readonly string[] {
  const fence = /^\s*```[^\n]*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1];
  const lines = (fence ?? text).split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.every((line) => line.endsWith('\r')) ? lines.map((line) => line.slice(0, -1)) : lines;
}

const MODE = /^(?:new file mode|deleted file mode|old mode|new mode) (\d{6})$/;

class PatchReader {
  private at = 0;
  private head: Head | null = null;
  private hunks: Hunk[] = [];
  private readonly files: FilePatch[] = [];

  constructor(private readonly lines: readonly string[]) {}

  read(): readonly FilePatch[] {
    while (this.at < this.lines.length) this.readLine(this.lines[this.at] ?? '');
    this.endFile();
    return this.files;
  }

  private fail(why: string): never {
    throw new TidemarkError('tool-failed', `The patch cannot be read at its line ${this.at + 1}: ${why}.`);
  }

  private readLine(line: string): void {
    if (isHunkHead(line)) this.readHunk();
    else if (line.startsWith('diff --git ')) this.startGit(line);
    else if (line.startsWith('--- ')) this.startNames(line);
    else this.readOther(line);
  }

  private readOther(line: string): void {
    const { head } = this;
    if (/^(GIT binary patch|Binary files .* differ)/.test(line)) this.fail('it changes a binary file');
    const isExtended = head !== null && this.hunks.length === 0 && this.readExtended(head, line);
    // before the first file any words may stand, as a commit's message
    const isWords = head === null && this.files.length === 0;
    if (!isExtended && !isWords && line.trim() !== '')
      this.fail(`"${line.slice(0, 60)}" belongs to no hunk; its lines begin with " ", "+" or "-"`);
    this.at++;
  }

  private readHunk(): void {
    if (this.head?.to === undefined || this.head.from === undefined)
      this.fail('a hunk has to come after the names of its file ("--- a/FILE", "+++ b/FILE")');
    const { hunk, next } = readHunk(this.lines, this.at, (why) => this.fail(why));
    this.hunks.push(hunk);
    this.at = next;
  }

  private startGit(line: string): void {
    this.endFile();
    this.head = newHead(gitNames(line.slice('diff --git '.length)));
    this.at++;
  }

  private startNames(line: string): void {
    const second = this.lines[this.at + 1] ?? '';
    if (!second.startsWith('+++ ')) this.fail('"---" has to be followed by "+++"');
    if (this.head === null || this.head.from !== undefined || this.hunks.length > 0) {
      this.endFile();
      this.head = newHead(null);
    }
    this.head.from = nameOf(line.slice(4));
    this.head.to = nameOf(second.slice(4));
    this.at += 2;
  }

  private readExtended(head: Head, line: string): boolean {
    const mode = MODE.exec(line)?.[1];
    if (mode !== undefined) {
      if (!mode.startsWith('100'))
        this.fail('only the modes of ordinary files can be set (100644 and 100755)');
      if (line.startsWith('new')) head.newMode = mode;
      head.created ||= line.startsWith('new file');
      head.deleted ||= line.startsWith('deleted');
      return true;
    }
    const rename = /^rename (from|to) (.+)$/.exec(line);
    if (rename?.[1] === 'from') head.renameFrom = unquote(rename[2] ?? '');
    else if (rename?.[1] === 'to') head.renameTo = unquote(rename[2] ?? '');
    else if (/^copy (from|to) /.test(line)) this.fail('files cannot be copied by a patch');
    else return /^(index |similarity index |dissimilarity index )/.test(line);
    return true;
  }

  private endFile(): void {
    const { head, hunks } = this;
    this.head = null;
    this.hunks = [];
    if (head === null) return;
    const names = namesOf(head);
    if (names === null)
      this.fail('the two names of the file differ; to rename it say "rename from OLD" and "rename to NEW"');
    const executable = head.newMode === null ? null : head.newMode === '100755';
    const isRename = head.renameFrom !== null;
    if (hunks.length === 0 && !isRename && executable === null && names.from !== null && names.to !== null)
      this.fail(`no change of "${names.to}" is given`);
    this.files.push({ ...names, hunks, executable });
  }
}

const newHead = (git: Head['git']): Head => ({
  git,
  from: undefined,
  to: undefined,
  renameFrom: null,
  renameTo: null,
  newMode: null,
  created: false,
  deleted: false,
});

/** Both names of "diff --git"; null when they cannot be told apart, and then other lines have to give them. */
function gitNames(rest: string): readonly [string, string] | null {
  if (isQuoted(rest)) {
    const found = /^("(?:\\.|[^"\\])*"|\S+) ("(?:\\.|[^"\\])*"|\S+)$/.exec(rest);
    return found === null ? null : [unquote(found[1] ?? ''), unquote(found[2] ?? '')];
  }
  const words = rest.split(' ');
  if (words.length === 2) return [words[0] ?? '', words[1] ?? ''];
  // names with spaces: both are the same but for their prefix
  const half = (rest.length - 1) / 2;
  const [a, b] = [rest.slice(0, half), rest.slice(half + 1)];
  return rest[half] === ' ' && a.replace(/^a\//, '') === b.replace(/^b\//, '') ? [a, b] : null;
}

/** Paths as the workspace has them; null when it cannot be told which file is meant. */
function namesOf(head: Head): { readonly from: string | null; readonly to: string | null } | null {
  if (head.renameFrom !== null && head.renameTo !== null) return { from: head.renameFrom, to: head.renameTo };
  const given = head.from === undefined ? head.git : [head.from, head.to ?? null];
  if (given === null) return null;
  const [old, now] = withoutPrefix(given[0] ?? null, given[1] ?? null);
  if (head.created || old === null) return now === null ? null : { from: null, to: now };
  if (head.deleted || now === null) return { from: old, to: null };
  return old === now ? { from: old, to: now } : null;
}

/** "a/" and "b/" are prefixes when both sides have them. */
function withoutPrefix(old: string | null, now: string | null): readonly [string | null, string | null] {
  const prefixed = (old === null || old.startsWith('a/')) && (now === null || now.startsWith('b/'));
  return prefixed ? [old?.slice(2) ?? null, now?.slice(2) ?? null] : [old, now];
}
