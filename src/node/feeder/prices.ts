/** Where a feeder's prices come from: a file, a URL, or a walk that means nothing. */
import { readFile } from 'node:fs/promises'
import { queryError } from '../../primitives/errors.ts'

/** Prices by pair, as decimal texts; a pair without a price is abstained on. Rejects if there are none to be had. */
export type PriceSource = (pairs: readonly string[]) => Promise<ReadonlyMap<string, string>>

const PLACES = 18
const HTTP_TIMEOUT_MS = 5_000

/** Digits as the chain takes them: no exponent, at most 18 places, cut and not rounded. Undefined if it is no price. */
export function priceText(value: unknown): string | undefined {
  const text = typeof value === 'number' ? plain(value) : typeof value === 'string' ? value.trim() : ''
  const match = /^(\d+)(?:\.(\d*))?$/.exec(text)
  if (!match) return undefined
  return `${match[1]}.${(match[2] ?? '').slice(0, PLACES).padEnd(PLACES, '0')}`
}

/** A number without exponent. */
function plain(value: number): string {
  return Number.isFinite(value) ? value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 }) : ''
}

/** The value at a way such as `data.rates`; the whole for an empty one. */
function at(json: unknown, way: string): unknown {
  if (way === '') return json
  return way.split('.').reduce<unknown>((value, step) => {
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[step] : undefined
  }, json)
}

/** Prices that a JSON object holds by pair (`{"ubtc:uusd": "64250.5"}`), below a way into it. */
function readPrices(text: string, way: string, place: string, pairs: readonly string[]): ReadonlyMap<string, string> {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw queryError('invalidArgument', `${place} holds no JSON`)
  }
  const prices = at(json, way)
  if (typeof prices !== 'object' || prices === null) {
    throw queryError('invalidArgument', `${place} holds no object${way === '' ? '' : ` at ${way}`}`)
  }
  const found = new Map<string, string>()
  for (const pair of pairs) {
    const price = priceText((prices as Record<string, unknown>)[pair])
    if (price !== undefined) found.set(pair, price)
  }
  return found
}

export function filePrices(path: string, way = ''): PriceSource {
  return async (pairs) => readPrices(await readFile(path, 'utf8'), way, path, pairs)
}

export function httpPrices(url: string, way = ''): PriceSource {
  return async (pairs) => {
    const response = await fetch(url, { signal: AbortSignal.timeout(HTTP_TIMEOUT_MS) })
    if (!response.ok) throw queryError('unavailable', `${url} answered ${response.status}`)
    return readPrices(await response.text(), way, url, pairs)
  }
}

/** Where the walk of a well-known pair begins; any other at 100. */
const BEGINNINGS: Readonly<Record<string, number>> = {
  'ubtc:uusd': 64_250,
  'ueth:uusd': 3_100,
  'uatom:uusd': 9.5,
  'uusdc:uusd': 1,
  'uusdt:uusd': 1,
}
/** Largest step of a walk, as a part of the price. */
const STEP = 0.002

/** Numbers below 1, the same for the same seed. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** A walk from a seed: equal seeds asked equally often say equal prices. */
export function simulatedPrices(seed: number): PriceSource {
  const random = seededRandom(seed)
  const prices = new Map<string, number>()
  return async (pairs) => {
    const now = new Map<string, string>()
    for (const pair of pairs) {
      const price = (prices.get(pair) ?? BEGINNINGS[pair] ?? 100) * (1 + STEP * (2 * random() - 1))
      prices.set(pair, price)
      now.set(pair, priceText(price.toFixed(6))!)
    }
    return now
  }
}
