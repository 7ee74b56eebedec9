import { expect, test } from 'vitest'
import type { Progress } from '../../primitives/progress.ts'
import { showCatchUp } from './catch-up.ts'

test('a replica that is behind says every ten seconds how far it is and how long the rest takes', () => {
  let now = 0
  let lagBlocks = 5000n
  const records: unknown[] = []
  const onBlock = showCatchUp({
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
  const onBlock = showCatchUp({
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

/** Bars of a test, as lines: `blocks synced 5 of 10`. */
function drawnBars(): { readonly lines: string[]; readonly bar: Progress } {
  const lines: string[] = []
  const bar: Progress = (what) => (done, total, also) =>
    lines.push(`${what} ${done} of ${total}${also ? ` ${JSON.stringify(also)}` : ''}`)
  return { lines, bar }
}

test('on a terminal a replica draws the blocks of its node, and erases the bar once it has caught up', () => {
  let lagBlocks = 100n
  const { lines, bar } = drawnBars()
  const records: unknown[] = []
  const onBlock = showCatchUp({
    status: () => ({
      catchingUp: lagBlocks > 0n,
      follow: {
        ...{ nodeHeight: 200n, lagBlocks, lagSeconds: 1 },
        ...{ verifiedHeight: undefined, confirmedHeight: undefined, queue: 0n },
      },
    }),
    elapsed: () => 0,
    log: (...record) => records.push(record),
    bar,
  })
  onBlock(100n, 0)
  lagBlocks = 50n
  onBlock(150n, 0)
  lagBlocks = 0n
  onBlock(200n, 0)
  onBlock(201n, 0)
  expect(lines).toEqual(['blocks synced 0 of 100', 'blocks synced 50 of 100', 'blocks synced 1 of 1'])
  expect(records).toEqual([])
})

test('under an engine the bar is the age of the first block, of which the part that is made up for never shrinks', () => {
  let catchingUp = true
  const { lines, bar } = drawnBars()
  const onBlock = showCatchUp({ status: () => ({ catchingUp }), elapsed: () => 0, log: () => {}, bar })
  onBlock(1n, 100_000)
  onBlock(501n, 80_000)
  onBlock(506n, 90_000)
  catchingUp = false
  onBlock(2000n, 500)
  expect(lines).toEqual([
    'seconds synced 0 of 100 {"blocks":0}',
    'seconds synced 20 of 100 {"blocks":500}',
    'seconds synced 20 of 100 {"blocks":505}',
    'seconds synced 1 of 1',
  ])
})
