/** Fixed-point decimals of 18 places, with the arithmetic of the Cosmos SDK's `LegacyDec`. */

declare const brand: unique symbol
/** A value times 10^18. */
export type Decimal = bigint & { readonly [brand]: 'Decimal' }

const PLACES = 18
const ONE = 10n ** 18n
/** Accepted texts: at most 78 significant digits before the point, or 96 in the wire form. More are out of range. */
const TEXT = /^(-?)0*([1-9]\d{0,77}|0)(?:\.(\d{1,18}))?$/
const WIRE = /^-?0*(?:[1-9]\d{0,95}|0)$/
/** Exclusive limit of the magnitude of a value × 10^18. */
const LIMIT = 2n ** 256n * ONE

export const zero = 0n as Decimal
export const one = ONE as Decimal

/** Converts the raw integer value × 10^18. */
export function fromRaw(raw: bigint): Decimal {
  return raw as Decimal
}

/** Converts a whole number. */
export function fromInteger(value: bigint): Decimal {
  return (value * ONE) as Decimal
}

function inRange(raw: bigint): Decimal | undefined {
  return raw < LIMIT && raw > -LIMIT ? (raw as Decimal) : undefined
}

/**
 * Parses decimal text with at most 18 places, the form of JSON and command lines. Returns undefined if invalid or out of
 * range.
 */
export function parse(text: string): Decimal | undefined {
  const match = TEXT.exec(text)
  if (!match) return undefined
  const raw = BigInt(match[2]!) * ONE + BigInt((match[3] ?? '').padEnd(PLACES, '0'))
  return inRange(match[1] ? -raw : raw)
}

/** Formats with exactly 18 decimals: `0.500000000000000000`. */
export function format(value: Decimal): string {
  const digits = (value < 0n ? -value : value).toString().padStart(PLACES + 1, '0')
  return `${value < 0n ? '-' : ''}${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`
}

/**
 * Decodes the wire form, the digits of value × 10^18 without a point; zero is `0`. Returns undefined if invalid or out of
 * range.
 */
export function decode(wire: string): Decimal | undefined {
  return WIRE.test(wire) ? inRange(BigInt(wire)) : wire === '' ? zero : undefined
}

export function encode(value: Decimal): string {
  return value.toString()
}

/** Divides, rounding half to even (banker's rounding). */
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

/** Multiplies, rounding half to even. */
export function mul(a: Decimal, b: Decimal): Decimal {
  return divideHalfEven(a * b, ONE) as Decimal
}

/** Multiplies, truncating toward zero. */
export function mulTruncate(a: Decimal, b: Decimal): Decimal {
  return ((a * b) / ONE) as Decimal
}

/** Divides, rounding half to even at the 18th place. Throws a `RangeError` on division by zero. */
export function quo(a: Decimal, b: Decimal): Decimal {
  // The chain extends the dividend by 36 places, truncates the quotient, and then rounds away 18 places.
  return divideHalfEven((a * ONE * ONE) / b, ONE) as Decimal
}

/** Divides, truncating toward zero. */
export function quoTruncate(a: Decimal, b: Decimal): Decimal {
  return ((a * ONE) / b) as Decimal
}

/** Divides, rounding an inexact positive quotient up and truncating a negative one. */
export function quoRoundUp(a: Decimal, b: Decimal): Decimal {
  const dividend = a * ONE
  const quotient = dividend / b
  const inexact = dividend % b !== 0n
  return (inexact && dividend < 0n === b < 0n ? quotient + 1n : quotient) as Decimal
}

/** Truncates to a whole number, toward zero. */
export function truncate(value: Decimal): bigint {
  return value / ONE
}

/** Rounds to the nearest whole number, half to even. */
export function round(value: Decimal): bigint {
  return divideHalfEven(value, ONE)
}

/** Rounds up to a whole number. */
export function ceil(value: Decimal): bigint {
  const quotient = value / ONE
  return value % ONE > 0n ? quotient + 1n : quotient
}
