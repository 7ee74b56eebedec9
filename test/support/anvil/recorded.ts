/** A chain of eight transactions on anvil 1.7.1: its dump with historical states, and its answers about the same blocks. */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

export type Json = Readonly<Record<string, unknown>>

interface RecordedBlock extends Json {
  readonly number: string
  readonly hash: string
  readonly transactions: readonly (Json & { readonly hash: string })[]
}

interface RecordedChain {
  readonly state: {
    readonly block: Json
    readonly accounts: Json
    readonly blocks: readonly { readonly header: Json; readonly transactions: readonly Json[] }[]
    readonly transactions: readonly Json[]
    readonly historical_states: readonly unknown[] | null
  }
  /** `eth_getBlockByNumber` with whole transactions, from block 1. */
  readonly blocks: readonly RecordedBlock[]
  readonly receipts: readonly (Json & { readonly transactionHash: string })[]
  /** `eth_getLogs` from block 0. */
  readonly logs: readonly Json[]
  /** `eth_getBalance` at each block from 1, by address. */
  readonly balances: Readonly<Record<string, readonly string[]>>
}

export const recorded = JSON.parse(
  gunzipSync(readFileSync(new URL('state-1.7.1.json.gz', import.meta.url))).toString(),
) as RecordedChain
