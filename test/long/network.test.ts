import { expect, test } from 'vitest'
import { longRuns, runSeeds } from '../network/seeds.ts'

// The schedules are divided over two files, one for each core: this is the first half.
test.each(longRuns(0))(
  'applications agree and keep what they committed in $count schedules from $first on',
  async (run) => {
    const counts = await runSeeds(run.first, run.count)
    console.info(JSON.stringify(counts))
    expect(counts.blocks).toBeGreaterThan(run.count)
  },
)
