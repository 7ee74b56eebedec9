import { expect, test } from 'vitest'
import { upgradeFiveTimes } from '../support/upgrade/five.ts'

test('five upgrades under 200 reads a second, with every operation at every height and 1,000 repeated reads', async () => {
  const report = await upgradeFiveTimes({ blocks: 20, pairs: 1000, readsPerSecond: 200, seed: 11 })
  const { operations, recorded, reads, seconds, statuses, applied } = report
  const rate = (reads / seconds).toFixed(0)
  process.stdout.write(
    `${reads} reads in ${seconds.toFixed(1)} s (${rate} a second) over upgrades at ${applied.join(', ')}; ` +
      `${recorded} answers of ${operations} paths recorded, by status ${JSON.stringify(statuses)}\n`,
  )
  expect(report.failed).toEqual([])
  expect(report.different).toEqual([])
})
