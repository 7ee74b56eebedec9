import { expect, test } from 'vitest'
import type { StoredBlock } from '../app/records.ts'
import { keepWithin } from './disk-budget.ts'

/** A store whose bytes the test sets, and which frees 100 bytes with each pruning. */
function world(maxBytes: number) {
  const state = { used: 0, earliest: 1n, canPrune: true, asked: 0 }
  const lines: [string, Record<string, unknown>][] = []
  let listener: ((block: StoredBlock) => void) | undefined
  const stop = keepWithin({
    store: {
      usedBytes: () => state.used,
      earliestHeight: () => state.earliest,
      pruneOldest() {
        state.asked++
        if (!state.canPrune) return undefined
        state.earliest += 10n
        state.used -= 100
        return state.earliest
      },
    },
    onBlock(given) {
      listener = given
      return () => {
        listener = undefined
      }
    },
    maxBytes,
    log: (level, _, facts) => lines.push([level, facts ?? {}]),
  })
  return { state, lines, stop, block: () => listener?.({} as StoredBlock) }
}

test('nothing is pruned while rows use at most 85 % of the budget', () => {
  const { state, lines, block } = world(1000)
  state.used = 850
  block()
  expect([state.asked, lines]).toEqual([0, []])
})

test('beyond, each block prunes until it is below again', () => {
  const { state, lines, block } = world(1000)
  state.used = 1020
  for (let i = 0; i < 5; i++) block()
  expect(state).toMatchObject({ used: 820, earliest: 21n, asked: 2 })
  expect(lines).toEqual([
    ['info', { from: 1n, earliest: 11n, used_bytes: 1020 }],
    ['info', { from: 11n, earliest: 21n, used_bytes: 920 }],
  ])
})

test('a budget that is too small is told once, and again after it was kept', () => {
  const { state, lines, block, stop } = world(1000)
  state.canPrune = false
  state.used = 1100
  for (let i = 0; i < 3; i++) block()
  expect(lines).toEqual([['warn', { used_bytes: 1100, max_bytes: 1000, earliest: 1n }]])
  state.used = 800
  block()
  state.used = 1100
  block()
  expect(lines).toHaveLength(2)
  stop()
  state.asked = 0
  block()
  expect(state.asked).toBe(0)
})
