// The decisions of a restore, as a table.
import { describe, expect, it } from 'vitest';
import type { SnapshotId } from '../../shared/ids';
import type { RelPath } from '../../shared/rel-path';
import type { ConflictChoices, EntryState, RestorePlan } from './engine';
import { mergeModes, mergeObstacle } from './merge';
import { makePlan, type PlanRow } from './plan';

const file = (content: string, mode = '100644'): EntryState => ({ mode, oid: content });
const folder: EntryState = { mode: '040755', oid: null };
const row = (o: Partial<PlanRow>): PlanRow => ({
  path: 'p' as RelPath,
  own: true,
  wanted: null,
  present: null,
  obstacle: null,
  edited: null,
  below: [],
  ...o,
});

function plan(rows: readonly PlanRow[], choices: ConflictChoices = null): RestorePlan {
  const scope = { kind: 'task', taskId: 't', steps: [] } as const;
  return makePlan({ target: 'x' as SnapshotId, scope, choices, rows, others: [], never: [] });
}

const kinds: readonly [string, Partial<PlanRow>, ConflictChoices, string][] = [
  ['changed', { present: file('2'), wanted: file('1') }, null, 'revert task'],
  ['made', { present: file('2') }, null, 'remove task'],
  ['deleted', { wanted: file('1') }, null, 'bring-back task'],
  ['bits only', { present: file('1', '100600'), wanted: file('1') }, null, 'mode task'],
  ['file for folder', { present: folder, wanted: file('1') }, null, 'revert task'],
  ['file for link', { present: file('1', '120000'), wanted: file('1') }, null, 'revert task'],
  ['somebody else’s', { own: false, present: file('2'), wanted: file('1') }, null, 'revert other'],
  ['equal', { present: file('1'), wanted: file('1') }, null, ''],
  ['left alone', { present: file('2'), wanted: file('1'), obstacle: 'why' }, null, 'notCovered'],
  [
    'merged',
    { present: file('2'), wanted: file('1'), edited: { merged: file('3') } },
    null,
    'merge other, handEdit',
  ],
  [
    'merged to what is there',
    { present: file('2'), wanted: file('1'), edited: { merged: file('2') } },
    null,
    'handEdit',
  ],
  ['kept', { present: file('2'), wanted: file('1'), edited: { keep: true } }, null, 'handEdit'],
  [
    'conflict',
    { present: file('2'), wanted: file('1'), edited: { conflict: 'c', base: null } },
    null,
    'conflict',
  ],
  [
    'conflict, mine',
    { present: file('2'), wanted: file('1'), edited: { conflict: 'c', base: null } },
    'mine',
    'handEdit',
  ],
  [
    'conflict, checkpoint',
    { present: file('2'), wanted: file('1'), edited: { conflict: 'c', base: null } },
    'checkpoint',
    'revert task',
  ],
  [
    'conflict, another path chosen',
    { present: file('2'), wanted: file('1'), edited: { conflict: 'c', base: null } },
    new Map(),
    'conflict',
  ],
  ['folder that still holds something', { present: folder, below: ['p/x' as RelPath] }, null, ''],
  [
    'file for a folder that still holds something',
    { present: folder, wanted: file('1'), below: ['p/x' as RelPath] },
    null,
    'notCovered',
  ],
];

describe('a path', () => {
  it.each(kinds)('%s', (_, o, choices, expected) => {
    const p = plan([row(o)], choices);
    const said = [
      ...p.entries.map((e) => `${e.action} ${e.by}`),
      ...p.conflicts.map(() => 'conflict'),
      ...p.notCovered.map(() => 'notCovered'),
      ...p.handEdits.map(() => 'handEdit'),
    ];
    expect(said.join(', ')).toBe(expected);
  });
});

describe('a plan', () => {
  it('lets a folder go when all in it goes', () => {
    const inside = row({ path: 'p/x' as RelPath, present: file('1') });
    const p = plan([inside, row({ present: folder, wanted: file('1'), below: ['p/x' as RelPath] })]);
    expect(p.entries.map((e) => `${e.action} ${e.path}`)).toEqual(['revert p', 'remove p/x']);
  });

  it('has one fingerprint for one list, in whatever order it was gathered', () => {
    const a = row({ path: 'a' as RelPath, present: file('2'), wanted: file('1') });
    const b = row({ path: 'b' as RelPath, present: file('2') });
    expect(plan([a, b]).fingerprint).toBe(plan([b, a]).fingerprint);
    expect(plan([a]).fingerprint).not.toBe(plan([a, b]).fingerprint);
    expect(plan([{ ...a, present: file('9') }]).fingerprint).not.toBe(plan([a]).fingerprint);
  });
});

describe('a merge', () => {
  const [base, mine, theirs] = [file('1'), file('2'), file('3')];
  it('needs plain files on all sides', () => {
    expect(mergeObstacle({ base, mine, theirs })).toBe(null);
    for (const sides of [
      { base, mine: null, theirs },
      { base, mine, theirs: null },
      { base: null, mine, theirs },
      { base, mine: folder, theirs },
      { base, mine, theirs: file('l', '120000') },
    ]) {
      expect(mergeObstacle(sides)).toMatch(/^You /);
    }
  });
  it('takes permission bits from whoever changed them', () => {
    const modes = (b: string, m: string, t: string): string | null =>
      mergeModes({ base: file('1', b), mine: file('2', m), theirs: file('3', t) });
    expect(modes('100644', '100600', '100644')).toBe('100600');
    expect(modes('100644', '100644', '100755')).toBe('100755');
    expect(modes('100644', '100755', '100755')).toBe('100755');
    expect(modes('100644', '100600', '100755')).toBe(null);
  });
});

describe('below a file that stays', () => {
  const p = 'p' as RelPath;
  const inside = row({ path: 'p/x' as RelPath, wanted: file('1') });
  it.each([
    [
      'kept by choice',
      row({ path: p, present: file('2'), edited: { conflict: 'c', base: file('1') } }),
      'mine',
    ],
    ['kept as edited by hand', row({ path: p, present: file('2'), edited: { keep: true } }), null],
    ['left alone', row({ path: p, present: file('2'), obstacle: 'why' }), null],
    ['merged', row({ path: p, present: file('2'), wanted: file('1'), edited: { merged: file('3') } }), null],
  ] as const)('nothing is brought back, and that is said: %s', (_, above, choice) => {
    const made = plan([above, inside], choice);
    expect(made.entries.map((e) => e.path)).not.toContain('p/x');
    expect(made.notCovered.map((n) => n.path)).toContain('p/x');
  });

  it('everything is, when the file gives way or may still', () => {
    const gone = plan([row({ path: p, present: file('2') }), inside]);
    expect(gone.entries.map((e) => e.path)).toEqual(['p', 'p/x']);
    const open = row({ path: p, present: file('2'), edited: { conflict: 'c', base: file('1') } });
    expect(plan([open, inside]).entries.map((e) => e.path)).toEqual(['p/x']);
    expect(plan([open, inside], 'checkpoint').entries.map((e) => e.path)).toEqual(['p', 'p/x']);
  });
});
