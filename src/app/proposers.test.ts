import { expect, test } from 'vitest'
import { utf8 } from '../primitives/bytes.ts'
import { proposerOf, rotateProposers, withUpdates } from './proposers.ts'
import type { Validator } from './records.ts'

const validator = (name: string, power: bigint): Validator => ({
  address: utf8(name),
  publicKey: utf8(`key of ${name}`),
  power,
})
const nameOf = ({ address }: Validator) => Buffer.from(address).toString()
const priorities = (set: readonly Validator[]) =>
  Object.fromEntries(set.map((one) => [nameOf(one), Number(one.priority ?? 0n)]))

/** Returns the proposers of `count` heights, starting with the set's own. */
function sequence(first: readonly Validator[], count: number): string {
  const names: string[] = []
  for (let set = first; names.length < count; set = rotateProposers(set)) names.push(nameOf(proposerOf(set)))
  return names.join(' ')
}

test("proposers rotate by power, as in CometBFT's own test", () => {
  const set = withUpdates([], [validator('foo', 1000n), validator('bar', 300n), validator('baz', 330n)])
  expect(sequence(rotateProposers(set), 20)).toBe(
    'foo baz foo bar foo foo baz foo bar foo foo baz foo foo bar foo baz foo foo bar',
  )
})

test('validators of equal power rotate by address, and a full round restores the priorities', () => {
  const set = rotateProposers(withUpdates([], [validator('c', 5n), validator('a', 5n), validator('b', 5n)]))
  expect(sequence(set, 7)).toBe('a b c a b c a')
  expect(priorities(set)).toEqual({ a: -10, b: 5, c: 5 })
  expect(priorities(rotateProposers(set, 3n))).toEqual(priorities(set))
})

test('a new validator starts with a low priority, and a removal recentres the others', () => {
  const set = rotateProposers(withUpdates([], [validator('a', 10n), validator('b', 10n)]))
  expect(priorities(set)).toEqual({ a: -10, b: 10 })
  // New: -(40 + 40/8) = -45; the average of -10, 10, -45 is -15; the distance of 55 is within 2 × 40.
  const three = withUpdates(set, [validator('c', 20n)])
  expect(priorities(three)).toEqual({ a: 5, b: 25, c: -30 })
  // After the rotation: a 15, b 35 - 40, c -10.
  expect(priorities(rotateProposers(three))).toEqual({ a: 15, b: -5, c: -10 })
  // The average of 15 and -10 is 2.5, of which the floor is taken.
  expect(priorities(withUpdates(rotateProposers(three), [validator('b', 0n)]))).toEqual({ a: 13, c: -12 })
})

test('priorities too far apart after a loss of power are scaled into the window', () => {
  const set = [
    { ...validator('a', 1000n), priority: -900n },
    { ...validator('b', 1000n), priority: 901n },
  ]
  // 1801 apart, 2 × (1 + 1) allowed: divided by 451 towards zero (-1, 1).
  expect(priorities(withUpdates(set, [validator('a', 1n), validator('b', 1n)]))).toEqual({ a: -1, b: 1 })
})

test('a set of one validator does not rotate, and updates that remove every validator change nothing', () => {
  const alone = withUpdates([], [validator('a', 7n)])
  expect(priorities(rotateProposers(alone, 1000n))).toEqual({ a: 0 })
  expect(proposerOf(alone)).toMatchObject({ power: 7n })
  expect(withUpdates(alone, [validator('a', 0n)])).toBe(alone)
})
