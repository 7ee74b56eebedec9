import { expect, test } from 'vitest'
import { testContext } from '../../sdk/testing.ts'
import { localnetGenesis } from './development/localnet.ts'
import { evm } from './index.ts'
import { chainPrecompiles } from './precompiles/table.ts'
import { chainRules } from './rules.ts'
import * as state from './state.ts'

test('extra EIPs in any order give the same rules object', () => {
  const ctx = testContext({ modules: [evm] })
  evm.genesis!.init(ctx, localnetGenesis(ctx, { fork: 'Shanghai' }))
  const plain = chainRules(ctx)
  const withEips = (...extraEips: bigint[]) => {
    state.params.set(ctx, { ...state.params.get(ctx)!, extraEips })
    return chainRules(ctx)
  }
  const rules = withEips(5656n, 1153n)
  expect([plain.eips.has(1153), rules.eips.has(1153), rules.eips.has(5656)]).toEqual([false, true, true])
  expect(withEips(1153n, 5656n)).toBe(rules)
  expect(chainPrecompiles(withEips(5656n, 1153n))).toBe(chainPrecompiles(rules))
  expect([withEips(1153n), withEips()]).toEqual([expect.not.objectContaining(rules), plain])
  // EIPs of the fork, and those without effect here, change nothing.
  expect(withEips(3855n, 4762n)).toBe(plain)
})
