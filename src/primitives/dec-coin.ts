/** Fractions of coins: lists of denominations with decimal amounts, sorted and without zeros. */
import type { Coin } from './coin.ts'
import * as decimal from './decimal.ts'

interface DecCoin {
  readonly denom: string
  readonly amount: decimal.Decimal
}

export type DecCoins = readonly DecCoin[]

export const NONE: DecCoins = Object.freeze([])

/** The message form, `sdk.base.v1beta1.DecCoin`: digits of the amount × 10^18. */
export interface DecCoinText {
  readonly denom: string
  readonly amount: string
}

/** Decodes messages of stored state. */
export function decode(list: readonly DecCoinText[]): DecCoins {
  return list.map(({ denom, amount }) => ({ denom, amount: decimal.decode(amount) ?? decimal.zero }))
}

export function encode(coins: DecCoins): DecCoinText[] {
  return coins.map(({ denom, amount }) => ({ denom, amount: decimal.encode(amount) }))
}

export function fromCoins(coins: readonly Coin[]): DecCoins {
  return coins.map(({ denom, amount }) => ({ denom, amount: decimal.fromInteger(amount) }))
}

/** Formats as `0.500000000000000000unative,7.000000000000000000ufoo`, the form of events. */
export function format(coins: DecCoins): string {
  return coins.map(({ denom, amount }) => `${decimal.format(amount)}${denom}`).join(',')
}

/** Whether a list is sorted and without zeros. One decoded from stored state need not be. */
function isOrdered(coins: DecCoins): boolean {
  return coins.every(({ denom, amount }, i) => amount !== 0n && (i === 0 || coins[i - 1]!.denom < denom))
}

function combine(a: DecCoins, b: DecCoins, sign: bigint): DecCoins {
  if (b.length === 0 && isOrdered(a)) return a
  const sums = new Map<string, bigint>(a.map(({ denom, amount }) => [denom, amount]))
  for (const { denom, amount } of b) sums.set(denom, (sums.get(denom) ?? 0n) + sign * amount)
  return [...sums]
    .filter(([, amount]) => amount !== 0n)
    .map(([denom, amount]) => ({ denom, amount: decimal.fromRaw(amount) }))
    .sort((x, y) => (x.denom < y.denom ? -1 : 1))
}

export function add(a: DecCoins, b: DecCoins): DecCoins {
  return combine(a, b, 1n)
}

/** Subtracts. Throws a `RangeError` if an amount of `b` exceeds that of `a`. */
export function sub(a: DecCoins, b: DecCoins): DecCoins {
  const rest = combine(a, b, -1n)
  if (rest.some(({ amount }) => amount < 0n)) throw new RangeError(`cannot subtract ${format(b)} from ${format(a)}`)
  return rest
}

function each(coins: DecCoins, of: (amount: decimal.Decimal) => decimal.Decimal): DecCoins {
  return coins.map(({ denom, amount }) => ({ denom, amount: of(amount) })).filter(({ amount }) => amount !== 0n)
}

/** Multiplies, rounding half to even. */
export function mul(coins: DecCoins, factor: decimal.Decimal): DecCoins {
  return each(coins, (amount) => decimal.mul(amount, factor))
}

/** Multiplies, truncating. */
export function mulTruncate(coins: DecCoins, factor: decimal.Decimal): DecCoins {
  return each(coins, (amount) => decimal.mulTruncate(amount, factor))
}

/** Divides, truncating. Throws a `RangeError` on division by zero. */
export function quoTruncate(coins: DecCoins, divisor: decimal.Decimal): DecCoins {
  return each(coins, (amount) => decimal.quoTruncate(amount, divisor))
}

/** Returns the smaller amount of each denomination that both lists have. */
export function intersect(a: DecCoins, b: DecCoins): DecCoins {
  const limits = new Map<string, bigint>(b.map(({ denom, amount }) => [denom, amount]))
  return a.flatMap(({ denom, amount }) => {
    const limit = limits.get(denom) ?? 0n
    const least = amount < limit ? amount : limit
    return least > 0n ? [{ denom, amount: decimal.fromRaw(least) }] : []
  })
}

/** Splits into whole coins and fractions. */
export function truncate(coins: DecCoins): { readonly coins: readonly Coin[]; readonly rest: DecCoins } {
  const whole = coins.map(({ denom, amount }) => ({ denom, amount: decimal.truncate(amount) }))
  return { coins: whole.filter(({ amount }) => amount > 0n), rest: sub(coins, fromCoins(whole)) }
}
