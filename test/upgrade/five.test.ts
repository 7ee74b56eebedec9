import { expect, test } from 'vitest'
import { upgradeFiveTimes } from '../support/upgrade/five.ts'

test('a chain upgraded five times in one process answers every read, and every height as when it was new', async () => {
  const report = await upgradeFiveTimes({ blocks: 5, perHeight: 20, pairs: 200, readsPerSecond: 200, seed: 7 })
  expect(report.failed).toEqual([])
  expect(report.different).toEqual([])
  expect(report.applied).toHaveLength(5)
  expect(report.reads).toBeGreaterThan(100)
  // Few of the requests fail by design.
  expect(report.statuses[200]! / report.recorded).toBeGreaterThan(0.6)
})
