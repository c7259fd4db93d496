import { defineConfig } from '@playwright/test';

// Whole stories on the built app in a real Electron: start them with `npm run test:e2e`, which finds that Electron.
// One worker: two software-rendered Electrons on a two-core machine mostly wait for each other. No retries: a story
// that passes at the second try has told us something that must not be lost.
export default defineConfig({
  testDir: 'e2e',
  outputDir: 'e2e/results/artifacts',
  workers: 1,
  retries: 0,
  forbidOnly: Boolean(process.env.CI),
  timeout: 120_000,
  expect: { timeout: 15_000 },
  reporter: [['list'], ['json', { outputFile: 'e2e/results/results.json' }]],
  projects: [
    { name: 'stories', testMatch: '*.spec.ts' },
    { name: 'tour', testMatch: 'support/tour.ts', timeout: 300_000 },
    { name: 'packaged', testMatch: 'support/packaged.ts' },
  ],
});
