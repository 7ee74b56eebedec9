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
  onBlock(1000n, 0)
  now = 4000
  onBlock(1400n, 0)
  now = 10_000
  lagBlocks = 4000n
  onBlock(2000n, 0)
  now = 15_000
  lagBlocks = 0n
  onBlock(6000n, 0)
  onBlock(6001n, 0)
  expect(records).toEqual([
    ['info', 'catches up', { height: 2000n, node_height: 6000n, blocks_per_second: 100, seconds_left: 40 }],
    ['info', 'caught up', { height: 6000n }],
  ])
})

test('a node under an engine, which does not say how many blocks are left, tells the rest by the age of its blocks', () => {
  let now = 0
  const records: unknown[] = []
  const onBlock = logCatchUp({
    status: () => ({ catchingUp: true }),
    elapsed: () => now,
    log: (level, message, facts) => records.push([level, message, facts]),
  })
  onBlock(1n, 100_000)
  now = 10_000
  onBlock(501n, 80_000)
  now = 20_000
  // It loses ground: there is no end.
  onBlock(506n, 90_000)
  expect(records).toEqual([
    ['info', 'catches up', { height: 501n, blocks_per_second: 50, seconds_left: 40 }],
    ['info', 'catches up', { height: 506n, blocks_per_second: 0.5 }],
  ])
})
