// search_files: where a regular expression occurs in the text of the project's files.
import { z } from 'zod';
import { isSecretName } from '../workspace/guard';
import { guardedOf } from './edit';
import { ripgrep, toolPath } from './ripgrep';
import type { Tool } from './tool';

const schema = z.object({
  pattern: z.string().min(1).describe('regular expression'),
  path: z.string().optional().describe('file or folder to search; default: the whole workspace'),
  glob: z.string().optional().describe('only files that fit, such as *.ts or src/**'),
});

const MOST_FINDS = 200;
/** Longer lines are cut: they are rarely written by hand. */
const MOST_COLUMNS = 300;

const matchSchema = z.object({
  type: z.literal('match'),
  data: z.object({
    path: z.object({ text: z.string() }),
    lines: z.object({ text: z.string() }),
    line_number: z.number(),
  }),
});

export const searchFilesTool: Tool<z.infer<typeof schema>> = {
  name: 'search_files',
  description:
    'Searches the text of files with a regular expression and lists path, line number and line. Files that .gitignore names and files that may hold secrets are left out.',
  schema,
  category: 'read',
  effect: 'read',
  async preview(input, { workspace }) {
    const place = await workspace.resolve(input.path ?? '.', 'target');
    const where = place.text === '' ? 'the workspace' : place.text;
    return {
      title: `Search for ${input.pattern} in ${where}`,
      detail: input.pattern,
      detailKind: 'text',
      paths: [],
      guarded: await guardedOf(workspace, [place]),
    };
  },
  async run(input, { workspace, signal }) {
    const place = await workspace.resolve(input.path ?? '.', 'target');
    const ignored = await workspace.agentIgnore();
    const found: string[] = [];
    let more = false;
    const args = ['--json', '--auto-hybrid-regex', '-e', input.pattern];
    if (input.glob !== undefined) args.push('--glob', input.glob);
    await ripgrep(args, workspace, place, signal, (line, prefix) => {
      const parsed = matchSchema.safeParse(JSON.parse(line));
      if (!parsed.success) return true;
      const { path, lines, line_number } = parsed.data.data;
      const text = toolPath(path.text, prefix);
      if (
        ignored(text, false) ||
        (isSecretName(text.slice(text.lastIndexOf('/') + 1)) && text !== place.text)
      )
        return true;
      more = found.length === MOST_FINDS;
      if (more) return false;
      found.push(`${text}:${line_number}: ${cutLine(lines.text)}`);
      return true;
    });
    const count = more
      ? `more than ${MOST_FINDS} lines`
      : `${found.length} ${found.length === 1 ? 'line' : 'lines'}`;
    const note = more ? `\n(More than ${MOST_FINDS} lines fit: narrow the search.)` : '';
    return {
      text: found.length === 0 ? 'Nothing found.' : found.join('\n') + note,
      display: { kind: 'lines', label: count },
      touched: [],
      ok: true,
    };
  },
};

function cutLine(text: string): string {
  const line = text.replace(/[\r\n]+$/, '');
  return line.length > MOST_COLUMNS ? `${line.slice(0, MOST_COLUMNS)}…` : line;
}
