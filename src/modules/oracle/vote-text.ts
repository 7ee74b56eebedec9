/** Text of a vote, and the hash that commits to it (docs/modules/oracle.md#messages). */
import { formatHex, utf8 } from '../../primitives/bytes.ts'
import * as decimal from '../../primitives/decimal.ts'
import { sha256 } from '../../primitives/hash.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { errors } from './errors.ts'
import { isPair } from './pair.ts'

export interface PairRate {
  readonly pair: string
  /** A rate of 0 or less is an abstention. */
  readonly rate: decimal.Decimal
}

const HASH_LENGTH = 20
const MAX_RATE_BITS = 315

/** Returns the hash of a vote: 40 lower-case hexadecimal digits. */
export function voteHash(salt: string, exchangeRates: string, voter: string): string {
  return formatHex(sha256(utf8(`${salt}:${exchangeRates}:${voter}`)).subarray(0, HASH_LENGTH))
}

/** Parses `(pair,rate)|(pair,rate)`. Throws sdk 10 with the cause, and oracle 2 for a rate of more than 315 bits. */
export function parseRates(text: string): PairRate[] {
  const refuse = (what: string): never => {
    throw sdkErrors.invalidCoins(`failed to parse exchange rates string cause: ${what}`)
  }
  const seen = new Set<string>()
  return text.split('|').map((tuple, i) => {
    if (tuple.length <= 2) refuse('invalid string length')
    if (!tuple.startsWith('(') || !tuple.endsWith(')')) refuse('invalid ExchangeRateTuple delimiters')
    const [pair = '', written = '', ...more] = tuple.slice(1, -1).split(',')
    if (more.length > 0 || !tuple.includes(',')) refuse('invalid ExchangeRateTuple format')
    if (!isPair(pair)) refuse(`invalid pair definition ${pair.slice(0, 80)}`)
    const rate = decimal.parse(written)
    if (rate === undefined) return refuse(`invalid decimal ${written.slice(0, 80)}`)
    if (bitLength(rate) > MAX_RATE_BITS) throw errors.invalidRate('overflow')
    if (seen.has(pair)) refuse(`found duplicate at index ${i}: ${pair}`)
    seen.add(pair)
    return { pair, rate }
  })
}

function bitLength(value: bigint): number {
  return (value < 0n ? -value : value).toString(2).length
}
