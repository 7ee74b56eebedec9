import { expect, test } from 'vitest'
import { type NestingPlan, otherNodes, runNesting } from '../support/nesting/plan.ts'

const BLOCKS = Number(process.env['TEST_NESTING_BLOCKS'] ?? 100_000)
const ALL_DEPTHS = [1, 2, 3, 5, 8, 9, 10, 11, 16, 32, 64, 100, 300, 1000, 1801, 3000, 10_000]
/** A run of fewer blocks takes fewer depths, since most of its work are the nestings. */
const isShort = BLOCKS < 10_000
const DEPTHS = isShort ? [1, 10, 1801] : ALL_DEPTHS

const TRIPLE_DEPTHS = isShort ? [] : ALL_DEPTHS

const PLAN: NestingPlan = {
  depths: DEPTHS,
  tripleDepths: TRIPLE_DEPTHS,
  randomBlocks: BLOCKS,
  warmBlocks: 0,
  seed: 2024,
}

test('nestings of every pair and triple, and random blocks, have the same results wherever they are executed', async () => {
  const expected = await runNesting(PLAN)
  expect(Object.keys(expected.outcomes)).not.toContain('undefined 1')
  expect(await runNesting(PLAN, ['--stack-size=200'])).toEqual(expected)
  // Two transactions a block: 100,000 others.
  expect(await runNesting({ ...PLAN, warmBlocks: BLOCKS / 2 })).toEqual(expected)
  for (const node of otherNodes()) expect(await runNesting(PLAN, [], node), node).toEqual(expected)
})
