import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longest begin first, so that at the end no core waits for one of them. */
const LONGEST = [
  'oracle-day',
  'kill',
  'evm-differential',
  'evm-differential-second',
  'hooks',
  'funtoken',
  'plans',
  'halt',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const found = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`))
      return found < 0 ? LONGEST.length : found
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

/**
 * `npm test` runs `unit` and `whole`. Their limits only end what hangs: a busy machine may be ten times slower than a quiet
 * one. The files of `unit` lie beside the code and share its modules, which keep no state; those of `whole` start nodes and
 * processes, and have a process of their own each. `conformance` runs the field's public test data where it lies beside the
 * checkout. `long` holds kill, fuzz, differential and simulation runs with their full counts.
 */
export default defineConfig({
  test: {
    pool: 'forks',
    globalSetup: 'test/support/surroundings.ts',
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'witness/**/*.test.ts'],
          isolate: false,
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'whole',
          include: ['test/**/*.test.ts'],
          exclude: ['test/long/**', 'test/conformance/**'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'conformance',
          include: ['test/conformance/**/*.test.ts'],
          testTimeout: 1_800_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'long',
          include: ['test/long/**/*.test.ts'],
          testTimeout: 3_600_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
})
