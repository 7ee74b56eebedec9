/** Fixed-point decimals of 18 places, as the chain computes them (oracle.md §1.1). */

declare const brand: unique symbol
/** A value times 10^18. */
export type Decimal = bigint & { readonly [brand]: 'Decimal' }

const PLACES = 18
const ONE = 10n ** 18n
/** Digits that count: no more than 78 before the point, or 96 without one, are in range. */
const TEXT = /^(-?)0*([1-9]\d{0,77}|0)(?:\.(\d{1,18}))?$/
const WIRE = /^-?0*(?:[1-9]\d{0,95}|0)$/
/** What a value × 10^18 is below, without its sign (oracle.md §1.1). */
const LIMIT = 2n ** 256n * ONE

export const zero = 0n as Decimal
export const one = ONE as Decimal

/** From the raw integer value × 10^18. */
export function fromRaw(raw: bigint): Decimal {
  return raw as Decimal
}

/** From a whole number. */
export function fromInteger(value: bigint): Decimal {
  return (value * ONE) as Decimal
}

function inRange(raw: bigint): Decimal | undefined {
  return raw < LIMIT && raw > -LIMIT ? (raw as Decimal) : undefined
}

/** Decimal text with at most 18 places, as JSON and command lines carry it. Undefined if it is none, or out of range. */
export function parse(text: string): Decimal | undefined {
  const match = TEXT.exec(text)
  if (!match) return undefined
  const raw = BigInt(match[2]!) * ONE + BigInt((match[3] ?? '').padEnd(PLACES, '0'))
  return inRange(match[1] ? -raw : raw)
}

/** Exactly 18 decimals: `0.500000000000000000`. */
export function format(value: Decimal): string {
  const digits = (value < 0n ? -value : value).toString().padStart(PLACES + 1, '0')
  return `${value < 0n ? '-' : ''}${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`
}

/** The wire form: digits of value × 10^18 without a point; zero is the byte `0`. Undefined if it is none, or out of range. */
export function decode(wire: string): Decimal | undefined {
  return WIRE.test(wire) ? inRange(BigInt(wire)) : wire === '' ? zero : undefined
}

export function encode(value: Decimal): string {
  return value.toString()
}

/** Half to even on the last of `divisor`'s digits: the chain's "banker's" rounding. */
function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const negative = dividend < 0n !== divisor < 0n
  const n = dividend < 0n ? -dividend : dividend
  const d = divisor < 0n ? -divisor : divisor
  const quotient = n / d
  const twice = (n % d) * 2n
  const up = twice > d || (twice === d && quotient % 2n === 1n)
  const result = up ? quotient + 1n : quotient
  return negative ? -result : result
}

/** Product, half to even. */
export function mul(a: Decimal, b: Decimal): Decimal {
  return divideHalfEven(a * b, ONE) as Decimal
}

/** Product, truncated toward zero. */
export function mulTruncate(a: Decimal, b: Decimal): Decimal {
  return ((a * b) / ONE) as Decimal
}

/** Quotient, half to even at the 18th place. Throws a `RangeError` on division by zero. */
export function quo(a: Decimal, b: Decimal): Decimal {
  // The chain first widens by 36 places and truncates, then rounds the 18 it drops.
  return divideHalfEven((a * ONE * ONE) / b, ONE) as Decimal
}

/** Quotient, truncated toward zero. */
export function quoTruncate(a: Decimal, b: Decimal): Decimal {
  return ((a * ONE) / b) as Decimal
}

/** Quotient, rounded away from zero toward positive infinity when inexact. */
export function quoRoundUp(a: Decimal, b: Decimal): Decimal {
  const dividend = a * ONE
  const quotient = dividend / b
  const inexact = dividend % b !== 0n
  return (inexact && dividend < 0n === b < 0n ? quotient + 1n : quotient) as Decimal
}

/** The whole number below (toward zero). */
export function truncate(value: Decimal): bigint {
  return value / ONE
}

/** The nearest whole number, half to even. */
export function round(value: Decimal): bigint {
  return divideHalfEven(value, ONE)
}

/** The whole number above. */
export function ceil(value: Decimal): bigint {
  const quotient = value / ONE
  return value % ONE > 0n ? quotient + 1n : quotient
}
