/** Texts about simulations: what broke, the fewest actions that break it, and the command to repeat it. */
import { named } from './describe.ts'
import { type Plan, transactionsOf } from './plan.ts'
import type { Outcome, RunOptions, Violation } from './run.ts'
import { runPlan } from './run.ts'
import { shrink } from './shrink.ts'
import type { Tally } from './tally.ts'

/** Returns the command that repeats a plan of a seed. */
const repeatCommand = (seed: number, transactions: number): string =>
  `TEST_SIMULATION_SEED=${seed} TEST_SIMULATION_TXS=${transactions} npx vitest run --project whole test/simulation/simulation.test.ts`

/** Returns the text about a broken invariant. It shrinks the plan with at most `mostRuns` runs. */
export function explain(plan: Plan, found: Violation, options: RunOptions, mostRuns = 300): string {
  const fails = (tried: Plan): boolean => runPlan(tried, options).violation?.invariant === found.invariant
  const upTo = { ...plan, steps: plan.steps.slice(0, found.step + 1) }
  const least = shrink(upTo, fails, mostRuns)
  const lines: string[] = []
  const { violation = found } = runPlan(least, { ...options, onLine: (line) => lines.push(line) })
  return [
    `seed ${plan.seed} breaks: ${found.invariant}`,
    `  ${named(found.detail)}`,
    `repeat it: ${repeatCommand(plan.seed, transactionsOf(plan))}`,
    `fewest actions found: ${least.steps.length} steps with ${transactionsOf(least)} transactions`,
    ...lines.map((line) => `  ${line}`),
    `  ${named(violation.detail)}`,
  ].join('\n')
}

/** Throws an `Error` with the explanation if an outcome has a violation. */
export function requireUnbroken(plan: Plan, { violation }: Outcome, options: RunOptions): void {
  if (violation) throw new Error(explain(plan, violation, options))
}

/** Returns a table of the transactions by kind. */
export function tableOf({ byKind, checks }: Tally): string {
  const rows = [...byKind].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const sum = rows.reduce((all, [, { succeeded, failed }]) => [all[0]! + succeeded, all[1]! + failed], [0, 0])
  const line = (name: string, ok: unknown, bad: unknown, skipped: unknown) =>
    `${name.padEnd(44)}${String(ok).padStart(10)}${String(bad).padStart(10)}${String(skipped).padStart(10)}`
  return [
    line('kind', 'succeeded', 'failed', 'skipped'),
    ...rows.map(([name, { succeeded, failed, skipped }]) => line(name, succeeded, failed, skipped)),
    line('all', sum[0], sum[1], ''),
    `${checks} checks of invariants`,
  ].join('\n')
}
