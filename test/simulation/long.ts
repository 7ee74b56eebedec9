/** Many worlds one after the other, of which the long tests run one half each. */
import { actionKinds, opening } from './actions/table.ts'
import { planOf } from './plan.ts'
import { requireUnbroken } from './report.ts'
import { runPlan } from './run.ts'
import { addTally, createTally, type Tally } from './tally.ts'

const TRANSACTIONS_OF_SEED = 2000
/** First seed, above those of the gate. */
const FIRST_SEED = 1000
/** One world in this number runs on two nodes. */
const TWIN_EVERY = 10

/** Runs half of the worlds of about `transactions` transactions. Throws an `Error` with the explanation of a broken invariant. */
export function runHalf(half: 0 | 1, transactions: number): Tally {
  const seeds = Math.ceil(transactions / TRANSACTIONS_OF_SEED)
  const sum = createTally()
  for (let i = half; i < seeds; i += 2) {
    const plan = planOf(FIRST_SEED + i, TRANSACTIONS_OF_SEED, actionKinds, opening)
    const options = { twin: Math.floor(i / 2) % TWIN_EVERY === 0 }
    const outcome = runPlan(plan, options)
    requireUnbroken(plan, outcome, options)
    addTally(sum, outcome.tally)
  }
  return sum
}

/** Number of transactions of both halves. */
export const longCount = (): number => Number(process.env['TEST_SIMULATION_TXS'] ?? 1_000_000)
