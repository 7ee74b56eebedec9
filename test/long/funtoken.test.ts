import { expect, test } from 'vitest'
import { compile } from '../support/funtoken/contracts.ts'
import { simulate } from '../support/funtoken/simulation.ts'

const STEPS = 200
const SEEDS = Number(process.env['TEST_FUNTOKEN_SEEDS'] ?? '250')

test('50,000 random conversions, transfers and reverts keep every supply balanced', () => {
  const code = compile()
  let succeeded = 0
  for (let seed = 1000; seed < 1000 + SEEDS; seed++) succeeded += simulate(code, seed, STEPS).succeeded
  expect(succeeded).toBeGreaterThan((SEEDS * STEPS) / 5)
  console.info(`${succeeded} of ${SEEDS * STEPS} steps succeeded`)
})
