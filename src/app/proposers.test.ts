import { expect, test } from 'vitest'
import { utf8 } from '../primitives/bytes.ts'
import { proposerOf, takeTurns, withUpdates } from './proposers.ts'
import type { Validator } from './records.ts'

const validator = (name: string, power: bigint): Validator => ({
  address: utf8(name),
  publicKey: utf8(`key of ${name}`),
  power,
})
const nameOf = ({ address }: Validator) => Buffer.from(address).toString()
const priorities = (set: readonly Validator[]) =>
  Object.fromEntries(set.map((one) => [nameOf(one), Number(one.priority ?? 0n)]))

/** The proposers of so many heights, the first one that of the set itself. */
function sequence(first: readonly Validator[], count: number): string {
  const names: string[] = []
  for (let set = first; names.length < count; set = takeTurns(set)) names.push(nameOf(proposerOf(set)))
  return names.join(' ')
}

test("proposers take turns by power, as in the engine's own test", () => {
  const set = withUpdates([], [validator('foo', 1000n), validator('bar', 300n), validator('baz', 330n)])
  expect(sequence(takeTurns(set), 20)).toBe(
    'foo baz foo bar foo foo baz foo bar foo foo baz foo foo bar foo baz foo foo bar',
  )
})

test('equals take turns by address, and after a round all is as before', () => {
  const set = takeTurns(withUpdates([], [validator('c', 5n), validator('a', 5n), validator('b', 5n)]))
  expect(sequence(set, 7)).toBe('a b c a b c a')
  expect(priorities(set)).toEqual({ a: -10, b: 5, c: 5 })
  expect(priorities(takeTurns(set, 3n))).toEqual(priorities(set))
})

test('who comes later begins behind, and who leaves moves the others to the middle', () => {
  const set = takeTurns(withUpdates([], [validator('a', 10n), validator('b', 10n)]))
  expect(priorities(set)).toEqual({ a: -10, b: 10 })
  // New: -(40 + 40/8) = -45; the average of -10, 10, -45 is -15; the distance of 55 is within 2 × 40.
  const three = withUpdates(set, [validator('c', 20n)])
  expect(priorities(three)).toEqual({ a: 5, b: 25, c: -30 })
  // Turn: a 15, b 35 - 40, c -10.
  expect(priorities(takeTurns(three))).toEqual({ a: 15, b: -5, c: -10 })
  // The average of 15 and -10 is 2.5, of which the floor is taken.
  expect(priorities(withUpdates(takeTurns(three), [validator('b', 0n)]))).toEqual({ a: 13, c: -12 })
})

test('priorities that a smaller power leaves too far apart are pressed together', () => {
  const set = [
    { ...validator('a', 1000n), priority: -900n },
    { ...validator('b', 1000n), priority: 901n },
  ]
  // 1801 apart, 2 × (1 + 1) allowed: divided by 451 towards zero (-1, 1).
  expect(priorities(withUpdates(set, [validator('a', 1n), validator('b', 1n)]))).toEqual({ a: -1, b: 1 })
})

test('a set alone, and updates that would leave nobody', () => {
  const alone = withUpdates([], [validator('a', 7n)])
  expect(priorities(takeTurns(alone, 1000n))).toEqual({ a: 0 })
  expect(proposerOf(alone)).toMatchObject({ power: 7n })
  expect(withUpdates(alone, [validator('a', 0n)])).toBe(alone)
})
