import { expect, test } from 'vitest'
import { runFaults } from './faults.ts'
import { ENGINE, NO_ENGINE } from './processes.ts'

if (!ENGINE) process.stderr.write(`test/network/faults: ${NO_ENGINE}\n`)

/** `test/long/faults.test.ts` has the full counts. */
test.skipIf(!ENGINE)('four nodes that are killed, stopped, wiped and frozen agree, and lose nothing', async () => {
  const { blocks, kills, transactions } = await runFaults({ blocks: 30, kills: 1, missed: 8, seed: 1 })
  expect(kills).toEqual([1, 1, 1, 1])
  expect(transactions).toBeGreaterThan(blocks)
})
