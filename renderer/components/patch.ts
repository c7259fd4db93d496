// A unified diff as lines to show in a card. Pure.
// Reads the counts of each hunk, because a removed line may itself look like a header ("-- " in SQL).

export type PatchLine = { readonly kind: 'add' | 'del' | 'same' | 'gap' | 'file'; readonly text: string };

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

/** Lines in order; a gap between hunks, and a file's name where the diff has several. */
export function patchLines(patch: string): readonly PatchLine[] {
  const out: PatchLine[] = [];
  const files: string[] = [];
  let left = { old: 0, new: 0 };
  let counted = false;
  let begun = false;
  for (const line of patch.replace(/\n$/, '').split('\n')) {
    const hunk = HUNK.exec(line);
    if (left.old <= 0 && left.new <= 0 && (hunk !== null || line.startsWith('@@'))) {
      if (begun) out.push({ kind: 'gap', text: '⋯' });
      begun = true;
      counted = hunk !== null;
      left = { old: Number(hunk?.[1] ?? 1), new: Number(hunk?.[2] ?? 1) };
      continue;
    }
    const inside = counted ? left.old > 0 || left.new > 0 || line.startsWith('\\') : !isHeader(line);
    if (!inside) {
      const name = /^\+\+\+ (?:b\/)?(.+)$/.exec(line)?.[1] ?? /^--- (?:a\/)?(.+)$/.exec(line)?.[1];
      if (name !== undefined && name !== '/dev/null' && files.at(-1) !== name) {
        files.push(name);
        out.push({ kind: 'file', text: name });
        begun = false;
      }
      continue;
    }
    begun = true;
    out.push(lineOf(line, left));
  }
  return files.length > 1 ? out : out.filter((l) => l.kind !== 'file');
}

const isHeader = (line: string): boolean =>
  /^(diff |index |--- |\+\+\+ |new file|deleted file|rename |similarity )/.test(line);

function lineOf(line: string, left: { old: number; new: number }): PatchLine {
  if (line.startsWith('\\')) return { kind: 'gap', text: 'no newline at the end' };
  if (line.startsWith('+')) {
    left.new -= 1;
    return { kind: 'add', text: line };
  }
  left.old -= 1;
  if (line.startsWith('-')) return { kind: 'del', text: line };
  left.new -= 1;
  return { kind: 'same', text: line === '' ? ' ' : line };
}
