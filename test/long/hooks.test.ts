import { expect, test } from 'vitest'
import { runStorm, STORM_SETTING } from '../support/oracle-day/storm.ts'

test('no block hook throws in 12,000 blocks of random messages, parameters and evidence', async () => {
  for (let seed = 10; seed < 40; seed++) {
    const { done } = await runStorm(STORM_SETTING, seed, 400)
    expect(done.size).toBeGreaterThan(10)
  }
})
