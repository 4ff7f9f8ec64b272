import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/setup.ts'],
    // Two cores: a worker more than that only makes every test slower.
    maxWorkers: 2,
    testTimeout: 30_000,
    // Some build the command line first.
    hookTimeout: 60_000,
    reporters: process.env.CI
      ? ['default', ['json', { outputFile: 'node_modules/.cache/renga/test-results.json' }]]
      : ['default'],
  },
});
