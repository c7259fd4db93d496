import { describe, expect, test } from 'vitest';
import { closingLine, countPlaywright, countVitest } from './count.mjs';

const file = (status: string, ...tests: string[]) => ({
  status,
  assertionResults: tests.map((each) => ({ status: each })),
});

describe('countVitest', () => {
  test.each([
    ['each test is one', [file('passed', 'passed', 'passed'), file('failed', 'passed', 'failed')], 1, 3, 1],
    [
      'skipped and planned tests have not passed',
      [file('passed', 'passed', 'skipped', 'todo', 'pending')],
      0,
      1,
      3,
    ],
    ['a file that cannot be loaded', [file('failed'), file('passed', 'passed')], 1, 1, 1],
    ['a bad end without a cause', [file('passed', 'passed')], 1, 1, 1],
    ['no tests at all', [], 0, 0, 1],
  ])('%s', (_name, testResults, exitCode, passed, failed) => {
    expect(countVitest({ testResults }, exitCode)).toEqual({ passed, failed });
  });

  test('no report', () => expect(countVitest(null, 0)).toEqual({ passed: 0, failed: 1 }));
});

describe('countPlaywright', () => {
  test.each([
    ['all well', { expected: 3, unexpected: 0, flaky: 0, skipped: 0 }, [], 0, 3, 0],
    ['whatever is not plain', { expected: 1, unexpected: 1, flaky: 1, skipped: 1 }, [], 1, 1, 3],
    ['an error outside the tests', { expected: 1, unexpected: 0, flaky: 0, skipped: 0 }, [{}], 1, 1, 1],
    ['a bad end without a cause', { expected: 1, unexpected: 0, flaky: 0, skipped: 0 }, [], 1, 1, 1],
    ['no tests at all', { expected: 0, unexpected: 0, flaky: 0, skipped: 0 }, [], 0, 0, 1],
  ])('%s', (_name, stats, errors, exitCode, passed, failed) => {
    expect(countPlaywright({ stats, errors }, exitCode)).toEqual({ passed, failed });
  });

  test('no report', () => expect(countPlaywright(null, 1)).toEqual({ passed: 0, failed: 1 }));
});

test('closingLine adds up', () => {
  expect(
    closingLine([
      { passed: 1, failed: 0 },
      { passed: 41, failed: 2 },
    ]),
  ).toBe('42 passed, 2 failed');
});
