// A tool call in a few words: what it does, to what, and how it went. Pure.
import type { ToolRow } from '../../../shared/fold';
import { countOf } from '../../store/restore-words';

const text = (input: unknown, key: string): string => {
  if (typeof input !== 'object' || input === null) return '';
  const value = (input as Readonly<Record<string, unknown>>)[key];
  return typeof value === 'string' ? value : '';
};

const VERBS: Readonly<Record<string, readonly [verb: string, key: string]>> = {
  read_file: ['Read', 'path'],
  list_files: ['List', 'path'],
  search_files: ['Search', 'pattern'],
  list_code_definition_names: ['Outline', 'path'],
  find_references: ['References', 'symbol'],
  write_file: ['Write', 'path'],
  replace_text: ['Edit', 'path'],
  apply_patch: ['Patch', 'path'],
  delete_file: ['Delete', 'path'],
  run_command: ['Run', 'command'],
  web_search: ['Search the web', 'query'],
  web_fetch: ['Fetch', 'url'],
  browser: ['Browser', 'action'],
  load_skill: ['Skill', 'name'],
  load_workflow: ['Workflow', 'name'],
  ask_question: ['Ask', 'question'],
  delegate: ['Delegate', 'title'],
  complete_task: ['Finish', ''],
  update_plan: ['Plan', ''],
};

/** Verb and object of a call. The object is empty while the model still writes it. */
export function toolWords(row: Pick<ToolRow, 'tool' | 'input' | 'display'>): {
  readonly verb: string;
  readonly object: string;
} {
  if (row.tool === 'move_file') {
    const from = text(row.input, 'from');
    return { verb: 'Move', object: from === '' ? '' : `${from} → ${text(row.input, 'to')}` };
  }
  const known = VERBS[row.tool];
  if (known === undefined) return { verb: row.tool, object: '' };
  const [verb, key] = known;
  const given = text(row.input, key);
  const shown = row.display.kind === 'edit' ? row.display.path : '';
  return {
    verb,
    object: given === '' ? (row.tool === 'list_files' && row.input !== null ? '.' : shown) : given,
  };
}

/** How it stands, where the display does not say it. */
export function toolState(
  row: ToolRow,
): { readonly words: string; readonly tone: 'plain' | 'warn' | 'bad' } | null {
  switch (row.state) {
    case 'writing':
      return { words: 'writing…', tone: 'plain' };
    case 'requested':
      return null;
    case 'asking':
      return { words: 'waits for you', tone: 'warn' };
    case 'running':
      return { words: 'running…', tone: 'plain' };
    case 'error':
      return row.display.kind === 'command' ? null : { words: 'failed', tone: 'bad' };
    case 'rejected':
      return { words: 'rejected', tone: 'warn' };
    case 'cancelled':
      return { words: 'stopped', tone: 'warn' };
    case 'ok':
      return null;
  }
}

export type PlanStep = { readonly title: string; readonly status: 'pending' | 'active' | 'done' };

/** The steps of update_plan; empty when the model wrote something else. */
export function planSteps(input: unknown): readonly PlanStep[] {
  if (typeof input !== 'object' || input === null) return [];
  const { steps } = input as { readonly steps?: unknown };
  if (!Array.isArray(steps)) return [];
  return steps
    .map((s: unknown): PlanStep => {
      const status = text(s, 'status');
      return {
        title: text(s, 'title'),
        status: status === 'done' || status === 'active' ? status : 'pending',
      };
    })
    .filter((s) => s.title !== '');
}

export const linesOf = (output: string): readonly string[] => output.replace(/\n+$/, '').split('\n');
/** Tools have written "1 lines" into logs. */
export const oneLine = (label: string): string => label.replace(/^1 lines\b/, '1 line');
export const moreLines = (n: number): string => `Show ${countOf(n, 'more line')}`;
