import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkpointIdSchema,
  ID_ALPHABET,
  newCheckpointId,
  newRunId,
  newTaskId,
  resolveId,
  runIdSchema,
  snapshotIdSchema,
  taskIdSchema,
} from './ids';

const bytesOf = (values: readonly number[]) => (bytes: Uint8Array) => bytes.set(values);
const body = fc.string({ unit: fc.constantFrom(...ID_ALPHABET), minLength: 12, maxLength: 12 });

describe('new ids', () => {
  it('use an alphabet of 32 without look-alikes', () => {
    expect(new Set(ID_ALPHABET).size).toBe(32);
    expect(ID_ALPHABET).not.toMatch(/[ilou]/);
  });

  it('are valid whatever the random bytes, and differ when those do in their lower bits', () => {
    const twelve = fc.array(fc.nat(255), { minLength: 12, maxLength: 12 });
    fc.assert(
      fc.property(twelve, twelve, (a, b) => {
        expect(taskIdSchema.safeParse(newTaskId(bytesOf(a))).success).toBe(true);
        expect(runIdSchema.safeParse(newRunId(bytesOf(a))).success).toBe(true);
        expect(checkpointIdSchema.safeParse(newCheckpointId(bytesOf(a))).success).toBe(true);
        const same = a.every((x, i) => (x & 31) === ((b[i] ?? 0) & 31));
        expect(newTaskId(bytesOf(a)) === newTaskId(bytesOf(b))).toBe(same);
      }),
    );
  });

  it.each([
    't_00000000000',
    't_0000000000000',
    't_00000000000i',
    'T_000000000000',
    '../t_000000000000',
    ' t_000000000000',
    't_000000000000\n',
  ])('are not %j', (text) => expect(taskIdSchema.safeParse(text).success).toBe(false));

  it('of snapshots are those of git, with SHA-1 or SHA-256', () => {
    for (const n of [40, 64]) expect(snapshotIdSchema.safeParse('a'.repeat(n)).success).toBe(true);
    for (const n of [39, 41, 63, 65]) expect(snapshotIdSchema.safeParse('a'.repeat(n)).success).toBe(false);
    expect(snapshotIdSchema.safeParse('A'.repeat(40)).success).toBe(false);
  });
});

describe('a shortened id', () => {
  const ids = ['c_abcd00000000', 'c_abcd11111111', 'c_abce00000000', 'c_000000000000'];
  const find = (typed: string): string => resolveId(typed, ids, 'checkpoint-unknown');

  it('finds the one that it begins, with and without prefix, in any case', () => {
    expect(find('abce')).toBe('c_abce00000000');
    expect(find('c_abcd1')).toBe('c_abcd11111111');
    expect(find('C_ABCD1')).toBe('c_abcd11111111');
    expect(find('c_000000000000')).toBe('c_000000000000');
  });

  it.each([
    ['abcd', 'id-ambiguous'],
    ['abc', 'checkpoint-unknown'],
    ['', 'checkpoint-unknown'],
    ['c_', 'checkpoint-unknown'],
    ['t_abce', 'checkpoint-unknown'],
    ['zzzz', 'checkpoint-unknown'],
    ['000000000000x', 'checkpoint-unknown'],
  ])('%j is %s', (typed, code) => {
    expect(() => find(typed)).toThrow(expect.objectContaining({ code }));
  });

  it('is not ambiguous with itself', () => {
    expect(resolveId('abce', ['t_abce00000000', 't_abce00000000'], 'task-unknown')).toBe('t_abce00000000');
  });

  it('finds an id or refuses, and never picks one of several', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(body, { minLength: 1 }),
        fc.nat(),
        fc.integer({ min: 4, max: 12 }),
        (all, pick, n) => {
          const typed = (all[pick % all.length] ?? '').slice(0, n);
          const fits = all.filter((id) => id.startsWith(typed));
          const find = (): string =>
            resolveId(
              typed,
              all.map((id) => `t_${id}`),
              'task-unknown',
            );
          if (fits.length === 1) expect(find()).toBe(`t_${fits[0]}`);
          else expect(find).toThrow(expect.objectContaining({ code: 'id-ambiguous' }));
        },
      ),
    );
  });
});
