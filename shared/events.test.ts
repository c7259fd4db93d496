import { describe, expect, it } from 'vitest';
import { ERRORS, isAbort, TidemarkError, throwIfAborted, toErrorInfo } from './errors';
import { factSchema, isDelta, type TaskEvent, taskEventSchema } from './events';

describe('events', () => {
  const event = {
    ...{ v: 1, seq: 1, at: '2030-01-01T00:00:00Z', taskId: 't_000000000001' },
    ...{ type: 'task.renamed', title: 'x' },
  };

  it('are read with their head and their fact', () => {
    expect(taskEventSchema.safeParse(event).success).toBe(true);
    expect(taskEventSchema.safeParse({ ...event, seq: '1' }).success).toBe(false);
    expect(taskEventSchema.safeParse({ ...event, title: undefined }).success).toBe(false);
    expect(taskEventSchema.safeParse({ ...event, taskId: 'x' }).success).toBe(false);
  });

  it('are told from fragments by their type', () => {
    expect(isDelta(event as TaskEvent)).toBe(false);
    expect(
      factSchema.options.filter((o) => [...o.shape.type.values].some((t) => t.startsWith('delta.'))),
    ).toEqual([]);
  });

  it('carry a call whose arguments could not be read as null', () => {
    const message = (input: unknown): object => ({
      ...{ type: 'message.completed', runId: 'r_000000000001', turn: 1, text: '', reasoning: '' },
      ...{ usage: { inputTokens: 0, outputTokens: 0, cost: null }, finish: 'tools' },
      calls: [{ callId: 'a', tool: 'x', input }],
    });
    const throughJson = (input: unknown): unknown => JSON.parse(JSON.stringify(message(input)));
    expect(factSchema.safeParse(throughJson(null)).success).toBe(true);
    expect(factSchema.safeParse(throughJson(undefined)).success).toBe(false); // JSON has no undefined
  });
});

describe('errors', () => {
  it('have an exit code that the command line documents', () => {
    for (const { exit } of Object.values(ERRORS)) expect([1, 2, 3, 4, 5, 6, 7, 8, 130]).toContain(exit);
  });

  it('become data of whatever was thrown', () => {
    const known = new TidemarkError('conflicts', 'Two files.', {
      hint: 'Choose.',
      paths: ['a'],
      cause: new Error('x'),
    });
    expect(toErrorInfo(known)).toEqual({
      code: 'conflicts',
      message: 'Two files.',
      hint: 'Choose.',
      paths: ['a'],
    });
    expect(toErrorInfo(Object.assign(new Error('write'), { code: 'ENOSPC' })).code).toBe('disk-full');
    expect(toErrorInfo('odd')).toEqual({ code: 'failed', message: 'odd' });
    expect(toErrorInfo(null)).toMatchObject({ code: 'failed' });
    expect(toErrorInfo(undefined)).toMatchObject({ code: 'failed' });
  });

  it('tell cancelling from failing', () => {
    const aborted = Object.assign(new Error('aborted'), { name: 'AbortError' });
    expect(toErrorInfo(aborted).code).toBe('cancelled');
    expect(isAbort(Object.assign(new Error(), { code: 'ABORT_ERR' }))).toBe(true);
    expect(isAbort(new TidemarkError('cancelled', ''))).toBe(true);
    expect(isAbort(new TidemarkError('failed', ''))).toBe(false);
    for (const odd of [null, undefined, 3, 'AbortError']) expect(isAbort(odd)).toBe(false);
    expect(() => throwIfAborted({ aborted: true })).toThrow(TidemarkError);
    expect(() => throwIfAborted({ aborted: false })).not.toThrow();
  });
});
