/** Holes of the reference, switched on one at a time (docs/profiles.md): the simulation finds each of them. */
import { expect, test } from 'vitest'
import { almanac } from '../../src/identity/profiles/almanac.ts'
import { actionKinds } from './actions/table.ts'
import { planOf } from './plan.ts'
import { runPlan } from './run.ts'

const SEEDS = [1, 2, 3, 4, 5]
/** Kinds of actions without tokens, which these holes do not need. */
const WEIGHTS = actionKinds.filter(({ name }) => name !== 'evm.deployToken' && name !== 'evm.router')

test.each([
  ['modulesReceiveEvmValue', /hold/],
  ['lockedCoinsMoveInEvm', /^no locked coin leaves its account/],
  ['baseFeeAboveCap', /^no Ethereum transaction costs more than its sender signed$/],
] as const)('a world in which %s breaks an invariant', (behaviour, invariant) => {
  const identity = { ...almanac, behaviours: { ...almanac.behaviours, [behaviour]: true } }
  const brokenIn = (seed: number) => runPlan(planOf(seed, 400, WEIGHTS, []), { identity }).violation?.invariant
  let found: string | undefined
  for (const seed of SEEDS) found ??= brokenIn(seed)
  expect(found).toMatch(invariant)
})
