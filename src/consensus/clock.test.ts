import { expect, test } from 'vitest'
import { createBlockClock, TIME_STEP_NS } from './clock.ts'

const SECOND = 1_000_000_000n

test('blocks take the wall clock, and never its going back', () => {
  let wall = 100n * SECOND
  const clock = createBlockClock(() => wall)
  expect(clock.next(90n * SECOND)).toBe(100n * SECOND)
  wall = 50n * SECOND
  expect(clock.next(90n * SECOND)).toBe(90n * SECOND + TIME_STEP_NS)
})

test('a time set for one block is used once, and the clock goes on from it', () => {
  let wall = 100n * SECOND
  const clock = createBlockClock(() => wall)
  clock.restore({ ...clock.state(), nextNs: 500n * SECOND })
  expect(clock.next(100n * SECOND)).toBe(500n * SECOND)
  clock.used(500n * SECOND, false)
  wall += SECOND
  expect(clock.next(500n * SECOND)).toBe(501n * SECOND)
})

test('with an interval each block follows the one before at that distance, whatever the clock says', () => {
  const clock = createBlockClock(() => 100n * SECOND)
  clock.restore({ ...clock.state(), intervalNs: 7n * SECOND })
  expect(clock.next(300n * SECOND)).toBe(307n * SECOND)
  clock.used(307n * SECOND, false)
  expect(clock.next(307n * SECOND)).toBe(314n * SECOND)
  clock.restore({ ...clock.state(), intervalNs: undefined })
  expect(clock.next(307n * SECOND)).toBe(307n * SECOND + TIME_STEP_NS)
})
