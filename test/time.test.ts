import { expect, test } from 'vitest'
import { testNode } from '../src/index.ts'
import { rpc } from './support/rpc.ts'
import { compareTravels, epochsOf, T0 } from './support/time-travel.ts'

const DAY_MS = 86_400_000
const HALF_HOUR_MS = 1_800_000

test('31 days in one call mint, split and average like a block at each boundary', async () => {
  expect(await compareTravels(['day', 'week', 'month'], DAY_MS)).toEqual([
    'day: 32 since 2024-02-01T12:00:00Z',
    'month: 2 since 2024-01-31T12:00:00Z',
    'week: 5 since 2024-01-29T12:00:00Z',
  ])
})

test('advancing the clock without an ended epoch makes no block, and a test clock is followed on request', async () => {
  let nowMs = T0
  await using node = await testNode({}, { clock: () => nowMs })
  expect(await node.advance(1799)).toBe(1n)
  expect(await node.advance(1)).toBe(2n)
  expect((await epochsOf(node))[0]).toBe('30 min: 2 since 2024-01-01T12:30:00Z')
  nowMs += 3 * HALF_HOUR_MS
  expect(await node.advance(0)).toBe(3n)
  expect((await epochsOf(node))[0]).toBe('30 min: 5 since 2024-01-01T14:00:00Z')
})

test('evm_increaseTime and evm_setTime make no block, and the next one ends the epochs that are over', async () => {
  await using node = await testNode({ ports: true })
  expect(Number(await rpc(node, 'evm_increaseTime', [7200]))).toBe(7200)
  expect(node.height).toBe(1n)
  await rpc(node, 'evm_mine', [])
  const { timestamp } = await rpc<{ timestamp: string }>(node, 'eth_getBlockByNumber', ['latest', false])
  expect([Number(timestamp), node.height]).toEqual([T0 / 1000 + 7200, 2n])
  await rpc(node, 'evm_setTime', [T0 / 1000 + 10_800])
  expect(node.height).toBe(2n)
  await node.nextBlock()
  expect((await epochsOf(node))[0]).toBe('30 min: 7 since 2024-01-01T15:00:00Z')
})

test('a year of half hours without transactions is one block', async () => {
  await using node = await testNode({ ports: false })
  expect(await node.advance(365 * 86_400)).toBe(2n)
  expect((await epochsOf(node))[0]).toBe('30 min: 17521 since 2024-12-31T12:00:00Z')
})
