import { describe, expect, test } from 'vitest'
import { locked, type Schedule, trackDelegation, trackUndelegation, unvested, type Vesting } from './vesting.ts'

const vesting = (schedule: Schedule, amount = 100n): Vesting => ({
  schedule,
  original: [{ denom: 'unative', amount }],
  delegatedFree: [],
  delegatedVesting: [],
  endTime: 1100n,
})
const at = (schedule: Schedule, time: bigint, amount?: bigint) => locked(vesting(schedule, amount), 'unative', time)

describe('the locked amount', () => {
  test('falls evenly between start and end of a continuous schedule, rounded half to even', () => {
    const schedule: Schedule = { kind: 'continuous', startTime: 100n }
    expect([99n, 100n, 350n, 600n, 1100n, 2000n].map((time) => at(schedule, time))).toEqual([
      100n,
      100n,
      75n,
      50n,
      0n,
      0n,
    ])
    // A thousandth of 500 is 0.5, which rounds to 0; three thousandths are 1.5, which round to 2.
    expect(at(schedule, 101n, 500n)).toBe(500n)
    expect(at(schedule, 103n, 500n)).toBe(498n)
  })

  test('falls to zero at the end of a delayed schedule, and never in a permanent one', () => {
    expect([0n, 1099n, 1100n].map((time) => at({ kind: 'delayed' }, time))).toEqual([100n, 100n, 0n])
    expect(at({ kind: 'permanent' }, 10_000n)).toBe(100n)
  })

  test('falls at the end of each period of a periodic schedule', () => {
    const period = (length: bigint, amount: bigint) => ({ length, amount: [{ denom: 'unative', amount }] })
    const schedule: Schedule = { kind: 'periodic', startTime: 100n, periods: [period(10n, 30n), period(990n, 70n)] }
    expect([100n, 109n, 110n, 1099n, 1100n].map((time) => at(schedule, time))).toEqual([100n, 100n, 70n, 70n, 0n])
  })
})

test('a delegation uses locked coins first, an undelegation returns free ones first', () => {
  const start = vesting({ kind: 'continuous', startTime: 100n })
  const delegated = trackDelegation(start, { denom: 'unative', amount: 90n }, 350n)
  expect(delegated.delegatedVesting).toEqual([{ denom: 'unative', amount: 75n }])
  expect(delegated.delegatedFree).toEqual([{ denom: 'unative', amount: 15n }])
  expect(locked(delegated, 'unative', 350n)).toBe(0n)
  expect(unvested(delegated, 350n)).toEqual([{ denom: 'unative', amount: 75n }])
  const back = trackUndelegation(delegated, { denom: 'unative', amount: 20n })
  expect(back.delegatedFree).toEqual([])
  expect(back.delegatedVesting).toEqual([{ denom: 'unative', amount: 70n }])
  expect(locked(back, 'unative', 350n)).toBe(5n)
})
