import { expect, test } from 'vitest'
import { compareTravels } from '../support/time-travel.ts'

const HALF_HOUR_MS = 1_800_000

test('31 days with every epoch of a new chain, in one call and in steps of half an hour', async () => {
  expect(await compareTravels(['30 min', 'day', 'week', 'month'], HALF_HOUR_MS)).toEqual([
    '30 min: 1489 since 2024-02-01T12:00:00Z',
    'day: 32 since 2024-02-01T12:00:00Z',
    'month: 2 since 2024-01-31T12:00:00Z',
    'week: 5 since 2024-01-29T12:00:00Z',
  ])
})
