/** Shrinking, shown on planted bugs whose smallest plans are known. */
import { expect, test } from 'vitest'
import { actionKinds } from './actions/table.ts'
import type { Invariant } from './invariants/invariant.ts'
import { type Plan, planOf, transactionsOf } from './plan.ts'
import { explain } from './report.ts'
import { runPlan } from './run.ts'
import { shrink } from './shrink.ts'

/** Fails once a kind of action has succeeded a number of times. */
function atMost(times: number, typeName: string): Invariant {
  return {
    name: `planted: ${typeName} succeeds at most ${times} times`,
    broken({ block, sent, memory }) {
      let seen = (memory.get('planted') as number | undefined) ?? 0
      for (const { wish, index } of sent) {
        const isMeant = wish.kind === 'messages' && wish.messages[0]!.schema.typeName === typeName
        if (isMeant && block?.output.results[index]?.code === 0) seen++
      }
      memory.set('planted', seen)
      return seen > times ? `${seen} times` : undefined
    },
  }
}

const WEIGHTS = actionKinds.filter(({ name }) => name !== 'evm.deployToken' && name !== 'evm.router')

test('a plan with a planted bug shrinks to the two actions that show it, without damage or jumps of time', () => {
  const invariants = [atMost(1, 'sdk.staking.v1beta1.MsgDelegate')]
  const plan = planOf(11, 300, WEIGHTS, [])
  const fails = (tried: Plan) => runPlan(tried, { invariants }).violation !== undefined
  expect(fails(plan)).toBe(true)
  const least = shrink(plan, fails, 400)
  expect(transactionsOf(least)).toBe(2)
  expect(least.steps.length).toBeLessThanOrEqual(2)
  for (const step of least.steps) {
    expect(step).toMatchObject({ kind: 'block', seconds: 5, absent: [] })
    if (step.kind === 'block')
      for (const { kind, spoil } of step.actions) expect([kind, spoil]).toEqual(['staking.delegate', 0])
  }
})

test('an action that needs another one keeps it: a burn of a coin needs its creation and a mint', () => {
  const invariants = [atMost(0, 'chain.tokenfactory.v1.MsgBurn')]
  const kinds = new Set([
    'tokenfactory.createDenom',
    'tokenfactory.mint',
    'tokenfactory.burn',
    'tokenfactory.changeAdmin',
  ])
  const plan = planOf(
    3,
    120,
    WEIGHTS.filter(({ name }) => kinds.has(name)),
    [],
  )
  const fails = (tried: Plan) => runPlan(tried, { invariants }).violation !== undefined
  expect(fails(plan)).toBe(true)
  const least = shrink(plan, fails, 600)
  const left = least.steps.flatMap((step) => (step.kind === 'block' ? step.actions.map(({ kind }) => kind) : []))
  expect(left).toEqual(['tokenfactory.createDenom', 'tokenfactory.mint', 'tokenfactory.burn'])
})

test('the report names the seed, the invariant, the fewest actions and the command to repeat them', () => {
  const invariants = [atMost(0, 'sdk.bank.v1beta1.MsgSend')]
  const plan = planOf(12, 80, WEIGHTS, [])
  const { violation } = runPlan(plan, { invariants })
  const text = explain(plan, violation!, { invariants })
  expect(text).toContain('seed 12 breaks: planted: sdk.bank.v1beta1.MsgSend succeeds at most 0 times')
  expect(text).toContain('fewest actions found: 1 steps with 1 transactions')
  expect(text).toMatch(/by <operator 0>: sdk\.bank\.v1beta1\.MsgSend \{"fromAddress":"<operator 0>"/)
  expect(text).toContain(
    'TEST_SIMULATION_SEED=12 TEST_SIMULATION_TXS=80 npx vitest run --project whole test/simulation/',
  )
})

test('plans depend on their seed alone', () => {
  expect(planOf(1, 100, WEIGHTS, [])).toEqual(planOf(1, 100, WEIGHTS, []))
  expect(planOf(1, 100, WEIGHTS, [])).not.toEqual(planOf(2, 100, WEIGHTS, []))
  expect(transactionsOf(planOf(1, 100, WEIGHTS, []))).toBe(100)
})
