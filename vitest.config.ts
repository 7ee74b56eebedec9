import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Slowest test files, started first so that no core waits for one of them at the end. */
const LONGEST = [
  'oracle-day',
  'ledger',
  'ledger-second',
  'model',
  'faults',
  'network',
  'network-second',
  'simulation',
  'kill',
  'two-phase-kill',
  'evm-differential',
  'evm-differential-second',
  'hooks',
  'funtoken',
  'plans',
  'halt',
  'testnet',
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
 * `npm test` runs `unit` and `whole`. Their time limits only end hanging tests: a busy machine can be ten times slower than an
 * idle one. The files of `unit` are beside the code and share its modules, which keep no state. The files of `whole` start nodes and
 * processes, and each runs in its own process. `conformance` runs public test data if it exists beside the
 * checkout. `long` contains kill, fuzz, differential and simulation runs with their full counts.
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
