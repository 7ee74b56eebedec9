/** Proposer selection: CometBFT's weighted round robin over a validator set (docs/cometbft.md#validators). */
import { compare, toKey } from '../primitives/bytes.ts'
import type { Validator } from './records.ts'

/** Maximum distance of two priorities, as a multiple of the total power. */
const WINDOW = 2n

const priorityOf = ({ priority = 0n }: Validator): bigint => priority

/** Divides and rounds towards minus infinity; the divisor is positive. */
function floorDiv(value: bigint, by: bigint): bigint {
  const quotient = value / by
  return value < 0n && quotient * by !== value ? quotient - 1n : quotient
}

const totalOf = (set: readonly Validator[]): bigint => set.reduce((sum, { power }) => sum + power, 0n)

/** Scales priorities into the window, and shifts them to an average of 0. */
function centred(set: readonly Validator[]): readonly Validator[] {
  const priorities = set.map(priorityOf)
  let [least, most] = [priorities[0]!, priorities[0]!]
  for (const priority of priorities) {
    if (priority < least) least = priority
    if (priority > most) most = priority
  }
  const window = WINDOW * totalOf(set)
  const difference = most - least
  const ratio = difference > window && window > 0n ? (difference + window - 1n) / window : 1n
  const pressed = priorities.map((priority) => priority / ratio)
  const average = floorDiv(
    pressed.reduce((sum, priority) => sum + priority, 0n),
    BigInt(set.length),
  )
  return set.map((validator, i) => ({ ...validator, priority: pressed[i]! - average }))
}

/** Returns the set after one rotation: each priority rises by the power, and the proposer's falls by the total power. */
function rotateOnce(set: readonly Validator[]): readonly Validator[] {
  const nearer = centred(set).map((validator) => ({ ...validator, priority: priorityOf(validator) + validator.power }))
  const proposer = nearer.reduce((best, other) => {
    const isBefore =
      best.priority === other.priority ? compare(other.address, best.address) < 0 : other.priority > best.priority
    return isBefore ? other : best
  })
  const total = totalOf(set)
  return nearer.map(({ isProposer: _, ...validator }) =>
    validator.address === proposer.address
      ? { ...validator, priority: validator.priority - total, isProposer: true }
      : validator,
  )
}

/** Returns the set after `count` rotations. */
export function rotateProposers(set: readonly Validator[], count = 1n): readonly Validator[] {
  // A single validator always proposes, and its priority is always 0.
  if (set.length < 2) return set
  let next = set
  for (let i = 0n; i < count; i++) next = rotateOnce(next)
  return next
}

/** Returns the proposer; the first validator if the set was never rotated. The set must not be empty. */
export function proposerOf(set: readonly Validator[]): Validator {
  return set.find(({ isProposer }) => isProposer) ?? set[0]!
}

/** Returns a set after updates (power 0 removes), before the next rotation. New validators start with a low priority, so that leaving and returning gains nothing. */
export function withUpdates(set: readonly Validator[], updates: readonly Validator[]): readonly Validator[] {
  const byAddress = new Map(set.map((validator) => [toKey(validator.address), validator]))
  for (const update of updates) {
    if (update.power > 0n) {
      const old = byAddress.get(toKey(update.address))
      byAddress.set(toKey(update.address), old ? { ...old, power: update.power } : { ...update, priority: undefined })
    }
  }
  // The power of removed validators counts here.
  const total = totalOf([...byAddress.values()])
  for (const { address, power } of updates) if (power === 0n) byAddress.delete(toKey(address))
  if (byAddress.size === 0) return set
  const isNew = ({ address }: Validator) => !set.some((old) => toKey(old.address) === toKey(address))
  return centred(
    [...byAddress.values()].map((validator) =>
      isNew(validator) ? { ...validator, priority: -(total + (total >> 3n)) } : validator,
    ),
  )
}
