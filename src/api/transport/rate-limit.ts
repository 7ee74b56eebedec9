/** The limit of requests a second of one address: a bucket of tokens for each, of which a request takes one. */
import { type ChainError, queryError } from '../../primitives/errors.ts'

export interface RateLimit {
  /** Whether there is a limit. */
  readonly isOn: boolean
  /** Takes a token for a request of an address. Returns undefined if there was one, else the milliseconds until there is. */
  take(address: string): number | undefined
}

interface Bucket {
  tokens: number
  /** Time of the last change, milliseconds. */
  at: number
}

/** Addresses whose requests are counted. Beyond: the one that was seen longest ago is forgotten. */
const MAX_ADDRESSES = 100_000

/**
 * Creates the limit of one process; `perSecond` 0 for none. `burst` is the size of a bucket. `elapsed` is a clock in milliseconds
 * that never goes back.
 */
export function createRateLimit(
  { perSecond, burst }: { readonly perSecond: number; readonly burst: number },
  elapsed: () => number,
  maxAddresses = MAX_ADDRESSES,
): RateLimit {
  if (perSecond === 0) return { isOn: false, take: () => undefined }
  const perMs = perSecond / 1000
  const buckets = new Map<string, Bucket>()

  function bucketOf(address: string, now: number): Bucket {
    const found = buckets.get(address)
    // The order of the map is that of the last use.
    if (found) buckets.delete(address)
    else if (buckets.size >= maxAddresses) buckets.delete(buckets.keys().next().value!)
    const bucket = found ?? { tokens: burst, at: now }
    buckets.set(address, bucket)
    return bucket
  }

  return {
    isOn: true,
    take(address) {
      // Clients of a socket file and of this process have a name.
      if (!/[.:]/.test(address)) return undefined
      const now = elapsed()
      const bucket = bucketOf(address, now)
      bucket.tokens = Math.min(burst, bucket.tokens + (now - bucket.at) * perMs)
      bucket.at = now
      if (bucket.tokens < 1) return Math.ceil((1 - bucket.tokens) / perMs)
      bucket.tokens--
      return undefined
    },
  }
}

/** Returns the error of a request that is refused, and must wait. */
export function tooManyRequests(waitMs: number): ChainError {
  return queryError(
    'resourceExhausted',
    `too many requests from this address: repeat in ${waitMs} ms, and send fewer a second (api.rate_limit)`,
  )
}

/** Returns the value of the header `Retry-After`, whole seconds. */
export const retryAfter = (waitMs: number): string => String(Math.max(1, Math.ceil(waitMs / 1000)))
