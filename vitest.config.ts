import { defineConfig } from 'vitest/config'

/** `unit` is what `npm test` runs; `long` holds kill, fuzz, differential and simulation runs with their full counts. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ['test/long/**'],
          testTimeout: 30_000,
          pool: 'forks',
        },
      },
      {
        test: {
          name: 'long',
          include: ['test/long/**/*.test.ts'],
          testTimeout: 900_000,
          hookTimeout: 120_000,
          pool: 'forks',
          maxWorkers: 2,
        },
      },
    ],
  },
})
