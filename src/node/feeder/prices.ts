/** The price sources of a feeder: a file, a URL, or a random walk. */
import { readFile } from 'node:fs/promises'
import { queryError } from '../../primitives/errors.ts'

/** Returns prices by pair, as decimal texts. A feeder abstains on a pair without a price. Rejects if the source fails. */
export type PriceSource = (pairs: readonly string[]) => Promise<ReadonlyMap<string, string>>

const PLACES = 18
const HTTP_TIMEOUT_MS = 5_000

/** Formats a price for the chain: no exponent, 18 decimal places, truncated. Returns undefined if the value is not a price. */
export function priceText(value: unknown): string | undefined {
  const text = typeof value === 'number' ? plain(value) : typeof value === 'string' ? value.trim() : ''
  const match = /^(\d+)(?:\.(\d*))?$/.exec(text)
  if (!match) return undefined
  return `${match[1]}.${(match[2] ?? '').slice(0, PLACES).padEnd(PLACES, '0')}`
}

/** Formats a number without exponent. */
function plain(value: number): string {
  return Number.isFinite(value) ? value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 }) : ''
}

/** Returns the value at a path such as `data.rates`; the whole for an empty path. */
function at(json: unknown, path: string): unknown {
  if (path === '') return json
  return path.split('.').reduce<unknown>((value, step) => {
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[step] : undefined
  }, json)
}

/** Reads prices from a JSON object by pair (`{"ubtc:uusd": "64250.5"}`) at a path. `source` names the text in errors. */
function readPrices(text: string, path: string, source: string, pairs: readonly string[]): ReadonlyMap<string, string> {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw queryError('invalidArgument', `${source} is not JSON`)
  }
  const prices = at(json, path)
  if (typeof prices !== 'object' || prices === null) {
    throw queryError('invalidArgument', `${source} has no object${path === '' ? '' : ` at ${path}`}`)
  }
  const found = new Map<string, string>()
  for (const pair of pairs) {
    const price = priceText((prices as Record<string, unknown>)[pair])
    if (price !== undefined) found.set(pair, price)
  }
  return found
}

export function filePrices(file: string, path = ''): PriceSource {
  return async (pairs) => readPrices(await readFile(file, 'utf8'), path, file, pairs)
}

export function httpPrices(url: string, path = ''): PriceSource {
  return async (pairs) => {
    const response = await fetch(url, { signal: AbortSignal.timeout(HTTP_TIMEOUT_MS) })
    if (!response.ok) throw queryError('unavailable', `${url} answered ${response.status}`)
    return readPrices(await response.text(), path, url, pairs)
  }
}

/** Initial prices of the walk; 100 for any other pair. */
const INITIAL_PRICES: Readonly<Record<string, number>> = {
  'ubtc:uusd': 64_250,
  'ueth:uusd': 3_100,
  'uatom:uusd': 9.5,
  'uusdc:uusd': 1,
  'uusdt:uusd': 1,
}
/** Maximum step of the walk, as a fraction of the price. */
const STEP = 0.002

/** Creates a generator of numbers from 0 to below 1; equal seeds generate equal numbers. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Creates a random walk: equal seeds return equal prices at the same call. */
export function simulatedPrices(seed: number): PriceSource {
  const random = seededRandom(seed)
  const prices = new Map<string, number>()
  return async (pairs) => {
    const now = new Map<string, string>()
    for (const pair of pairs) {
      const price = (prices.get(pair) ?? INITIAL_PRICES[pair] ?? 100) * (1 + STEP * (2 * random() - 1))
      prices.set(pair, price)
      now.set(pair, priceText(price.toFixed(6))!)
    }
    return now
  }
}
