import { expect, test } from 'vitest'
import type { Branch } from '../../src/store/types.ts'
import { gasWorld } from '../support/evm/gas-loops.ts'

const TX_GAS = 1_500_000
/**
 * Gas that one access to the state must cost, in a loop over nothing but calls of the chain's precompiles. Times are not asserted:
 * `npm run bench -- gas` prints them (docs/performance.md#gas-of-work).
 */
const LEAST_GAS_PER_ACCESS = 400

interface Work {
  accesses: number
}

/** Counts the accesses to a branch and to all branches on it. */
function counted(branch: Branch, work: Work): Branch {
  const count = <Args extends unknown[], Result>(run: (...args: Args) => Result) => {
    return (...args: Args): Result => {
      work.accesses++
      return run(...args)
    }
  }
  return {
    ...branch,
    get: count(branch.get),
    has: count(branch.has),
    iterate: count(branch.iterate),
    set: count(branch.set),
    delete: count(branch.delete),
    branch: count(() => counted(branch.branch(), work)),
  }
}

test('no loop over calls of the chain’s precompiles makes accesses to the state cheap', () => {
  const world = gasWorld(TX_GAS)
  const rows = world.loops
    .filter(({ isOwn }) => isOwn)
    .map((loop) => {
      const work: Work = { accesses: 0 }
      const run = world.openBlock((branch) => counted(branch, work))
      const { success, gasUsedBeforeRefund } = run(loop, BigInt(TX_GAS))
      return { name: loop.name, success, perAccess: Math.floor(Number(gasUsedBeforeRefund) / work.accesses) }
    })
  const worst = rows.toSorted((a, b) => a.perAccess - b.perAccess).slice(0, 5)
  console.log(worst.map(({ name, perAccess }) => `${perAccess} gas an access: ${name}`).join('\n'))
  expect(rows.filter(({ success }) => !success)).toEqual([])
  expect(rows.filter(({ perAccess }) => perAccess < LEAST_GAS_PER_ACCESS)).toEqual([])
})
