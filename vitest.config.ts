import { defineConfig } from 'vitest/config'

/**
 * `unit` is what `npm test` runs. Its limits only end what hangs: a busy machine may be ten times slower than a quiet one. `conformance` runs the field's public test data where it lies beside the checkout.
 * `long` holds kill, fuzz, differential and simulation runs with their full counts.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'witness/**/*.test.ts'],
          exclude: ['test/long/**', 'test/conformance/**'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          pool: 'forks',
        },
      },
      {
        test: {
          name: 'conformance',
          include: ['test/conformance/**/*.test.ts'],
          testTimeout: 900_000,
          pool: 'forks',
          maxWorkers: 2,
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
