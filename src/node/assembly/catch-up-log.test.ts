import { expect, test } from 'vitest'
import { logCatchUp } from './catch-up-log.ts'

test('a replica that is behind says every ten seconds how far it is and how long the rest takes', () => {
  let now = 0
  let lagBlocks = 5000n
  const records: unknown[] = []
  const onBlock = logCatchUp({
    status: () => ({
      catchingUp: lagBlocks > 0n,
      follow: {
        nodeHeight: 6000n,
        lagBlocks,
        lagSeconds: 1,
        verifiedHeight: undefined,
        confirmedHeight: undefined,
        queue: 0n,
      },
    }),
    elapsed: () => now,
    log: (level, message, facts) => records.push([level, message, facts]),
  })
  onBlock(1000n)
  now = 4000
  onBlock(1400n)
  now = 10_000
  lagBlocks = 4000n
  onBlock(2000n)
  now = 15_000
  lagBlocks = 0n
  onBlock(6000n)
  onBlock(6001n)
  expect(records).toEqual([
    ['info', 'catches up', { height: 2000n, node_height: 6000n, blocks_per_second: 100, seconds_left: 40 }],
    ['info', 'caught up', { height: 6000n }],
  ])
})
