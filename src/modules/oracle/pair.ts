/** Pairs of denominations, `base:quote` (oracle.md §1.4). */
import { isValid } from '../../primitives/denom.ts'
import { errors } from './errors.ts'

/** Throws oracle 16 for a text that is no pair. */
export function requirePair(pair: string): void {
  const sides = pair.split(':')
  if (sides.length === 1) throw errors.invalidPair(`${pair}: separator missing`)
  if (sides.length !== 2) throw errors.invalidPair(`must have exactly two assets, not ${sides.length}`)
  const [base = '', quote = ''] = sides
  if (base === '' || quote === '') throw errors.invalidPair('empty token identifiers')
  if (!isValid(base)) throw errors.invalidPair('invalid base asset')
  if (!isValid(quote)) throw errors.invalidPair('invalid quote asset')
}

export function isPair(pair: string): boolean {
  const sides = pair.split(':')
  return sides.length === 2 && sides.every(isValid)
}
