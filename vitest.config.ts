import { defineConfig } from 'vitest/config';

// The engine's tests run real git in real folders: generous limits, because a busy machine is not a fault.
export default defineConfig({
  test: {
    include: ['{app,shared,renderer}/**/*.test.{ts,tsx}'],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
