// Prints a story as it is told, one line a step: what `npm run tour` shows.
import type { FullResult, Reporter, TestCase, TestResult, TestStep } from '@playwright/test/reporter';

export default class StepReporter implements Reporter {
  printsToStdio(): boolean {
    return true;
  }

  onStepEnd(_test: TestCase, _result: TestResult, step: TestStep): void {
    // Playwright's own steps have other categories; steps inside a step belong to its line.
    if (step.category !== 'test.step' || step.parent?.category === 'test.step') return;
    process.stdout.write(
      `${step.error ? '✗' : '✓'} ${step.title} (${(step.duration / 1000).toFixed(1)} s)\n`,
    );
  }

  onTestEnd(_test: TestCase, result: TestResult): void {
    for (const error of result.errors)
      process.stdout.write(`${error.stack ?? error.message ?? error.value}\n`);
  }

  onError(error: { message?: string }): void {
    process.stdout.write(`${error.message}\n`);
  }

  onEnd(result: FullResult): void {
    const end = result.status === 'passed' ? 'The tour went through.' : `The tour ended: ${result.status}.`;
    process.stdout.write(`${end} Pictures: e2e/pictures/\n`);
  }
}
