import { expect, test } from 'vitest'
import { runStorm, STORM_SETTING } from './support/oracle-day/storm.ts'

test('no sequence of messages makes a block hook throw or loses a coin', async () => {
  const codes = new Set<string>()
  for (const seed of [1, 2, 3]) {
    const { done, refused, rates } = await runStorm(STORM_SETTING, seed, 180)
    expect(rates).toBeGreaterThan(0)
    expect(done.size).toBeGreaterThan(12)
    for (const code of refused.keys()) codes.add(code)
  }
  const oracle = [2, 5, 6, 7, 9, 10, 11].map((code) => `oracle/${code}`)
  for (const code of [...oracle, 'sdk/10', 'sdk/18', 'staking/3', 'sudo/2', 'slashing/4']) expect(codes).toContain(code)
  expect([...codes].filter((code) => code === 'sdk/1' || code.startsWith('undefined'))).toEqual([])
})
