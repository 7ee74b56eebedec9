/**
 * Seeded worlds on the whole state machine, with all invariants after every block. `TEST_SIMULATION_SEED` and
 * `TEST_SIMULATION_TXS` repeat one seed (CONTRIBUTING.md#simulation).
 */
import { expect, test } from 'vitest'
import { actionKinds, opening } from './actions/table.ts'
import { planOf } from './plan.ts'
import { requireUnbroken, tableOf } from './report.ts'
import { runPlan } from './run.ts'
import { addTally, createTally } from './tally.ts'

const { TEST_SIMULATION_SEED: chosen, TEST_SIMULATION_TXS: length } = process.env
const SEEDS = chosen === undefined ? [1, 2, 3, 4] : [Number(chosen)]
const TRANSACTIONS = Number(chosen === undefined ? 2000 : (length ?? 2000))

const total = createTally()

test.each(SEEDS)('the ledger holds after every block of world %i, on two nodes that agree', (seed) => {
  const plan = planOf(seed, TRANSACTIONS, actionKinds, opening)
  const options = { twin: true }
  const outcome = runPlan(plan, options)
  requireUnbroken(plan, outcome, options)
  addTally(total, outcome.tally)
})

test.skipIf(chosen !== undefined)('every kind of action succeeds in some world', () => {
  const table = tableOf(total)
  const idle = actionKinds.filter(({ name }) => (total.byKind.get(name)?.succeeded ?? 0) === 0)
  expect(
    idle.map(({ name }) => name),
    table,
  ).toEqual([])
})

test('one plan gives one chain', () => {
  const plan = planOf(5, 150, actionKinds, opening)
  expect(runPlan(plan).appHash).toBe(runPlan(plan).appHash)
})
