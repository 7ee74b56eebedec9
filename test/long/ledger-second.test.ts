import { expect, test } from 'vitest'
import { longCount, runHalf } from '../simulation/long.ts'
import { tableOf } from '../simulation/report.ts'

// The worlds are divided over two files, one for each core: this is the second half.
test('the ledger holds after every block of the second half of the worlds', () => {
  const tally = runHalf(1, longCount())
  console.info(tableOf(tally))
  expect(tally.checks).toBeGreaterThan(0)
})
