/** Pairs of denoms, written `base:quote`. */
import { isValid } from '../../primitives/denom.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { assetErrors, errors } from './errors.ts'

/** Throws for text that is not a pair: oracle 16, or asset 1 under a profile whose pairs have that codespace. */
export function requirePair(ctx: ReadContext, pair: string): void {
  const { invalidPair } = ctx.identity.behaviours.pairErrorsOfAsset ? assetErrors : errors
  const sides = pair.split(':')
  if (sides.length === 1) throw invalidPair(`${pair}: separator missing`)
  if (sides.length !== 2) throw invalidPair(`must have exactly two assets, not ${sides.length}`)
  const [base = '', quote = ''] = sides
  if (base === '' || quote === '') throw invalidPair('empty token identifiers')
  if (!isValid(base)) throw invalidPair('invalid base asset')
  if (!isValid(quote)) throw invalidPair('invalid quote asset')
}

export function isPair(pair: string): boolean {
  const sides = pair.split(':')
  return sides.length === 2 && sides.every(isValid)
}
