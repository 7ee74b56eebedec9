import { expect, test } from 'vitest'
import { rulesOf } from '../../src/evm/forks.ts'
import { hostileInputs, measure } from '../support/evm/hostile-precompiles.ts'

/** A bound far above the time of every precompile, and far below that of an algorithm of the wrong order: see `npm run bench -- precompiles`. */
const MAX_NS_PER_GAS = 1_000

test.each(['Osaka', 'Berlin'] as const)('in %s no hostile input costs time out of proportion to its gas', (fork) => {
  const rules = rulesOf(fork)
  const costs = hostileInputs(rules).map((input) => measure(rules, input, 5))
  const worst = costs.reduce((a, b) => (a.nsPerGas > b.nsPerGas ? a : b))
  console.log(`${fork}: worst ${worst.name}, ${worst.nsPerGas.toFixed(1)} ns per gas`)
  expect(costs.filter(({ nsPerGas }) => nsPerGas > MAX_NS_PER_GAS)).toEqual([])
})
