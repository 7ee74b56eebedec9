/** Gas meters, and the price of every access to a store (support-modules.md §4.4). */
import type { Reader, Writer } from './types.ts'

export interface GasMeter {
  readonly limit: bigint
  readonly used: bigint
  /** Throws sdk 11 `out of gas in location: <descriptor>; gasWanted: <w>, gasUsed: <u>` when the limit is passed; the charge stays. */
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

export type { Reader, Writer }
