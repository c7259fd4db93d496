// Adds up what ran. Whatever is not a plain pass is a failure: a skipped test, a crashed file, a runner that ended
// badly without saying why, and a run of no tests at all, which proves nothing.

/** @typedef {{ readonly passed: number, readonly failed: number }} Count */

/**
 * @param {any} report of vitest's json reporter, null when there is none
 * @param {number} exitCode
 * @returns {Count}
 */
export function countVitest(report, exitCode) {
  let passed = 0;
  let failed = 0;
  for (const file of report?.testResults ?? []) {
    const bad = file.assertionResults.filter((/** @type {any} */ test) => test.status !== 'passed').length;
    passed += file.assertionResults.length - bad;
    // A file that cannot be loaded fails without any test of its own.
    failed += bad === 0 && file.status !== 'passed' ? 1 : bad;
  }
  return withRunner({ passed, failed }, exitCode);
}

/**
 * @param {any} report of Playwright's json reporter, null when there is none
 * @param {number} exitCode
 * @returns {Count}
 */
export function countPlaywright(report, exitCode) {
  const { expected = 0, unexpected = 0, flaky = 0, skipped = 0 } = report?.stats ?? {};
  const failed = unexpected + flaky + skipped + (report?.errors?.length ?? 0);
  return withRunner({ passed: expected, failed }, exitCode);
}

/**
 * @param {Count} count
 * @param {number} exitCode
 * @returns {Count}
 */
function withRunner({ passed, failed }, exitCode) {
  const unexplained = failed === 0 && (exitCode !== 0 || passed === 0);
  return { passed, failed: unexplained ? 1 : failed };
}

/** @param {readonly Count[]} counts */
export function closingLine(counts) {
  const passed = counts.reduce((sum, count) => sum + count.passed, 0);
  const failed = counts.reduce((sum, count) => sum + count.failed, 0);
  return `${passed} passed, ${failed} failed`;
}
