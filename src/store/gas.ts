/** Gas meters, and the price of every access to a store (docs/transactions.md#gas). */
import { ChainError, type ErrorRow } from '../primitives/errors.ts'
import type { Entry, Reader, Writer } from './types.ts'

export interface GasMeter {
  readonly limit: bigint
  readonly used: bigint
  /**
   * Throws sdk 11 `out of gas in location: <descriptor>; gasWanted: <w>, gasUsed: <u>: out of gas` when the limit is
   * passed; the charge stays.
   */
  consume(amount: bigint, descriptor: string): void
}

export interface StorePrices {
  readonly has: bigint
  readonly delete: bigint
  readonly readFlat: bigint
  readonly readPerByte: bigint
  readonly writeFlat: bigint
  readonly writePerByte: bigint
  readonly iterateFlat: bigint
}

/** Prices of the committed stores, as in the Cosmos SDK's `KVGasConfig`. */
const KV_PRICES: StorePrices = {
  has: 1000n,
  delete: 1000n,
  readFlat: 1000n,
  readPerByte: 3n,
  writeFlat: 2000n,
  writePerByte: 30n,
  iterateFlat: 30n,
}

/** Prices of the stores that exist for one block, as in the Cosmos SDK's `TransientGasConfig`. */
export const TRANSIENT_PRICES: StorePrices = {
  has: 100n,
  delete: 100n,
  readFlat: 100n,
  readPerByte: 0n,
  writeFlat: 200n,
  writePerByte: 3n,
  iterateFlat: 3n,
}

const MAX_GAS = (1n << 64n) - 1n
const OUT_OF_GAS: ErrorRow = { code: 11, status: 'resourceExhausted', text: 'out of gas' }

/** Creates a meter that throws when more than `limit` has been consumed. */
export function createGasMeter(limit: bigint): GasMeter {
  const meter = {
    limit,
    used: 0n,
    consume(amount: bigint, descriptor: string) {
      meter.used += amount
      if (meter.used > limit) {
        const place = `out of gas in location: ${descriptor}; gasWanted: ${limit}, gasUsed: ${meter.used}`
        throw new ChainError('sdk', OUT_OF_GAS, `${place}: ${OUT_OF_GAS.text}`)
      }
    },
  }
  return meter
}

/** Creates a meter that counts and never throws. */
export function createInfiniteGasMeter(): GasMeter {
  return createGasMeter(MAX_GAS)
}

/** Returns a reader that charges every access: flat prices before the access, prices per byte after it. */
function meteredReader(reader: Reader, meter: GasMeter, prices: StorePrices = KV_PRICES): Reader {
  return {
    get(store, key) {
      meter.consume(prices.readFlat, 'ReadFlat')
      const value = reader.get(store, key)
      meter.consume(prices.readPerByte * BigInt(key.length), 'ReadPerByte')
      meter.consume(prices.readPerByte * BigInt(value?.length ?? 0), 'ReadPerByte')
      return value
    },
    has(store, key) {
      meter.consume(prices.has, 'Has')
      return reader.has(store, key)
    },
    iterate(store, range) {
      return meteredIterator(reader.iterate(store, range), meter, prices)
    },
  }
}

/** Returns a writer that charges every access to the meter. */
export function metered(writer: Writer, meter: GasMeter, prices: StorePrices = KV_PRICES): Writer {
  const { get, has, iterate } = meteredReader(writer, meter, prices)
  return {
    get,
    has,
    iterate,
    set(store, key, value) {
      meter.consume(prices.writeFlat, 'WriteFlat')
      meter.consume(prices.writePerByte * BigInt(key.length), 'WritePerByte')
      meter.consume(prices.writePerByte * BigInt(value.length), 'WritePerByte')
      writer.set(store, key, value)
    },
    delete(store, key) {
      meter.consume(prices.delete, 'Delete')
      writer.delete(store, key)
    },
  }
}

/**
 * Returns an iterator that charges as the chain does: the first entry (or, without one, the flat step alone) when it is created,
 * and every entry again when the iteration moves past it. An iteration that stops early does not move past its last entry.
 */
function meteredIterator(
  source: IterableIterator<Entry>,
  meter: GasMeter,
  prices: StorePrices,
): IterableIterator<Entry> {
  let current = source.next()
  let started = false
  const charge = () => {
    if (!current.done) {
      meter.consume(prices.readPerByte * BigInt(current.value[0].length), 'ValuePerByte')
      meter.consume(prices.readPerByte * BigInt(current.value[1].length), 'ValuePerByte')
    }
    meter.consume(prices.iterateFlat, 'IterNextFlat')
  }
  charge()
  return {
    [Symbol.iterator]() {
      return this
    },
    next() {
      if (started && !current.done) {
        charge()
        current = source.next()
      }
      started = true
      return current
    },
    return(value?: unknown) {
      source.return?.()
      return { done: true, value }
    },
  }
}
