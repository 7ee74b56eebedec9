import { expect, test } from 'vitest'
import { runDay } from './support/oracle-day/day.ts'
import type { DayOptions } from './support/oracle-day/setting.ts'

const SHORT: DayOptions = {
  blocks: 480,
  seed: 1,
  votePeriod: 6n,
  slashWindow: 10n,
  sleeper: 'silent',
  daysBefore: (3n * 86_400n - 1200n) * 1_000_000_000n,
  signedWindow: 20n,
  jailSeconds: 60n,
}

test('seven validators end as calculated, with two liars and one that does not vote', async () => {
  const { model, refused, pricesSet } = await runDay(SHORT)
  expect(model.members[6]!.slashes).toBeGreaterThan(2)
  expect(model.members[4]!.slashes).toBeGreaterThan(2)
  expect(model.mints).toBe(3)
  expect(model.period).toBe(1n)
  expect(pricesSet).toBeGreaterThan(200)
  expect([...refused.keys()].sort()).toEqual(['oracle/11', 'oracle/8', 'staking/3'])
})

test('the same with a validator that neither votes nor signs', async () => {
  const { model, refused } = await runDay({ ...SHORT, seed: 2, sleeper: 'stopped' })
  expect(model.members[6]!.downtimes).toBeGreaterThan(2)
  expect(refused.get('slashing/4')).toBeGreaterThan(0)
})

test('the same when all validators are jailed at once, and the last one stays in the set', async () => {
  const { model } = await runDay({ ...SHORT, blocks: 120, seed: 12, votePeriod: 7n, slashWindow: 2n })
  expect(model.members.every(({ slashes }) => slashes > 0)).toBe(true)
})
