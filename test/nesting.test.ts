import { expect, test } from 'vitest'
import { type NestingPlan, otherNodes, runNesting } from './support/nesting/plan.ts'

/** The long run has every depth, triple and count: test/long/nesting.test.ts. */
const PLAN: NestingPlan = {
  depths: [1, 2, 3, 8, 16, 1801],
  tripleDepths: [],
  randomBlocks: 300,
  warmBlocks: 0,
  seed: 16,
}

test('blocks of nested and random messages have the same results on a small stack, in a warm process and on other versions of Node', async () => {
  const [expected, ...others] = await Promise.all([
    runNesting(PLAN),
    runNesting(PLAN, ['--stack-size=200']),
    runNesting({ ...PLAN, warmBlocks: 300 }),
    ...otherNodes().map((node) => runNesting(PLAN, [], node)),
  ])
  expect(Object.keys(expected.outcomes)).not.toContain('undefined 1')
  expect(expected.outcomes[' 0']).toBeGreaterThan(50)
  for (const other of others) expect(other).toEqual(expected)
})
