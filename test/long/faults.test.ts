import { expect, test } from 'vitest'
import { runFaults } from '../network/faults.ts'
import { ENGINE, NO_ENGINE } from '../network/processes.ts'

if (!ENGINE) process.stderr.write(`test/long/faults: ${NO_ENGINE}\n`)

const BLOCKS = Number(process.env['TEST_FAULTS_BLOCKS'] ?? 300)
const KILLS = Number(process.env['TEST_FAULTS_KILLS'] ?? 20)
const SEED = Number(process.env['TEST_FAULTS_SEED'] ?? 1)
const MISSED = 50

test.skipIf(!ENGINE)(
  `four nodes over ${BLOCKS} blocks, each killed ${KILLS} times, one stopped for ${MISSED} blocks, one wiped, a majority frozen`,
  async () => {
    const onLine = (line: string) => process.stderr.write(`${line}\n`)
    const counts = await runFaults({ blocks: BLOCKS, kills: KILLS, missed: MISSED, seed: SEED, onLine })
    expect(counts.blocks).toBeGreaterThanOrEqual(BLOCKS)
    expect(counts.kills).toEqual([KILLS, KILLS, KILLS, KILLS])
  },
)
