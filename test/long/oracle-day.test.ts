import { expect, test } from 'vitest'
import { runDay } from '../support/oracle-day/day.ts'
import type { DayOptions } from '../support/oracle-day/setting.ts'

/** 17,280 blocks of five seconds. A window of 120 voting periods of one minute ends every two hours. */
const DAY: DayOptions = {
  blocks: 17_280,
  seed: 7,
  votePeriod: 12n,
  slashWindow: 120n,
  sleeper: 'silent',
  daysBefore: 302_400n * 1_000_000_000n,
  signedWindow: 100n,
  jailSeconds: 600n,
}

test('a day of seven validators ends as calculated, with two liars and one that does not vote', async () => {
  const { model, pricesSet, comparisons } = await runDay(DAY)
  expect(comparisons).toBeGreaterThan(1440)
  expect(pricesSet).toBeGreaterThan(5000)
  expect([model.mints, model.period]).toEqual([4, 1n])
  expect(model.members.slice(0, 4).map(({ slashes }) => slashes)).toEqual([0, 0, 0, 0])
  for (const member of [4, 6]) expect(model.members[member]!.slashes).toBeGreaterThan(5)
  expect(model.burned).toBeGreaterThan(0n)
})

test('the same day with a validator that neither votes nor signs', async () => {
  const { model } = await runDay({ ...DAY, seed: 8, sleeper: 'stopped' })
  expect(model.members[6]!.downtimes).toBeGreaterThan(20)
  expect(model.mints).toBe(4)
})
