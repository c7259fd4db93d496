import type { ApprovalCategory } from '../../shared/domain';

/** The approval categories that any tool of today asks for, in the order and with the words in which they are offered. */
export const APPROVALS: readonly {
  readonly category: ApprovalCategory;
  readonly name: string;
  readonly text: string;
}[] = [
  { category: 'read', name: 'Read files', text: 'Look at and search in the files of this folder' },
  { category: 'edit', name: 'Edit files', text: 'Create, change, move and delete files' },
  {
    category: 'command',
    name: 'Run commands',
    text: 'Flagged and denied ones are still asked about or refused',
  },
];
