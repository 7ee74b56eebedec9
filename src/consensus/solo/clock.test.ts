import { expect, test } from 'vitest'
import { NS_PER_SECOND } from '../../primitives/time.ts'
import { createBlockClock, TIME_STEP_NS } from './clock.ts'

test('block times follow the wall clock, and never go back with it', () => {
  let wall = 100n * NS_PER_SECOND
  const clock = createBlockClock(() => wall)
  expect(clock.next(90n * NS_PER_SECOND)).toBe(100n * NS_PER_SECOND)
  wall = 50n * NS_PER_SECOND
  expect(clock.next(90n * NS_PER_SECOND)).toBe(90n * NS_PER_SECOND + TIME_STEP_NS)
})

test('a time set for one block is used once, and the clock goes on from it', () => {
  let wall = 100n * NS_PER_SECOND
  const clock = createBlockClock(() => wall)
  clock.restore({ ...clock.state(), nextNs: 500n * NS_PER_SECOND })
  expect(clock.next(100n * NS_PER_SECOND)).toBe(500n * NS_PER_SECOND)
  clock.record(500n * NS_PER_SECOND, false)
  wall += NS_PER_SECOND
  expect(clock.next(500n * NS_PER_SECOND)).toBe(501n * NS_PER_SECOND)
})

test('a clock that is set forgets the time set for one block', () => {
  const clock = createBlockClock(() => 100n * NS_PER_SECOND)
  clock.restore({ ...clock.state(), nextNs: 500n * NS_PER_SECOND })
  clock.set(300n * NS_PER_SECOND)
  expect(clock.next(100n * NS_PER_SECOND)).toBe(300n * NS_PER_SECOND)
})

test('with an interval, block times are that far apart whatever the clock says', () => {
  const clock = createBlockClock(() => 100n * NS_PER_SECOND)
  clock.restore({ ...clock.state(), intervalNs: 7n * NS_PER_SECOND })
  expect(clock.next(300n * NS_PER_SECOND)).toBe(307n * NS_PER_SECOND)
  clock.record(307n * NS_PER_SECOND, false)
  expect(clock.next(307n * NS_PER_SECOND)).toBe(314n * NS_PER_SECOND)
  clock.restore({ ...clock.state(), intervalNs: undefined })
  expect(clock.next(307n * NS_PER_SECOND)).toBe(307n * NS_PER_SECOND + TIME_STEP_NS)
})
