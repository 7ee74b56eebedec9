import { expect, test } from 'vitest'
import { seatOf } from './oracle-day/chain.ts'
import { SECOND, settingOf } from './oracle-day/setting.ts'
import { runStorm } from './oracle-day/storm.ts'

const START = settingOf({
  votePeriod: 3n,
  slashWindow: 5n,
  daysBefore: 2n * 86_400n * SECOND,
  signedWindow: 10n,
  jailSeconds: 30n,
})
/** Two more come later, if they do. */
const SETTING = { ...START, seats: [...START.seats, seatOf(7, 5n, 0n), seatOf(8, 5n, 0n)], founders: 7 }

test('no sequence of messages makes a block hook throw, and no coin is lost on the way', async () => {
  const codes = new Set<string>()
  for (const seed of [1, 2, 3]) {
    const { done, refused, rates } = await runStorm(SETTING, seed, 250)
    expect(rates).toBeGreaterThan(0)
    expect(done.size).toBeGreaterThan(12)
    for (const code of refused.keys()) codes.add(code)
  }
  const oracle = [2, 5, 6, 7, 9, 10, 11].map((code) => `oracle/${code}`)
  for (const code of [...oracle, 'sdk/10', 'sdk/18', 'staking/3', 'sudo/2', 'slashing/4']) expect(codes).toContain(code)
  expect([...codes].filter((code) => code === 'sdk/1' || code.startsWith('undefined'))).toEqual([])
})
