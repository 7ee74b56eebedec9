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
  for (const seed of [1, 2, 3]) {
    const { done, refused, rates } = await runStorm(SETTING, seed, 250)
    expect(rates).toBeGreaterThan(0)
    expect(done.size).toBeGreaterThan(12)
    expect([...refused.keys()].filter((key) => key === 'sdk/1' || key.startsWith('undefined'))).toEqual([])
  }
})
